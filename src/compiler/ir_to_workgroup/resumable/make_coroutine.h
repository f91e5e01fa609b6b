// Makes the function of one sub-group a coroutine of LLVM's.
//
// Input:  `@lockstep.sub_group(launch, group, frame, sub_group)` as lower-launch leaves it; local
//         memory has its place.
// Output: the same with the marks of a coroutine (llvm.coro.*), ready for LLVM's splitting:
//         `__lockstep_suspend` is llvm.coro.suspend, `__lockstep_seen` writes the wait record, the
//         return says Step::done. The frame's memory is given; its head is SubGroupFrame
//         (resumable_abi.h): LLVM puts its two function pointers first and a coroutine's promise
//         right behind them, so the promise holds the rest of the head.
//
// A coroutine is never destroyed: frames hold nothing that needs an end.
//
// Private variables that live across a suspension are in the frame, which is heap memory, so the
// question what memory a generic pointer points to (lockstep_address_space_of) is answered here for
// the frame, before the host is asked about stack and local memory.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MakeCoroutinePass : public llvm::PassInfoMixin<MakeCoroutinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
