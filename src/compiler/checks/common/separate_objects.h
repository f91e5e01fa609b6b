// Separates accesses to several objects that share one instruction.
//
// LLVM merges `if (first) x = in[i]; else x = sums[i];` to one load through a pointer that is either
// `in` or `sums`. What is known of one object (nothing writes it, the launch knows its size) is then
// lost, because the instruction also accesses the other one.
//
// Requires: the kernel of one work-item, in SSA form.
// Ensures: a plain load or store through a pointer that phis and selects choose among few arguments,
//   members or variables becomes one access for each of them, behind branches on which one it is.
//   Nothing is moved.
// Why here: before the passes that insert checks, and after the optimization that merges accesses.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SeparateObjectsPass : public llvm::PassInfoMixin<SeparateObjectsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
