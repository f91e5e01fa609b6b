// Reduces a failing program: removes each part that is not needed for the failure. A program is its
// seed and the numbers of the parts that are cut (compare.h). So each attempt is a child process
// with a list of numbers, and crashes reduce like wrong results. If a cut makes the program illegal
// (a race where a barrier is missing), the interpreter rejects it.
#include "supervise.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace lockstep::fuzz {

namespace {

std::string joined(const std::set<int> &numbers) {
  std::string text;
  for (int number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

} // namespace

int reduce(const Campaign &campaign) {
  const uint64_t seed = campaign.first_seed;
  int part_count = 0;
  auto arguments = [&](const std::set<int> &cuts) {
    std::vector<std::string> list{"--one",     "--platform",         campaign.platform,
                                  "--seed",    std::to_string(seed), "--cut",
                                  joined(cuts)};
    if (campaign.all_settings)
      list.push_back("--all-settings");
    if (campaign.mazes)
      list.push_back("--mazes");
    return list;
  };
  auto attempt = [&](const std::set<int> &cuts) {
    auto line = [&](const std::string &text) {
      std::sscanf(text.c_str(), "@ parts %d", &part_count);
      return true;
    };
    std::vector<std::string> quiet = arguments(cuts);
    quiet.push_back("--quiet");
    return run_child(quiet, campaign.limits, line);
  };
  const Verdict wanted = attempt({});
  if (wanted == Verdict::same || wanted == Verdict::illegal || wanted == Verdict::unusable) {
    std::printf("seed %llu: %s; nothing to reduce\n", static_cast<unsigned long long>(seed),
                name(wanted));
    return 1;
  }
  std::set<int> cuts;
  // Cuts runs of adjacent parts at once, with halving lengths down to single parts; repeats while
  // it makes progress.
  for (bool progress = true; progress;) {
    progress = false;
    for (int run = std::max(1, part_count / 4); run >= 1; run /= 2)
      for (int at = 0; at < part_count; at += run) {
        std::set<int> more = cuts;
        for (int i = at; i < std::min(at + run, part_count); ++i)
          more.insert(i);
        if (more == cuts || attempt(more) != wanted)
          continue;
        cuts = more;
        progress = true;
        std::fprintf(stderr, "\r%zu of %d parts left  ", part_count - cuts.size(), part_count);
      }
  }
  std::fprintf(stderr, "\n");
  std::printf("replay:");
  for (const std::string &argument : arguments(cuts))
    std::printf(" %s", argument.c_str());
  std::printf("\n");
  std::fflush(stdout);
  auto echo = [](const std::string &text) { return std::puts(text.c_str()) >= 0; };
  run_child(arguments(cuts), campaign.limits, echo);
  return 0;
}

} // namespace lockstep::fuzz
