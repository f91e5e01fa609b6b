// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// Selects the coroutine form for a kernel if loops between its barriers would multiply its code.
class LimitRegionsPass : public RequiredPass<LimitRegionsPass> {
public:
  explicit LimitRegionsPass(uint64_t limit) : limit_(limit) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);

private:
  uint64_t limit_;
};

// Interleaves several consecutive sub-groups in one function where that pays.
class InterleaveSubGroupsPass : public RequiredPass<InterleaveSubGroupsPass> {
public:
  explicit InterleaveSubGroupsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  const llvm::TargetMachine &target_;
};

// Puts each group operation (barrier, async copy) into a basic block of its own.
class IsolateGroupOperationsPass : public RequiredPass<IsolateGroupOperationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Turns the function of one sub-group into the function of one work-group (the loop form).
class WorkItemLoopsPass : public RequiredPass<WorkItemLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lowers `__lockstep_group_combine` to a loop over the sub-groups' partial results.
class LowerGroupCombinePass : public RequiredPass<LowerGroupCombinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Unrolls loops in which each work-item walks along its own row, and accesses whole rows.
class TransposeColumnsPass : public RequiredPass<TransposeColumnsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
