// Atomic operations that only one work-group can see become plain ones (atomic_scope.h), and those on a worker's copy of an
// argument.
//
// Input:  the function of one work-group, as work-item-loops leaves it, or lower-suspensions.
// Output: no read-modify-write or compare-and-swap is left on address space 3, in the scope of a work-group, or that
//         worker-copies has marked. Such stores are not sequentially consistent, only released, which needs no bus lock.
//
// A work-group runs on one thread at a time, so nobody can come between the load and the store, and a bus lock (some twenty
// cycles) buys nothing. The same is true of memory that is the worker's while it runs (compiler/worker_copies.h). Orders need
// nothing more: what one thread does keeps its order for itself, and others are told of the group by an operation of a wider
// scope, which stays. Loads and stores stay atomic: plain ones cost the same, and LLVM might tear or repeat them.
//
// After packetise, which must see that lanes may meet at one address. In the resumable form after all that looks for what a
// round changes, which knows updates from stores; a loop that polls by an update reads memory in each round all the same, since
// it is suspended in each, and that may change any memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerGroupAtomicsPass : public llvm::PassInfoMixin<LowerGroupAtomicsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
