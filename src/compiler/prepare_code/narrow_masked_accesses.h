// Narrows masked accesses whose active lanes are known.
//
// Requires: the work-group function after the final optimization, which folds masks to constants.
// Ensures: no masked load or store has a constant mask whose active lanes are a run of 1, 2, 4, ...
// lanes; it is a plain access of these lanes. No gather or scatter has a constant mask with a few
// active lanes; it is one access per lane.
//
// That is faster: the last steps of a tree reduction have 8, 4, 2 and 1 active lanes. A load gets
// the value of a narrow store from the store buffer, while many CPUs stall it after a masked store.
//
// It is also a workaround. For a masked store of a truncated value with one active lane, LLVM 22's
// x86 code generator stores the element as wide as before the truncation, over the bytes behind it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NarrowMaskedAccessesPass : public llvm::PassInfoMixin<NarrowMaskedAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
