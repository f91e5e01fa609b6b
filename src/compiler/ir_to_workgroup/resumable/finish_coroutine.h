// Gives the split coroutine the shape that the launch calls (resumable_abi.h).
//
// Input:  what LLVM's CoroSplit and CoroCleanup leave of make-coroutine's output:
//         `@lockstep.sub_group` runs to the first suspension, `@lockstep.sub_group.resume` from one
//         to the next, `.destroy` and `.cleanup` are never called.
// Output: `i32 @lockstep.start(launch, group, frame, sub_group)` and `i32 @lockstep.resume(frame)`,
//         which return the step that stands in the frame; everything else is internal. Size and
//         alignment of the frame are an attribute of lockstep.start, and a remark tells the size.
#pragma once

#include "compiler/resumable_abi.h"

#include "llvm/IR/PassManager.h"

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class FinishCoroutinePass : public llvm::PassInfoMixin<FinishCoroutinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

// Keeps the two numbers, which LLVM knows when it has split the coroutine, for finish-coroutine.
void note_frame_facts(llvm::IRBuilderBase &builder, llvm::Value *size, llvm::Value *alignment);

// What the finished module says of frames and sites.
ResumableCode resumable_facts(const llvm::Module &module);

} // namespace lockstep::compiler
