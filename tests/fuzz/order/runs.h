// Common parts of the programs of this folder: options, and counted runs.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::fuzz {

struct Ended {
  bool agrees; // the checker and the oracle
  bool has_race;
};
using OneRun = std::function<Ended(uint64_t seed, bool shows)>;

// Runs `count` seeds, unless the options change that. Returns the exit code of the program. Races
// in none or in all of the runs would test nothing and count as a failure.
int run_seeds(int argc, char **argv, uint64_t count, const OneRun &run);

// The number of reports that the checker has made so far.
uint64_t told();

} // namespace lockstep::fuzz
