// Runs seeds in child processes, so that a crash or a hang of the tested platform is a finding and
// not the end.
#pragma once

#include "compare.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// A child of this same program. `line` gets each line of its output as it comes, and returns false
// to end the child. Returns how the child ended: its exit code as a verdict, crash, or hang if it
// said nothing for `silence` seconds.
Verdict run_child(const std::vector<std::string> &arguments, double silence,
                  const std::function<bool(const std::string &)> &line, std::string *how = nullptr);

struct Campaign {
  std::string platform;
  uint64_t first_seed = 1;
  uint64_t count = 1;
  std::optional<double> seconds; // instead of a count
  double time_limit = 60;        // for one program
  int reports = 3;               // how many failures are printed in full
  bool all_settings = false;     // settings.h; else those of the environment
  bool mazes = false;            // Capabilities
  int jobs = 1;                  // programs at a time
  std::string folder{};          // of failures as files, each in a folder of its own: save.h
};

// Exit code: 0 if every program agreed.
int run_campaign(const Campaign &campaign);

// Leaves out as much as it can of the program of a failing seed, and prints the rest.
int reduce(const Campaign &campaign);

} // namespace lockstep::fuzz
