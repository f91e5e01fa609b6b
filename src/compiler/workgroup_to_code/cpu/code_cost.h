// How much work the code generator will have with a module, as a number that depends on the IR alone.
//
// LLVM's register coalescer and the splitting of live ranges take time by the square of how many blocks a value lives
// through: a switch of 400 cases in lanes, with a mask for each and three values to choose from, takes 7 s at 8 lanes and
// 22 s at 64 if each skipped way has tests of its own, and selecting instructions is a tenth of it. Nothing in LLVM bounds
// that, and a pass cannot be interrupted.
#pragma once

#include <cstdint>

namespace llvm {
class Module;
}

namespace lockstep::compiler {

struct CodeCost {
  uint64_t values = 0;    // the registers that each value needs, times 3000
  uint64_t crossings = 0; // the same times the square of the number of blocks that it lives through
};

// Registers have `vector_bits`. Looks no further once `crossings` alone are above `limit`.
CodeCost code_cost(const llvm::Module &module, uint32_t vector_bits, uint64_t limit);

} // namespace lockstep::compiler
