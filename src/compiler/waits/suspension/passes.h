// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "compiler/options/code_options.h"
#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

class GroupWaits;

// Detects whether a kernel waits, and marks the waits.
class MarkWaitsPass : public RequiredPass<MarkWaitsPass> {
public:
  explicit MarkWaitsPass(WantedForm form) : form_(form) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  const char *why_not_by_group(const GroupWaits &groups, bool apart) const;

  WantedForm form_;
};

// Moves the test of a loop that all work-items of a group repeat together behind its read.
class RotatePollsPass : public RequiredPass<RotatePollsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lets the launch make the additions of work-groups to one counter in batches.
class BatchUpdatesPass : public RequiredPass<BatchUpdatesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lowers barriers, group copies and waits of the coroutine form to suspensions of a sub-group.
class LowerSuspensionsPass : public RequiredPass<LowerSuspensionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lowers the waits of a work-group that is suspended as a whole.
class LowerGroupSuspensionsPass : public RequiredPass<LowerGroupSuspensionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Computes the local ids of a sub-group in the coroutine form from its number.
class SubGroupIdsPass : public RequiredPass<SubGroupIdsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Converts the function of one sub-group to an LLVM coroutine.
class MakeCoroutinePass : public RequiredPass<MakeCoroutinePass> {
public:
  // `leaves_additions`: the launch makes the last addition of a group whose result is not used.
  explicit MakeCoroutinePass(bool leaves_additions = true) : leaves_additions_(leaves_additions) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  bool leaves_additions_;
};

// Does it so that the function keeps a stack of its own while it is suspended (work_item_stacks.h).
// A debugger sees an ordinary function.
class MakeCoroutineOnStackPass : public RequiredPass<MakeCoroutineOnStackPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

// Lets values that are live across different suspensions share a slot in the frame.
class ShareFrameSlotsPass : public RequiredPass<ShareFrameSlotsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
