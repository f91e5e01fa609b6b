// Keeps memory accesses as the kernel has them, until they are instrumented.
//
// Requires: a linked module.
// Ensures: every function with a body has `sanitize_thread`, so that LLVM adds no accesses. The
//   address of an access has its source location as an annotation, which stays when LLVM hoists the
//   access out of a loop and drops its line (check_sites.h).
// Why here: without the attribute LLVM loads speculatively. It hoists a guarded load of local
//   memory above its branch, which is harmless on a CPU but would be reported as the race that the
//   branch avoids. The attribute must precede inlining, which requires that caller and callee agree
//   on it; instrument-accesses removes it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PinAccessesPass : public llvm::PassInfoMixin<PinAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
