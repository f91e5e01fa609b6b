// The reference interpreter: executes the syntax tree of a program work-item by work-item.
//
// It shares no technique with a compiler: no IR, no regions, no loops over work-items. A barrier
// suspends one work-item, and the next one runs. It also validates the program: it checks every
// access to memory that work-items share. A race, or a barrier that not all items reach, is an
// error of the generator (Outcome::illegal).
#pragma once

#include "program.h"

namespace lockstep::fuzz {

// The content of a global array before the launch.
std::vector<uint8_t> initial_memory(const Program &program, const Array &array);

// Sorts the numbers in the first `count` packets that were written into a pipe.
void sort_packets(std::vector<uint8_t> &memory, size_t count);

struct Outcome {
  std::vector<std::vector<uint8_t>>
      memory; // for each array of the program; empty if it is not in global memory
  std::vector<std::string> lines; // printed, in any order
  // For arrays of estimates, the error bound of each lane of each element.
  std::vector<std::vector<double>> errors;
  std::string illegal; // why the program must not run; empty if it may
};

// The sign of a NaN that an operation returns is unspecified, so no result may depend on it. `any`:
// the sign that this machine produces.
enum class NanSign : uint8_t { any, plus, minus };

Outcome interpret(const Program &program, NanSign nan_sign = NanSign::any);

} // namespace lockstep::fuzz
