// lockstep check: runs a program with the checker and reports the result in the exit status.
#include "platform/linux/output_file.h"
#include "platform/linux/temporary_file.h"
#include "runtime/check/options/suppressions.h"
#include "tools/lockstep/subcommand.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

constexpr int nothing_was_checked = 3, request_was_wrong = 2;

struct CheckCommand {
  std::vector<std::string> app;
  std::string only = "races,barriers", kernel, json, suppress;
  long long seed = -1;
  int schedules = 1, threads = 0, exit_code = 66;
  bool strictly = false;
};

bool are_known(const std::string &kinds) {
  static const std::set<std::string> known = {"races", "barriers", "commands", "memory",
                                              "undefined"};
  for (size_t begin = 0; begin <= kinds.size();) {
    const size_t end = std::min(kinds.find(',', begin), kinds.size());
    const std::string kind = kinds.substr(begin, end - begin);
    if (!known.contains(kind)) {
      fmt::print(stderr,
                 "lockstep check: '{}' is not a kind of finding; the kinds are: races, barriers, "
                 "commands, "
                 "memory, undefined\n",
                 kind);
      return false;
    }
    begin = end + 1;
  }
  return true;
}

struct Outcome {
  size_t findings = 0, notes = 0;
  std::map<std::string, std::string> titles; // titles of the findings, by name
  std::map<std::string, size_t> kinds;       // how many findings, by kind
  std::vector<std::pair<std::string, uint64_t>> more;
  bool was_checked = false;
  std::set<unsigned> suppressions; // lines of the suppressions that were used
};

// Quotes a word for a shell.
std::string quoted(const std::string &word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,%@") == word.npos)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Returns the command that repeats the run. It uses one thread, so that the order is deterministic.
std::string command_again(const CheckCommand &command, long long seed) {
  std::string text = "lockstep check";
  if (command.only != CheckCommand().only)
    text += " --only " + quoted(command.only);
  if (command.strictly)
    text += " --strict";
  if (seed >= 0)
    text += fmt::format(" --seed {}", seed);
  text += " --threads 1";
  if (!command.kernel.empty())
    text += " --kernel " + quoted(command.kernel);
  if (!command.suppress.empty())
    text += " --suppress " + quoted(command.suppress);
  for (const std::string &word : command.app)
    text += ' ' + quoted(word);
  return text;
}

std::string title_of(const nlohmann::json &finding) {
  std::string text = fmt::format("{} in '{}'", finding.value("kind", ""),
                                 finding.value("title", finding.value("kernel", "")));
  const char *between = " at";
  for (const auto &place : finding.value("places", nlohmann::json::array())) {
    if (const auto line = place.value("line", 0u)) {
      const std::string name = place.value("file", "");
      text += fmt::format("{} {}:{}:{}", std::exchange(between, " and"),
                          name.empty() ? "<source>" : name, line, place.value("column", 0u));
    }
  }
  return text;
}

void read(const std::string &file, Outcome &outcome) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto report = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!report.is_object())
      continue;
    outcome.was_checked |= report.contains("checked");
    if (report.contains("suppressed"))
      outcome.suppressions.insert(report.value("suppressed", 0u));
    if (report.contains("more") && outcome.titles.contains(report.value("of", "")))
      outcome.more.emplace_back(outcome.titles[report.value("of", "")],
                                report.value("more", uint64_t(0)));
    if (!report.contains("kind"))
      continue;
    const bool is_note = report.value("note", false);
    ++(is_note ? outcome.notes : outcome.findings);
    if (!is_note)
      ++outcome.kinds[report.value("kind", "")];
    outcome.titles[report.value("id", "")] = title_of(report);
  }
}

// While the program runs, termination signals go to the program, and its findings are still
// reported after it ends. The program receives signals of the terminal by itself; other signals are
// passed on.
class SignalsOfTheProgram {
public:
  SignalsOfTheProgram() {
    for (size_t i = 0; i != std::size(signals); ++i) {
      struct sigaction action = {};
      sigemptyset(&action.sa_mask);
      action.sa_flags = SA_RESTART;
      action.sa_handler = signals[i] == SIGINT || signals[i] == SIGQUIT ? SIG_IGN : pass_on;
      sigaction(signals[i], &action, &before_[i]);
    }
  }
  ~SignalsOfTheProgram() { end(); }
  SignalsOfTheProgram(const SignalsOfTheProgram &) = delete;
  SignalsOfTheProgram &operator=(const SignalsOfTheProgram &) = delete;
  void end() const {
    for (size_t i = 0; i != std::size(signals); ++i)
      sigaction(signals[i], &before_[i], nullptr);
  }
  static inline volatile pid_t program = 0;

private:
  static void pass_on(int number) {
    if (program > 0)
      kill(program, number);
  }
  static constexpr int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)];
};

