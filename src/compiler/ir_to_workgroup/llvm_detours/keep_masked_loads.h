// Keeps masked loads in their place.
//
// `select mask, (masked load, mask), other` is a masked load that leaves `other` where the mask is
// false. InstCombine of LLVM 22 makes one, but where the select stands: behind stores to the same
// memory that stood in between, whose values it then loads. So each such select that could see
// another memory is removed here, by loading onto `other` in the first place; where `other` is not
// known there yet, a freeze keeps the two apart.
//
// Right after packetize, before InstCombine.
//
// Upstream: llvm/llvm-project#215453, mended in LLVM 23.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class KeepMaskedLoadsPass : public llvm::PassInfoMixin<KeepMaskedLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
