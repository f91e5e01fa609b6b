// Estimates the code generator's work for a module, as a number that depends on the IR alone.
//
// LLVM's register coalescer and live-range splitting take time quadratic in the number of blocks
// through which a value is live. Example: a switch of 400 cases in lanes, with a mask for each case
// and three values to choose from. It takes 7 s at 8 lanes and 22 s at 64 if each skipped path has
// its own tests; instruction selection is a tenth of that. LLVM has no limit for this, and a pass
// cannot be interrupted.
#pragma once

#include <cstdint>

namespace llvm {
class Module;
}

namespace lockstep::compiler {

struct CodeCost {
  uint64_t values = 0; // the number of registers of each value, times 3000
  // The number of registers, times the square of the number of blocks where the value is live.
  uint64_t crossings = 0;
};

// Registers have `vector_bits`. Stops as soon as `crossings` alone exceeds `limit`.
CodeCost code_cost(const llvm::Module &module, uint32_t vector_bits, uint64_t limit);

} // namespace lockstep::compiler