// Makes a path absolute, because the program may change its working directory.
std::string absolute(const std::string &file) {
  std::error_code failed;
  const auto place = std::filesystem::absolute(file, failed);
  return failed ? file : place.string();
}

// Returns the exit status of the program in the shell's encoding; nothing if it could not be
// started.
std::optional<int> run(const CheckCommand &command, long long seed, const std::string &file) {
  std::vector<char *> arguments;
  for (const std::string &argument : command.app)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0)
    return std::nullopt;
  const SignalsOfTheProgram signals;
  const pid_t child = fork();
  if (child == 0) {
    signals.end();
    setenv("LOCKSTEP_CHECK", (command.only + (command.strictly ? ",strict" : "")).c_str(), 1);
    setenv("LOCKSTEP_CHECK_FILE", file.c_str(), 1);
    if (!command.json.empty()) {
      setenv("LOCKSTEP_CHECK_JSON", absolute(command.json).c_str(), 1);
      setenv("LOCKSTEP_CHECK_AGAIN", command_again(command, seed).c_str(), 1);
    }
    if (!command.kernel.empty())
      setenv("LOCKSTEP_CHECK_KERNEL", command.kernel.c_str(), 1);
    if (!command.suppress.empty())
      setenv("LOCKSTEP_CHECK_SUPPRESS", absolute(command.suppress).c_str(), 1);
    if (seed >= 0)
      setenv("LOCKSTEP_SCHEDULE", fmt::format("shuffle:{}", seed).c_str(), 1);
    if (command.threads > 0)
      setenv("LOCKSTEP_THREADS", std::to_string(command.threads).c_str(), 1);
    if (command.threads == 1)
      setenv("LOCKSTEP_CHECK_NAMES", "both", 1); // a user repeats a run to see more details
    execvp(arguments[0], arguments.data());
    const int problem = errno;
    if (::write(started[1], &problem, sizeof problem) < 0)
      _exit(126);
    _exit(127);
  }
  SignalsOfTheProgram::program = child;
  close(started[1]);
  int problem = 0;
  const bool failed = child < 0 || ::read(started[0], &problem, sizeof problem) > 0;
  close(started[0]);
  int status = 0;
  if (child > 0)
    waitpid(child, &status, 0);
  SignalsOfTheProgram::program = 0;
  if (failed) {
    fmt::print(stderr, "lockstep check: '{}' cannot be run: {}\n", command.app[0],
               std::strerror(child < 0 ? errno : problem));
    return std::nullopt;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void print_unused_suppressions(const std::vector<runtime::Suppression> &suppressions,
                               const Outcome &outcome, const std::string &file) {
  for (const runtime::Suppression &suppression : suppressions)
    if (!outcome.suppressions.contains(suppression.line))
      fmt::print(stderr, "lockstep check: {}:{}: this has suppressed nothing\n", file,
                 suppression.line);
}

int print_result(const CheckCommand &command, const Outcome &found, int status, long long seed) {
  const std::string notes =
      found.notes ? fmt::format(", {} note{}", found.notes, found.notes == 1 ? "" : "s") : "";
  if (!found.was_checked) {
    fmt::print(stderr,
               "lockstep check: nothing was checked: the program has run no kernel here{}\n",
               command.kernel.empty() ? "" : fmt::format(" that matches '{}'", command.kernel));
    fmt::print(stderr, "SUMMARY: lockstep check: nothing was checked\n");
    return nothing_was_checked;
  }
  if (!found.findings) {
    fmt::print(stderr,
               "lockstep check: nothing found{0}\nSUMMARY: lockstep check: nothing found{0}\n",
               notes);
    return status;
  }
  for (const auto &[title, more] : found.more)
    fmt::print(stderr, "lockstep check: {} more of {}\n", more, title);
  fmt::print(stderr, "lockstep check: {} finding{}{}\nagain: {}\n", found.findings,
             found.findings == 1 ? "" : "s", notes, command_again(command, seed));
  std::string kinds;
  for (const auto &[kind, many] : found.kinds)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", many, kind);
  fmt::print(stderr, "SUMMARY: lockstep check: {} finding{} ({}){}\n", found.findings,
             found.findings == 1 ? "" : "s", kinds, notes);
  return command.exit_code;
}

// Checks that the output file can be written before the program runs, because the run may take
// long.
bool can_be_written(const std::string &file) {
  if (file.empty())
    return true;
  const auto opened = open_output(file, OutputMode::append);
  if (!opened)
    fmt::print(stderr, "lockstep check: {} cannot be written: {}\n", file, opened.error().message);
  return bool(opened);
}

bool has_races(const CheckCommand &command) {
  return ("," + command.only + ",").find(",races,") != std::string::npos;
}

int check(const CheckCommand &command) {
  if (!are_known(command.only) || !can_be_written(command.json))
    return request_was_wrong;
  if (command.strictly && !has_races(command)) {
    fmt::print(stderr, "lockstep check: --strict is for races, which '--only {}' leaves out\n",
               command.only);
    return request_was_wrong;
  }
  std::vector<runtime::Suppression> suppressions;
  if (!command.suppress.empty()) {
    auto read = runtime::read_suppressions(command.suppress);
    if (!read) {
      fmt::print(stderr, "lockstep check: {}\n", read.error().message);
      return request_was_wrong;
    }
    suppressions = std::move(*read);
  }
  Outcome found;
  int first_status = 0;
  long long seed_that_found = command.seed;
  for (int i = 0; i != command.schedules; ++i) {
    const long long seed = command.schedules == 1 ? command.seed : std::max(command.seed, 0LL) + i;
    const TemporaryFile file("lockstep-check-");
    if (!file.is_made()) {
      fmt::print(stderr, "lockstep check: {} cannot be created: {}\n", file.path(),
                 std::strerror(errno));
      return 1;
    }
    const auto status = run(command, seed, file.path());
    if (!status)
      return request_was_wrong;
    const size_t before = found.findings;
    read(file.path(), found);
    if (before == 0 && found.findings != 0)
      seed_that_found = seed;
    if (first_status == 0)
      first_status = *status;
  }
  print_unused_suppressions(suppressions, found, command.suppress);
  return print_result(command, found, first_status, seed_that_found);
}

} // namespace

