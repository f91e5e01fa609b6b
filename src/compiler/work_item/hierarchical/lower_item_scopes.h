// Turns hierarchical kernels (SYCL 2020, section 4.9.4.2.3) into kernels with barriers.
//
// Requires: a module with one kernel, builtins linked, nothing inlined. A call of
// __lockstep_group_scope marks a kernel whose code runs once per work-group, except the bodies of
// parallel_for_work_item, which run once per work-item. Calls of __lockstep_item_scope_begin and
// _end enclose these bodies.
// Ensures: the kernel, with everything inlined, is code of each work-item; neither those three
// functions nor __lockstep_private_memory is called. A kernel without calls of them does not
// change.
//
// All work-items execute the group's code and compute the same. That costs nothing, because uniform
// values are computed once. Three things differ between the group's code and that of a work-item:
// - Its variables are shared. One that only the group's code writes has the same value in each
//   work-item and may be private; the others are in local memory (group_variables.h).
// - Its effects happen once: the first work-item executes them (group_effects.h).
// - It runs after the item scope before it: barriers separate the two if both access memory.
//
// Position: before any pass that promotes variables to registers (SROA): afterwards the group's
// variables could not be recognized.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerItemScopesPass : public llvm::PassInfoMixin<LowerItemScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
