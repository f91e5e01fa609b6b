// Answers what track-undefined asks of memory that turns out to be the work-item's own: all of it is defined.
//
// Takes:      one work-item's kernel after track-undefined and SROA; struct arguments are `byval`.
// Guarantees: no call of undefined_calls.h loads, stores or updates bits of a private variable or of such an argument. Of
//             variables whose addresses are in memory nothing is ever said (private_planes.h), and the argument block is
//             the launch's. lower-undefined would say the same, later.
// Why here:   calls take the address. `this` of a function object is known to be its argument once SROA has taken its
//             variable away; asked about further, the object would be copied for each work-item and stay in memory, and
//             where its pointers point would be asked at each access. So before privatise-arguments.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ForgetPrivateBitsPass : public llvm::PassInfoMixin<ForgetPrivateBitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