void add_check(CLI::App &app, int &exit_code) {
  auto command = std::make_shared<CheckCommand>();
  CLI::App *sub = app.add_subcommand("check", "run a program and look for wrong synchronization");
  sub->footer("Status: the program's own if nothing was found, 66 if something was, 3 if nothing "
              "was checked, 2 if the request was wrong.\n"
              "Example: lockstep check --seed 7 --threads 1 ./app its arguments");
  sub->add_option("--only", command->only,
                  "kinds of findings, with commas between (races, barriers, commands, memory, "
                  "undefined; default: races,barriers)");
  sub->add_flag("--strict", command->strictly,
                "races by the letter of the specification, where the check is milder otherwise");
  sub->add_option("--kernel", command->kernel,
                  "check only kernels whose names match, e.g. 'sum_*'");
  sub->add_option("--seed", command->seed, "start work-groups in a random order")
      ->type_name("N")
      ->check(CLI::Range(0LL, 1'000'000'000'000LL).description(""));
  sub->add_option("--schedules", command->schedules,
                  "run the program so often, each time in another random order")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""));
  sub->add_option("--suppress", command->suppress,
                  "a file of findings that are not reported: lines such as "
                  "'race kernel=sum_* at=sum.cl:117 argument=results'");
  sub->add_option("--threads", command->threads, "threads that run work-groups; 1 repeats exactly")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  sub->add_option("--json", command->json, "append what was found to this file, a line each");
  sub->add_option("--exit-code", command->exit_code, "status if something was found")
      ->type_name("N")
      ->check(CLI::Range(1, 255).description(""));
  sub->add_option("app", command->app, "the program and its arguments")->required();
  sub->positionals_at_end();
  sub->prefix_command();
  sub->callback([command, sub, &exit_code] {
    // Rejects unknown options. CLI11 would leave them over and the program would run without them.
    const std::vector<std::string> left = sub->remaining();
    const auto unknown = std::find_if(left.begin(), left.end(),
                                      [](const std::string &word) { return word != "--"; });
    if (unknown != left.end()) {
      fmt::print(stderr, "lockstep check: '{}' is not an option; see lockstep check --help\n",
                 *unknown);
      exit_code = request_was_wrong;
      return;
    }
    for (const auto &[option, value] :
         {std::pair("--suppress", &command->suppress), std::pair("--json", &command->json),
          std::pair("--kernel", &command->kernel)})
      if (sub->count(option) && value->empty()) {
        fmt::print(stderr, "lockstep check: {} is given, but empty\n", option);
        exit_code = request_was_wrong;
        return;
      }
    exit_code = check(*command);
  });
}

} // namespace lockstep::cli
