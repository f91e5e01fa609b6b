// Marks the instructions of the program, to distinguish them from those of the device library.
//
// Requires: a module whose builtins are declarations.
// Ensures: branches, loads and stores of the program have the metadata `lockstep.user.code`. A call
//   of __lockstep_collective_use (undefined_calls.h) precedes a collective for each value passed to
//   it.
// Why here: once the device library is linked and inlined, a branch inside sin() has the location
//   of its call. An undefined value that decides such a branch is not an error: it only makes the
//   result undefined.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MarkUserCodePass : public llvm::PassInfoMixin<MarkUserCodePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
