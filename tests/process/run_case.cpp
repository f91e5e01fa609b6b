#include "run_case.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace lockstep::test {
namespace {

using Clock = std::chrono::steady_clock;

pid_t start(const std::string &name, const std::vector<std::string> &environment, int output) {
  std::vector<char *> variables;
  for (const std::string &one : environment)
    variables.push_back(const_cast<char *>(one.c_str()));
  for (char **one = environ; *one; ++one)
    variables.push_back(*one);
  variables.push_back(nullptr);
  char *arguments[] = {const_cast<char *>("process_test"), const_cast<char *>("case"),
                       const_cast<char *>(name.c_str()), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t process = -1;
  posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

} // namespace

// Waits for the end of the process, not of its output: a child that it left behind may hold the
// pipe open longer.
Ended run_case(const std::string &name, const std::vector<std::string> &environment,
               double seconds) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0)
    return {};
  const pid_t process = start(name, environment, pipe[1]);
  close(pipe[1]);
  fcntl(pipe[0], F_SETFL, O_NONBLOCK);
  Ended ended;
  const auto begin = Clock::now();
  int status = 0;
  auto read_all = [&] {
    char text[4096];
    for (ssize_t size; (size = read(pipe[0], text, sizeof text)) > 0;)
      ended.output.append(text, std::size_t(size));
  };
  while (waitpid(process, &status, WNOHANG) == 0) {
    pollfd readable{pipe[0], POLLIN, 0};
    poll(&readable, 1, 5);
    read_all();
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) {
      ended.hung = true;
      kill(process, SIGKILL);
    }
  }
  read_all();
  close(pipe[0]);
  if (WIFEXITED(status))
    ended.exit_code = WEXITSTATUS(status);
  else
    ended.signal = WTERMSIG(status);
  return ended;
}

int count_of(const std::string &text, const std::string &part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

} // namespace lockstep::test
