// A random process: its threads build, launch, map, cancel and release; it forks and ends at a
// random time in a random way. The seed determines the actions of each thread; the scheduler
// determines their timing.
#pragma once

#include <cstdint>

namespace lockstep::test {

// Prints "ends <code>" before it exits with that code, and "WRONG: ..." for each unexpected result.
[[noreturn]] void run_random_process(uint64_t seed);

} // namespace lockstep::test
