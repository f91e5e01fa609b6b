#include "supervise.h"

#include "settings.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace lockstep::fuzz {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class CampaignRun {
public:
  explicit CampaignRun(const Campaign &campaign)
      : campaign_(campaign), next_(campaign.first_seed) {}
  int run();

private:
  struct Batch {
    uint64_t first, end;
  };
  bool late() const { return campaign_.seconds && since(start_) > *campaign_.seconds; }
  bool take(Batch &batch);
  void run(Batch batch);
  void work();
  void count(uint64_t seed, Verdict verdict, const std::string &sentence);
  void report(uint64_t seed) const;

  const Campaign &campaign_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_; // guards the members below
  uint64_t next_, tested_ = 0, slow_ = 0;
  std::vector<std::pair<uint64_t, Verdict>> failures_;
  std::string broken_; // why no more workers are started
};

// Takes the seeds for one worker.
bool CampaignRun::take(Batch &batch) {
  const std::scoped_lock lock(mutex_);
  const uint64_t end = campaign_.first_seed + campaign_.count;
  if (!broken_.empty() || late() || (!campaign_.seconds && next_ >= end))
    return false;
  // A new process from time to time limits the memory that a platform leaks.
  const uint64_t room = campaign_.all_settings ? seeds_of_setting - next_ % seeds_of_setting : 200;
  batch = {next_, next_ + room};
  if (!campaign_.seconds)
    batch.end = std::min(batch.end, end);
  next_ = batch.end;
  return true;
}

void CampaignRun::count(uint64_t seed, Verdict verdict, const std::string &sentence) {
  const std::scoped_lock lock(mutex_);
  ++tested_;
  if (verdict == Verdict::same)
    return;
  if (verdict == Verdict::slow)
    ++slow_;
  else
    failures_.emplace_back(seed, verdict);
  std::printf("seed %llu%s: %s: %s\n", static_cast<unsigned long long>(seed),
              campaign_.all_settings ? (" (" + describe(settings_of(seed)) + ")").c_str() : "",
              name(verdict), sentence.c_str());
  std::fflush(stdout);
}

// A worker takes seeds in order and prints "seed verdict sentence" after each. It dies at a seed
// that crashes it, and another worker continues after that seed.
void CampaignRun::run(Batch batch) {
  while (batch.first < batch.end && !late()) {
    auto line = [&](const std::string &text) {
      char verdict[16] = "";
      unsigned long long seed = 0;
      int consumed = 0;
      if (std::sscanf(text.c_str(), "@ %llu %15s %n", &seed, verdict, &consumed) < 2)
        return true; // the platform's own output
      batch.first = seed + 1;
      for (Verdict v : {Verdict::same, Verdict::differs, Verdict::problem, Verdict::illegal})
        if (!std::strcmp(verdict, name(v)))
          count(seed, v, text.substr(size_t(consumed)));
      return !late();
    };
    std::string how;
    std::vector<std::string> arguments{"--worker",
                                       "--platform",
                                       campaign_.platform,
                                       "--seed",
                                       std::to_string(batch.first),
                                       "--count",
                                       std::to_string(batch.end - batch.first)};
    if (campaign_.all_settings)
      arguments.push_back("--all-settings");
    if (campaign_.mazes)
      arguments.push_back("--mazes");
    const Verdict end = run_child(arguments, campaign_.limits, line, &how);
    if (end == Verdict::crash || end == Verdict::hang || end == Verdict::slow) {
      count(batch.first++, end, how);
    } else if (end == Verdict::unusable) { // it has printed the reason
      const std::scoped_lock lock(mutex_);
      broken_ = "the worker could not start";
      return;
    }
  }
}

void CampaignRun::work() {
  for (Batch batch{}; take(batch);)
    run(batch);
}

void CampaignRun::report(uint64_t seed) const {
  auto echo = [](const std::string &text) { return std::puts(text.c_str()) >= 0; };
  std::vector<std::string> arguments{"--one", "--platform", campaign_.platform, "--seed",
                                     std::to_string(seed)};
  if (campaign_.all_settings)
    arguments.push_back("--all-settings");
  if (campaign_.mazes)
    arguments.push_back("--mazes");
  if (!campaign_.folder.empty())
    arguments.insert(arguments.end(), {"--save", campaign_.folder + "/" + std::to_string(seed)});
  run_child(arguments, campaign_.limits, echo);
  std::fflush(stdout);
}

int CampaignRun::run() {
  std::printf("%s, from seed %llu\n", campaign_.platform.c_str(),
              static_cast<unsigned long long>(next_));
  std::fflush(stdout);
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < campaign_.jobs; ++i)
      others.emplace_back([this] { work(); });
    work();
  }
  if (!broken_.empty())
    throw std::runtime_error(broken_);
  std::printf("%llu programs, %zu failures, %llu slow to compile, %.0f s\n",
              static_cast<unsigned long long>(tested_), failures_.size(),
              static_cast<unsigned long long>(slow_), since(start_));
  std::fflush(stdout);
  for (size_t i = 0; i < failures_.size() && i < size_t(campaign_.reports); ++i)
    report(failures_[i].first);
  return failures_.empty() ? 0 : 1;
}

} // namespace

int run_campaign(const Campaign &campaign) {
  return CampaignRun(campaign).run();
}

} // namespace lockstep::fuzz
