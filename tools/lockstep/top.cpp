// lockstep top: shows what programs that use Lockstep currently do.
//
// A program creates a socket when one of its commands has run for more than a second
// (src/runtime/launch/cpu/diagnostics/watch.h). This command also removes sockets of ended
// programs.
#include "platform/linux/status_folder.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <dirent.h>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TopOptions {
  bool json = false, once = false;
  double interval = 1;
  std::optional<int> process;
};

std::optional<Json> answer_of(const std::string &path) {
  const int fd = connect_to_status(path);
  if (fd < 0) {
    if (errno == ECONNREFUSED)
      unlink(path.c_str()); // the process that created it has ended
    return std::nullopt;
  }
  std::string text;
  char part[4096];
  for (ssize_t size; (size = ::read(fd, part, sizeof part)) > 0;)
    text.append(part, std::size_t(size));
  close(fd);
  Json answer = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object())
    return std::nullopt;
  return answer;
}

std::vector<Json> ask_all(const TopOptions &options) {
  std::vector<Json> answers;
  const std::string folder = status_folder();
  if (!is_safe_folder(folder))
    return answers; // the folder does not exist or is not trustworthy
  DIR *files = opendir(folder.c_str());
  if (!files)
    return answers;
  std::vector<std::string> names;
  while (const dirent *entry = readdir(files))
    if (std::string_view(entry->d_name).ends_with(".sock"))
      names.emplace_back(entry->d_name);
  closedir(files);
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    if (options.process && !name.starts_with(std::to_string(*options.process) + "."))
      continue;
    if (auto answer = answer_of(folder + "/" + name))
      answers.push_back(std::move(*answer));
  }
  return answers;
}

std::string in_words(const std::vector<Json> &answers) {
  if (answers.empty())
    return "no command has been running for more than 1 s\n";
  std::string text;
  for (const Json &answer : answers) {
    text += colored(Color::bold, fmt::format("{} (process {})", answer.value("program", ""),
                                             answer.value("pid", 0))) +
            "\n";
    const Json launches = answer.value("launches", Json::array());
    if (launches.empty())
      text += "  no command runs\n";
    for (const Json &launch : launches) {
      text += "  ";
      for (char c : launch.value("text", ""))
        text += c == '\n' ? std::string("\n  ") : std::string(1, c);
      text += '\n';
    }
  }
  return text;
}

int top(const TopOptions &options) {
  const bool refreshes = !options.once && !options.json && isatty(fileno(stdout));
  for (;;) {
    const std::vector<Json> answers = ask_all(options);
    if (options.json)
      fmt::print("{}\n",
                 Json(answers).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    else
      fmt::print("{}{}", refreshes ? "\033[H\033[2J" : "", in_words(answers));
    std::fflush(stdout);
    if (!refreshes)
      return options.process && answers.empty() ? 1 : 0;
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
  }
}

} // namespace

void add_top(CLI::App &app, int &exit_code) {
  CLI::App *command = app.add_subcommand("top", "what programs do that run kernels right now");
  auto options = std::make_shared<TopOptions>();
  command->add_flag("--json", options->json, "as JSON, once");
  command->add_flag("--once", options->once, "once, also on a terminal");
  command->add_option("--interval", options->interval, "seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0));
  command->add_option("--pid", options->process, "of this process only");
  command->footer(
      "Launches on the CPU: work-groups that are done, that wait and that run, and where they "
      "wait\n"
      "for what. A program can be asked once a command of it has run for more than a second. "
      "Where\n"
      "the program was started with LOCKSTEP_SIGQUIT=1, Ctrl+\\ in its terminal shows the same.");
  command->callback([options, &exit_code] { exit_code = top(*options); });
}

} // namespace lockstep::cli
