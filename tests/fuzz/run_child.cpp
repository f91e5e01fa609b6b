#include "run_child.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::fuzz {

namespace {

struct Child {
  pid_t pid;
  int output;
};

Child start_child(const std::vector<std::string> &arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) // or children of other threads would keep it open
    throw std::runtime_error("pipe failed");
  std::vector<const char *> argv{"fuzz"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  pid_t pid = fork();
  if (pid < 0)
    throw std::runtime_error("fork failed");
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv("/proc/self/exe", const_cast<char *const *>(argv.data()));
    _exit(127);
  }
  close(ends[1]);
  return {pid, ends[0]};
}

double processor_time(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
    return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// True if a thread of the process runs, waits for a processor, or waits for a disk.
bool is_runnable(pid_t pid) {
  std::error_code error;
  for (const auto &thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::string text;
    std::getline(std::ifstream(thread.path() / "stat"), text);
    const size_t name_end = text.rfind(')'); // a name may have any characters
    if (name_end != std::string::npos && name_end + 2 < text.size() &&
        std::strchr("RD", text[name_end + 2]))
      return true;
  }
  return false;
}

// Decides whether the child has reached a limit.
class Watch {
public:
  Watch(pid_t pid, const TimeLimits &limits) : pid_(pid), limits_(limits) {}

  void report(const std::string &line) {
    if (!line.starts_with('@'))
      return;
    runs_ = line == runs;
    idle_ = 0;
    busy_before_ = processor_time(pid_);
  }

  // Called when `seconds` have passed since the last call. Returns same while no limit is reached.
  Verdict look(double seconds, std::string &how) {
    idle_ += is_runnable(pid_) ? 0 : seconds;
    const double busy = processor_time(pid_) - busy_before_;
    auto in_all = [&](double limit) { return std::to_string(int(limit)) + " s"; };
    if (idle_ > limits_.run) {
      how = "no thread was runnable for " + in_all(limits_.run);
      return Verdict::hang;
    }
    if (runs_ && busy > limits_.run) {
      how = "the kernel ran for " + in_all(limits_.run) + " of processor time";
      return Verdict::hang;
    }
    if (!runs_ && busy > limits_.build) {
      how = "the program was compiled for " + in_all(limits_.build) + " of processor time";
      return Verdict::slow;
    }
    return Verdict::same;
  }

private:
  const pid_t pid_;
  const TimeLimits limits_;
  bool runs_ = false;
  double idle_ = 0, busy_before_ = 0;
};

Verdict end_of(int status, std::string &how) {
  if (WIFSIGNALED(status)) {
    how = strsignal(WTERMSIG(status));
    return Verdict::crash;
  }
  const int code = WEXITSTATUS(status);
  if (code > int(Verdict::illegal) &&
      code != int(Verdict::unusable)) { // abort handlers and others use exit codes of their own
    how = "exit code " + std::to_string(code);
    return Verdict::crash;
  }
  return Verdict(code);
}

} // namespace

Verdict run_child(const std::vector<std::string> &arguments, const TimeLimits &limits,
                  const std::function<bool(const std::string &)> &line, std::string *how) {
  using Clock = std::chrono::steady_clock;
  Child child = start_child(arguments);
  Watch watch(child.pid, limits);
  Verdict verdict = Verdict::same;
  std::string pending, reason;
  bool ended_by_us = false;
  char buffer[4096];
  Clock::time_point last = Clock::now();
  while (!ended_by_us) {
    pollfd waiting{child.output, POLLIN, 0};
    constexpr int milliseconds = 100;
    const int ready = poll(&waiting, 1, milliseconds);
    const Clock::time_point now = Clock::now();
    if (std::chrono::duration<double> passed = now - last; passed.count() >= 1e-3 * milliseconds) {
      verdict = watch.look(1e-3 * milliseconds, reason); // not `passed`: this process waits, too
      ended_by_us = verdict != Verdict::same;
      last = now;
    }
    if (ready == 0 || ended_by_us)
      continue;
    ssize_t got = read(child.output, buffer, sizeof buffer);
    if (got <= 0)
      break;
    pending.append(buffer, size_t(got));
    for (size_t end; !ended_by_us && (end = pending.find('\n')) != std::string::npos;
         pending.erase(0, end + 1)) {
      const std::string text = pending.substr(0, end);
      watch.report(text);
      ended_by_us = text != runs && !line(text);
    }
  }
  if (ended_by_us)
    kill(child.pid, SIGKILL);
  close(child.output);
  int status = 0;
  waitpid(child.pid, &status, 0);
  if (!ended_by_us)
    verdict = end_of(status, reason);
  if (how)
    *how = reason;
  return verdict;
}

} // namespace lockstep::fuzz
