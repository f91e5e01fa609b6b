// Gives out-of-line functions signatures that can be vectorized, and removes work-item ids from
// their bodies.
//
// Requires: the module after specialize-local-size. Out-of-line functions (keep-out-of-line) take
// and return scalars, vectors and pointers.
// Ensures: they take and return scalars, pointers and, for a returned vector, structures of
// scalars. Floating-point elements are returned as integers if there are more than registers for
// them. The callee copies a structure that is passed by value. Ids, sizes and addresses of local
// variables, which only the kernel knows, are additional parameters; no work-item primitive and no
// local variable is left in these functions.
//
// So out-of-line functions need no special case in the passes that vectorize the kernel (ids are
// those of a lane), coalesce its groups (ids are those of a row) or place local memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PlainSignaturesPass : public llvm::PassInfoMixin<PlainSignaturesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
