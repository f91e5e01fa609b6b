// Follows undefined values through a kernel, and tells of those that decide something.
//
// Takes:      one work-item's kernel, inlined, whose variables are in memory as the front end has put them; marks of
//             mark-user-code.
// Guarantees: beside each value stands which of its bits are undefined (undefined_bits.h), beside each private variable
//             whose address is seen the same of it (private_planes.h). Where an undefined value decides a branch, an
//             address or a collective stands a call of __lockstep_check_choice; what becomes of global and local memory
//             is left to lower-undefined (undefined_calls.h).
// Why here:   the first pass that puts variables into registers makes `undef` of what was not written, and folds it away:
//             of `int x; if (c) x = 1;` an `x` that is always 1. Later there is nothing to find. Optimisation then takes
//             away most of what stands here, since nearly all values are defined.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class TrackUndefinedPass : public llvm::PassInfoMixin<TrackUndefinedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
