// Specializes calls of atomics, fences and barriers whose scope or flags are not constant, such as
// arguments of a helper function or variables.
//
// Requires: a module before its builtins are linked.
// Ensures: each atomic and fence has a constant scope, and each fence has constant flags. Others
//   become a switch with one call for each distinct combination. A barrier keeps its flags, which
//   remain operands of its instruction. A barrier whose scope is not constant gets the scope of the
//   work-group and, before and behind it, fences that execute if the scope is wider. It is not
//   duplicated, since all work-items must reach the same barrier.
// Why here: before record-scopes, which reads constants only, and after record-arguments, which
//   checks whether the scope of a barrier is uniform. If inlining the helper makes the value
//   constant, the switch folds away. Inlining here instead would not cover values in memory, and
//   variables must not be promoted to registers yet (track-undefined).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ExposeScopesPass : public llvm::PassInfoMixin<ExposeScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
