// Keeps masked loads from moving across stores.
//
// `select mask, (masked load, mask), other` equals a masked load that yields `other` where the mask
// is false. InstCombine of LLVM 22 creates that load at the select: behind stores to the same
// memory in between, whose values it then loads. This pass removes each such select that could see
// changed memory: the load itself gets `other` as its passthrough operand. If `other` is not
// available at the load, a freeze separates the load from the select.
//
// Position: right after packetize, before InstCombine.
//
// Upstream: llvm/llvm-project#215453, fixed in LLVM 23.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class KeepMaskedLoadsPass : public llvm::PassInfoMixin<KeepMaskedLoadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
