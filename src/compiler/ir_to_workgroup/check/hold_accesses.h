// Keeps accesses where the kernel has them, until they are counted.
//
// Takes:      a linked module.
// Guarantees: every function with a body has `sanitize_thread`, so that LLVM makes no access that the source has not. The address of
//             an access has its place as an annotation, which stays where LLVM takes the line away, as it does of all that it moves
//             out of a loop (check_sites.h).
// Why here:   without it LLVM loads speculatively: it hoists a guarded load of local memory out of its branch, which no
//             CPU minds, and which the checker would report as the race that the branch avoids. The attribute must be
//             there before inlining, which wants it of both functions, and goes with instrument-accesses.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class HoldAccessesPass : public llvm::PassInfoMixin<HoldAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
