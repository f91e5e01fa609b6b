#include "supervise.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::fuzz {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Child {
  pid_t pid;
  int output;
};

Child start_child(const std::vector<std::string> &arguments) {
  int ends[2];
  if (pipe(ends) != 0)
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

Verdict end_of(int status, std::string *how) {
  if (WIFSIGNALED(status)) {
    if (how)
      *how = strsignal(WTERMSIG(status));
    return Verdict::crash;
  }
  const int code = WEXITSTATUS(status);
  if (code > int(Verdict::illegal) &&
      code != int(Verdict::unusable)) { // abort handlers and the like end with codes of their own
    if (how)
      *how = "exit code " + std::to_string(code);
    return Verdict::crash;
  }
  return Verdict(code);
}

} // namespace

Verdict run_child(const std::vector<std::string> &arguments, double silence,
                  const std::function<bool(const std::string &)> &line, std::string *how) {
  Child child = start_child(arguments);
  std::string pending;
  bool ended_by_us = false, hang = false;
  char buffer[4096];
  while (!ended_by_us) {
    pollfd waiting{child.output, POLLIN, 0};
    if (poll(&waiting, 1, int(silence * 1000)) == 0) {
      hang = ended_by_us = true;
      break;
    }
    ssize_t got = read(child.output, buffer, sizeof buffer);
    if (got <= 0)
      break;
    pending.append(buffer, size_t(got));
    for (size_t end; !ended_by_us && (end = pending.find('\n')) != std::string::npos;
         pending.erase(0, end + 1))
      ended_by_us = !line(pending.substr(0, end));
  }
  if (ended_by_us)
    kill(child.pid, SIGKILL);
  close(child.output);
  int status = 0;
  waitpid(child.pid, &status, 0);
  if (hang) {
    if (how)
      *how = "nothing happened for " + std::to_string(int(silence)) + " s";
    return Verdict::hang;
  }
  return ended_by_us ? Verdict::same : end_of(status, how);
}

namespace {

class CampaignRun {
public:
  explicit CampaignRun(const Campaign &campaign)
      : campaign_(campaign), next_(campaign.first_seed) {}
  int run();

private:
  bool finished() const {
    return campaign_.seconds ? since(start_) > *campaign_.seconds
                             : next_ >= campaign_.first_seed + campaign_.count;
  }
  void batch();
  void failure(uint64_t seed, Verdict verdict, const std::string &sentence);

  const Campaign &campaign_;
  Clock::time_point start_ = Clock::now();
  uint64_t next_, tested_ = 0;
  std::vector<std::pair<uint64_t, Verdict>> failures_;
};

void CampaignRun::failure(uint64_t seed, Verdict verdict, const std::string &sentence) {
  failures_.emplace_back(seed, verdict);
  std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed), name(verdict),
              sentence.c_str());
  std::fflush(stdout);
}

// A worker takes seeds in order and says "seed verdict sentence" after each; it dies with the seed
// that kills it.
void CampaignRun::batch() {
  const uint64_t per_worker = 200; // so that what a platform leaks does not pile up
  uint64_t last = next_ + per_worker;
  if (!campaign_.seconds)
    last = std::min(last, campaign_.first_seed + campaign_.count);
  auto line = [&](const std::string &text) {
    char verdict[16] = "";
    unsigned long long seed = 0;
    int consumed = 0;
    if (std::sscanf(text.c_str(), "@ %llu %15s %n", &seed, verdict, &consumed) < 2)
      return true; // the platform's own output
    ++tested_;
    next_ = seed + 1;
    for (Verdict v : {Verdict::differs, Verdict::problem, Verdict::illegal})
      if (!std::strcmp(verdict, name(v)))
        failure(seed, v, text.substr(size_t(consumed)));
    return !finished();
  };
  std::string how;
  Verdict end = run_child({"--worker", "--platform", campaign_.platform, "--seed",
                           std::to_string(next_), "--count", std::to_string(last - next_)},
                          campaign_.time_limit, line, &how);
  if (end == Verdict::crash || end == Verdict::hang) {
    ++tested_;
    failure(next_++, end, how);
  } else if (end == Verdict::unusable) { // it has said why
    throw std::runtime_error("the worker could not start");
  }
}

int CampaignRun::run() {
  std::printf("%s, from seed %llu\n", campaign_.platform.c_str(),
              static_cast<unsigned long long>(next_));
  std::fflush(stdout);
  while (!finished())
    batch();
  std::printf("%llu programs, %zu failures, %.0f s\n", static_cast<unsigned long long>(tested_),
              failures_.size(), since(start_));
  std::fflush(stdout);
  for (size_t i = 0; i < failures_.size() && i < size_t(campaign_.reports); ++i) {
    auto echo = [](const std::string &text) { return std::puts(text.c_str()) >= 0; };
    run_child(
        {"--one", "--platform", campaign_.platform, "--seed", std::to_string(failures_[i].first)},
        campaign_.time_limit, echo);
    std::fflush(stdout);
  }
  return failures_.empty() ? 0 : 1;
}

} // namespace

int run_campaign(const Campaign &campaign) {
  return CampaignRun(campaign).run();
}

} // namespace lockstep::fuzz
