// Turns hierarchical kernels (SYCL 2020, section 4.9.4.2.3) into kernels with barriers.
//
// Input:  a module with one kernel, builtins linked, nothing inlined. __lockstep_group_scope says that its code is done once
//         for the work-group, but for what parallel_for_work_item does for each work-item: there, calls of
//         __lockstep_item_scope_begin and _end stand around it.
// Output: the kernel, with everything inlined, as each work-item executes it; neither those three nor
//         __lockstep_private_memory is called. A kernel without them is left as it is.
//
// The code for the group is executed by all of its work-items, which compute the same: that costs nothing, because what
// is uniform is computed once. Three things are different for the group than for each of them:
// - its variables are shared. One that only the group's code writes has the same value in each work-item and may be
//   private; the others are local memory (group_variables.h);
// - its effects happen once: the first work-item has them (group_effects.h);
// - what work-items do comes before what the group does next: barriers, where memory is touched on both sides.
//
// Before anything promotes variables to registers (sroa): afterwards nobody could say which were the group's.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerItemScopesPass : public llvm::PassInfoMixin<LowerItemScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
