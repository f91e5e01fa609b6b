// lockstep: shows the platform, compiles and runs kernels from the command line, and diagnoses
// problems.
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// The number of characters to insert, remove or replace.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i != one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j != other.size(); ++j) {
      const std::size_t same = diagonal + (one[i] != other[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({same, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

int report_no_subcommand(CLI::App &app, const std::string &given) {
  std::vector<std::string> names;
  for (const CLI::App *each : app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(each->get_name());
  if (given.empty()) {
    fmt::print(stderr, "lockstep: error: a subcommand is needed: {}; see `lockstep --help`\n",
               fmt::join(names, ", "));
    return 2;
  }
  const auto nearest =
      std::min_element(names.begin(), names.end(), [&](const auto &a, const auto &b) {
        return distance(a, given) < distance(b, given);
      });
  const std::size_t most = given.size() / 3; // typing errors
  fmt::print(stderr, "lockstep: error: '{}' is not {} of lockstep{}; the subcommands are {}\n",
             given, given.starts_with("-") ? "an option" : "a subcommand",
             distance(*nearest, given) <= most ? fmt::format(", did you mean '{}'?", *nearest) : "",
             fmt::join(names, ", "));
  return 2;
}

} // namespace

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
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    if (app.get_subcommands().empty())
      return report_no_subcommand(app, argc > 1 ? argv[1] : "");
    fmt::print(stderr, "lockstep: error: {}; see `lockstep {} --help`\n", error.what(),
               app.get_subcommands().front()->get_name());
    return 2;
  }
  return exit_code;
}
