// Creates the entry points of the split coroutine that the launch calls (resumable_abi.h).
//
// Input:  the output of LLVM's CoroSplit and CoroCleanup for make-coroutine's function.
//         `@lockstep.sub_group` runs to the first suspension, `@lockstep.sub_group.resume` from one
//         suspension to the next. `.destroy` and `.cleanup` are never called.
// Output: `i32 @lockstep.start(launch, group, frame, sub_group)` and `i32 @lockstep.resume(frame)`.
//         Both return the step that the frame contains. All other functions are internal. Size and
//         alignment of the frame are an attribute of lockstep.start, and a remark reports the size.
#pragma once

#include "abi/resumable_abi.h"

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

// The attribute of a function that is suspended on a stack of its own: the bytes that it needs.
inline constexpr char own_stack_bytes[] = "lockstep-own-stack-bytes";

// The attribute of a coroutine that may leave additions to the launch (Step::updates).
inline constexpr char may_batch_updates[] = "lockstep-frame-may-batch-updates";

// The attribute of a coroutine that may stop before a lock (Step::before_lock).
inline constexpr char stops_before_locks[] = "lockstep-frame-stops-before-locks";

// Inserts a placeholder call that carries the frame's size and alignment from CoroSplit, which
// computes them, to finish-coroutine.
void record_frame_facts(llvm::IRBuilderBase &builder, llvm::Value *size, llvm::Value *alignment);

// Reads the facts about frames and sites from the finished module.
ResumableCode resumable_facts(const llvm::Module &module);

} // namespace lockstep::compiler
