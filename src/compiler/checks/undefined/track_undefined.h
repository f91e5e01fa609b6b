// Tracks undefined values through a kernel and checks where one decides something.
//
// Requires: one work-item's kernel, inlined, with variables in memory as the front end created
//   them, and the marks of mark-user-code.
// Ensures: each value has parallel shadow bits (shadow_bits.h), and each private variable whose
//   address does not escape has shadow memory (private_shadow.h). Where an undefined value may
//   decide a branch, an address or a collective, there is a call of __lockstep_check_choice. Shadow
//   accesses to global and local memory are placeholders (undefined_calls.h) for lower-undefined.
// Why here: the first pass that promotes variables to registers turns unwritten ones into `undef`
//   and folds it away: `int x; if (c) x = 1;` becomes `x` = 1. After that, nothing can be found.
//   Optimization then removes most of the inserted code, since nearly all values are defined.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class TrackUndefinedPass : public llvm::PassInfoMixin<TrackUndefinedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
