// Converts the function of one sub-group to an LLVM coroutine.
//
// Input:  `@lockstep.sub_group(launch, group, frame, sub_group)` as lower-launch leaves it; local
//         memory is allocated.
// Output: the same function with coroutine intrinsics (llvm.coro.*), ready for CoroSplit.
//         `__lockstep_suspend` becomes llvm.coro.suspend, `__lockstep_seen` writes the wait record,
//         and the return reports Step::done.
//
// The caller provides the frame, whose head is SubGroupFrame (resumable_abi.h). LLVM places its two
// function pointers first and the coroutine's promise right behind them, so the promise is the rest
// of the head. A coroutine is never destroyed: frames own nothing that needs cleanup.
//
// Private variables that are live across a suspension are in the frame, which is heap memory. So
// this pass lowers the query for the address space of a generic pointer
// (lockstep_address_space_of): it checks the frame first, then calls the host for stack and local
// memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MakeCoroutinePass : public llvm::PassInfoMixin<MakeCoroutinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
