// Treats the shadow of memory that turns out to be private as defined.
//
// Requires: one work-item's kernel after track-undefined and SROA; structure arguments are `byval`.
// Ensures: no call of undefined_calls.h loads, stores or updates shadow bits of a private variable
//   or of such an argument. A private variable whose address escapes is never reported
//   (private_shadow.h), and the launch fills the argument block. lower-undefined would decide the
//   same, but later.
// Why here: the calls take the address of the object. After SROA, `this` of a function object is
//   known to be the argument. If the calls stayed, the object would be copied for each work-item
//   and stay in memory, and each access would have to look up its pointers. So this pass runs
//   before privatize-arguments.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class DropPrivateShadowPass : public llvm::PassInfoMixin<DropPrivateShadowPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
