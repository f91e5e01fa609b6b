// Runs seeds in child processes, so that a crash or a hang of the tested platform is a finding and
// does not end the campaign.
#pragma once

#include "compare.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// Runs a child of this same program. `line` receives each line of its output and returns false to
// end the child. Returns how the child ended: its exit code as a verdict, crash, or hang if it
// printed nothing for `silence` seconds.
Verdict run_child(const std::vector<std::string> &arguments, double silence,
                  const std::function<bool(const std::string &)> &line, std::string *how = nullptr);

struct Campaign {
  std::string platform;
  uint64_t first_seed = 1;
  uint64_t count = 1;
  std::optional<double> seconds; // in place of a count
  double time_limit = 60;        // for one program
  int reports = 3;               // number of failures that are printed in full
  bool all_settings = false;     // settings.h; otherwise the environment's
  bool mazes = false;            // Capabilities
  int jobs = 1;                  // programs at the same time
  std::string folder{};          // for failures as files, each in a folder of its own: save.h
};

// Exit code: 0 if every program agreed.
int run_campaign(const Campaign &campaign);

// Cuts as much as possible from the program of a failing seed, and prints the rest.
int reduce(const Campaign &campaign);

} // namespace lockstep::fuzz
