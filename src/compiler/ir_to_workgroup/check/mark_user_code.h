// Tells what the program wrote from what the device library does for it.
//
// Takes:      a module whose builtins are declarations.
// Guarantees: branches, loads and stores of the program have the metadata `lockstep.user.code`; before a collective
//             stands a call of __lockstep_collective_use (undefined_calls.h) for each value that it is given.
// Why here:   once the device library is linked and inlined, a branch inside of sin() has the place of its call. That an
//             undefined value decides it says nothing: the result is undefined, which is all that counts.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MarkUserCodePass : public llvm::PassInfoMixin<MarkUserCodePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
