// Gives functions that are kept signatures that lanes can have, and takes the work-item's place out of them.
//
// Input:  after specialise-local-size: kept functions (keep-functions) take and return scalars, vectors and pointers.
// Output: they take and return scalars, pointers and (for a vector that is returned) structures of scalars,
//         integers where there are more floating-point elements than registers for them. A structure
//         passed by value is copied by the callee. Ids, sizes and the addresses of local variables, which only the
//         kernel knows, are parameters behind the others; no work-item primitive and no local variable is left in them.
//
// So whoever makes lanes of the kernel (ids are those of a lane), joins work-groups (ids are those of a row) or places
// local memory need not know that there are other functions.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PlainSignaturesPass : public llvm::PassInfoMixin<PlainSignaturesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
