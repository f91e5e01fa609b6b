// The functions that add the subcommands, one file for each. A function adds its options to the
// app. Its callback sets `exit_code`: 0 for success, 1 for a failure, 2 for an invalid request.
#pragma once

namespace CLI {
class App;
} // namespace CLI

namespace lockstep::cli {

void add_info(CLI::App &app, int &exit_code);
void add_compile(CLI::App &app, int &exit_code);
void add_run(CLI::App &app, int &exit_code);
void add_check(CLI::App &app, int &exit_code);
void add_debug(CLI::App &app, int &exit_code);
void add_top(CLI::App &app, int &exit_code);
void add_trace(CLI::App &app, int &exit_code);
void add_cache(CLI::App &app, int &exit_code);
void add_doctor(CLI::App &app, int &exit_code);

} // namespace lockstep::cli
