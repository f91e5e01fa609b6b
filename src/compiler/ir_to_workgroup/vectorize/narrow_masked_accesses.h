// A masked load or store whose active lanes are known and stand together becomes a plain one of
// those lanes; a gather or scatter of which a few lanes are active becomes one access for each.
//
// Input:  the work-group function after the final optimisation, which folds masks to constants.
// Output: no masked access has a constant mask whose true lanes are a run of 1, 2, 4, ... lanes, no
//         gather and scatter one with a few true lanes.
//
// Cheaper: the last steps of a tree have 8, 4, 2 and 1 active lanes, and what a narrow store wrote
// the next load gets from the store buffer, while many CPUs make it wait for a masked one.
//
// And necessary: for a masked store of a truncated value with one active lane, LLVM 22's x86 code
// generator stores the element as wide as it was before the truncation, over what lies behind.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NarrowMaskedAccessesPass : public llvm::PassInfoMixin<NarrowMaskedAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
