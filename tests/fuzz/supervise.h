// Runs seeds in child processes, so that a crash or a hang of the tested platform is a finding and
// does not end the campaign.
#pragma once

#include "run_child.h"

#include <optional>
#include <string>

namespace lockstep::fuzz {

struct Campaign {
  std::string platform;
  uint64_t first_seed = 1;
  uint64_t count = 1;
  std::optional<double> seconds; // in place of a count
  TimeLimits limits;             // for one program
  int reports = 3;               // number of failures that are printed in full
  bool all_settings = false;     // settings.h; otherwise the environment's
  bool mazes = false;            // Capabilities
  int jobs = 1;                  // programs at the same time
  std::string folder{};          // for failures as files, each in a folder of its own: save.h
};

// Exit code: 0 if every program agreed. One that is slow to compile is counted, but is no failure.
int run_campaign(const Campaign &campaign);

// Cuts as much as possible from the program of a failing seed, and prints the rest.
int reduce(const Campaign &campaign);

} // namespace lockstep::fuzz
