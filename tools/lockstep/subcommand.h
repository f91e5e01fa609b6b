// Each subcommand is one file with one of these functions. It adds its options to the app; its
// callback sets `exit_code`: 0 fine, 1 the thing that was asked for failed, 2 the request was
// wrong.
#pragma once

namespace CLI {
class App;
} // namespace CLI

namespace lockstep::cli {

void add_info(CLI::App &app, int &exit_code);
void add_compile(CLI::App &app, int &exit_code);
void add_run(CLI::App &app, int &exit_code);
void add_check(CLI::App &app, int &exit_code);
void add_top(CLI::App &app, int &exit_code);
void add_cache(CLI::App &app, int &exit_code);
void add_doctor(CLI::App &app, int &exit_code);

} // namespace lockstep::cli
