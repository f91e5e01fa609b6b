// One random process: threads that build, launch, map, cancel and release, in a program that forks and that ends at a random
// moment in a random way. The seed decides what each thread does; when, the system decides.
#pragma once

#include <cstdint>

namespace lockstep::test {

// Prints "ends <code>" before it ends with that code, and "WRONG: ..." for each thing that is not as promised.
[[noreturn]] void run_random_process(uint64_t seed);

} // namespace lockstep::test
