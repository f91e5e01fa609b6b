// Makes irreducible control flow reducible: afterwards every cycle is a natural loop.
//
// Requires: any function: a kernel or an out-of-line function.
// Ensures: the same behavior; every cycle has one entry. A function without irreducible cycles does
// not change.
//
// A cycle with several entries gets a dispatch block (cycle_dispatch.h). Irreducible cycles that
// remain inside are handled next. Natural loops do not change.
//
// LLVM's FixIrreducible does not know barriers, and LLVM 22's loses an edge
// (llvm/llvm-project#191979, fixed in LLVM 23; tests/passes/make-reducible/llvm_still_needs_it.ll).
// mark-waits and canonicalize-flow run this pass first, since they analyze loops.
#include "compiler/work_item/cycle_dispatch.h"
#include "compiler/work_item/passes.h"

#include "llvm/IR/CycleInfo.h"

namespace lockstep::compiler {

namespace {

// The outermost irreducible cycle, so that all cycles around it are natural loops.
const llvm::Cycle *find_irreducible(const llvm::CycleInfo &cycles) {
  llvm::SmallVector<const llvm::Cycle *> open(cycles.toplevel_begin(), cycles.toplevel_end());
  while (!open.empty()) {
    const llvm::Cycle *cycle = open.pop_back_val();
    if (!cycle->isReducible())
      return cycle;
    open.append(cycle->child_begin(), cycle->child_end());
  }
  return nullptr;
}

} // namespace

llvm::PreservedAnalyses MakeReduciblePass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  bool changed = false;
  while (true) {
    llvm::CycleInfo cycles;
    cycles.compute(function);
    const llvm::Cycle *cycle = find_irreducible(cycles);
    if (!cycle)
      break;
    add_dispatch(function, *cycle);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
