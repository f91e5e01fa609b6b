// The reference: executes a program's syntax tree work-item by work-item. It shares nothing with a
// compiler: no IR, no regions, no loops over work-items made by splitting code. A barrier stops one
// work-item, and the next one runs.
//
// It also proves that the program was worth running: every access to memory that work-items share
// is checked, and a race or a barrier that not all items reach is an error of the generator
// (Outcome::illegal).
#pragma once

#include "program.h"

namespace lockstep::fuzz {

// The content of a global array before the launch.
std::vector<uint8_t> initial_memory(const Program &program, const Array &array);

// The numbers in the packets that were written into a pipe: the first `count`.
void sort_packets(std::vector<uint8_t> &memory, size_t count);

struct Outcome {
  std::vector<std::vector<uint8_t>>
      memory; // for each array of the program; empty if it has none in global memory
  std::vector<std::string> lines; // printed, in any order
  // Of arrays of estimates, for each lane of each element: how far off it may be.
  std::vector<std::vector<double>> errors;
  std::string illegal; // why the program must not be run; empty if it may
};

// Nobody says which sign a NaN has that an operation gives, so no result may depend on it; `any` is
// what comes of it on this machine.
enum class NanSign : uint8_t { any, plus, minus };

Outcome interpret(const Program &program, NanSign nan_sign = NanSign::any);

} // namespace lockstep::fuzz
