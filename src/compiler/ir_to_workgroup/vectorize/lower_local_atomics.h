// Atomic operations on local memory become plain ones, and those on a worker's copy of an argument.
//
// Input:  the function of one work-group, as work-item-loops leaves it.
// Output: no read-modify-write or compare-and-swap on address space 3 is left, nor one that
//         worker-copies has marked.
//
// A work-group runs on one thread and no other group can see its local memory, so nobody can come
// between the load and the store, and a bus lock (some twenty cycles) buys nothing. The same is true
// of memory that is the worker's while it runs (compiler/worker_copies.h). After
// packetise, which must see that lanes may meet at one address, and after work-item-loops, which
// tells LLVM that plain accesses of different work-items do not depend on each other. Of the looped
// form only: a kernel that waits keeps its atomics, since they are what it waits on.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerLocalAtomicsPass : public llvm::PassInfoMixin<LowerLocalAtomicsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
