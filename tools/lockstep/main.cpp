// lockstep: shows the platform, compiles and runs kernels from the command line, and diagnoses
// problems.
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  CLI::App app("Lockstep: OpenCL for CPUs on stock LLVM. Subcommands have a --help of their own.",
               "lockstep");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer("Examples:\n"
             "  lockstep doctor                     is everything in place?\n"
             "  lockstep info                       what the device can do\n"
             "  lockstep compile a.cl --stage all   the kernel after each stage of the compiler\n"
             "  lockstep run a.cl --global 1024 --arg buf:float:1024=iota --print 0:8");
  int exit_code = 0;
  lockstep::cli::add_info(app, exit_code);
  lockstep::cli::add_compile(app, exit_code);
  lockstep::cli::add_run(app, exit_code);
  lockstep::cli::add_check(app, exit_code);
  lockstep::cli::add_debug(app, exit_code);
  lockstep::cli::add_top(app, exit_code);
  lockstep::cli::add_trace(app, exit_code);
  lockstep::cli::add_cache(app, exit_code);
  lockstep::cli::add_doctor(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  return exit_code;
}
