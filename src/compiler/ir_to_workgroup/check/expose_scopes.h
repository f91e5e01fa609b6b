// Scopes and flags that are no constants where an atomic, a fence or a barrier is called: arguments of a helper, variables.
//
// Takes:      a module before its builtins are linked.
// Guarantees: each atomic and fence has a scope, and each fence has flags, that are constants: one with others is a
//             switch with a call for each scope and flags that differ. A barrier keeps the flags that it has, since its
//             instruction has them later on. One with another scope has that of the work-group, and fences beside it, made where
//             the scope is a wider one: a barrier is not to stand on several ways.
// Why here:   before note-scopes, which sees constants only. Behind tell-arguments, which asks whether a barrier's scope is
//             the same for all. Where the value is a constant once the helper is inlined, nothing is left of the switch. To
//             inline here instead would leave out what lies in memory, and variables are not to be in registers yet
//             (track-undefined).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ExposeScopesPass : public llvm::PassInfoMixin<ExposeScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
