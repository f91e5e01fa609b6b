// lockstep debug: runs a program under gdb, with kernels compiled for it.
#include "tools/lockstep/subcommand.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern "C" const char lockstep_gdb_commands_begin[], lockstep_gdb_commands_end[];

namespace lockstep::cli {
namespace {

struct DebugCommand {
  std::vector<std::string> gdb, app;
};

// gdb inherits the file: no name in a folder of others is trusted, and nothing is left behind.
int file_with_commands() {
  const int file = memfd_create("lockstep-gdb", 0);
  const auto size = static_cast<size_t>(lockstep_gdb_commands_end - lockstep_gdb_commands_begin);
  if (file >= 0 && write(file, lockstep_gdb_commands_begin, size) != static_cast<ssize_t>(size))
    return -1;
  return file;
}

int debug(const DebugCommand &command) {
  const int file = file_with_commands();
  if (file < 0) {
    fmt::print(stderr, "lockstep debug: no memory for gdb's commands: {}\n", std::strerror(errno));
    return 1;
  }
  std::vector<std::string> words = {
      "gdb", "-q", "-iex",
      fmt::format("python exec(compile(open('/proc/self/fd/{}').read(), 'lockstep', 'exec'))",
                  file)};
  words.insert(words.end(), command.gdb.begin(), command.gdb.end());
  words.push_back("--args");
  words.insert(words.end(), command.app.begin(), command.app.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp("gdb", pointers.data());
  fmt::print(stderr, "lockstep debug: gdb cannot be started: {}\n", std::strerror(errno));
  return 1;
}

} // namespace

void add_debug(CLI::App &app, int &exit_code) {
  auto command = std::make_shared<DebugCommand>();
  CLI::App *sub = app.add_subcommand("debug", "run a program under gdb and step through kernels");
  sub->footer("Kernels are compiled as written. Each work-item has a stack of its own, and one "
              "runs at a time: breakpoints, next, step, finish, backtrace, print and set work as "
              "in other code.\n"
              "Commands for gdb: work-item 3,0,0 (breakpoints stop for this global id only), "
              "work-group 1,0,0, work-item any; work-item says which one runs.\n"
              "Example: lockstep debug ./app its arguments, then: break kernels.cl:12, run");
  sub->add_option("--gdb", command->gdb, "an option of gdb, e.g. --gdb=-batch --gdb=-ex --gdb=run")
      ->allow_extra_args(false);
  sub->add_option("app", command->app, "the program and its arguments")->required();
  sub->positionals_at_end();
  sub->prefix_command();
  sub->callback([command, &exit_code] { exit_code = debug(*command); });
}

} // namespace lockstep::cli
