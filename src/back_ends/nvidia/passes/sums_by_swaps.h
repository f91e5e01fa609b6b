// Atomic sums by loops of compare-and-swap, where the hardware's sum is not what OpenCL wants.
#pragma once

#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

// Writes a loop before `where` that does what `sum` does, an atomicrmw fadd, and returns the value
// before the sum. Splits the block of `where`. `sum` stays.
llvm::Value *add_by_swaps(llvm::AtomicRMWInst &sum, llvm::Instruction &where);

} // namespace lockstep::compiler
