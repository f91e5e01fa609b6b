// What the programs of this folder have in common: their options, and runs that are counted.
#pragma once

#include <cstdint>
#include <functional>

namespace lockstep::fuzz {

struct Ended {
  bool agrees; // the checker with the oracle
  bool has_race;
};
using OneRun = std::function<Ended(uint64_t seed, bool shows)>;

// The program from its options on: runs of `count` seeds, unless they say otherwise. Returns its exit code; races in none or
// in all of the runs would test nothing, and count as a failure.
int run_seeds(int argc, char **argv, uint64_t count, const OneRun &run);

// How much the checker has told so far.
uint64_t told();

} // namespace lockstep::fuzz
