// A masked store of which only one lane is active becomes a store of that element.
//
// Input:  the work-group function after the final optimisation, which folds masks to constants.
// Output: no masked store has a constant mask with one true lane.
//
// Cheaper, and necessary: for a masked store of a truncated value with such a mask, LLVM 22's x86
// code generator stores the element as wide as it was before the truncation, over what lies behind.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NarrowMaskedStoresPass : public llvm::PassInfoMixin<NarrowMaskedStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
