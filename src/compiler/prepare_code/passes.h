// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/kernel_info.h"
#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Replaces atomic operations that only one work-group can observe by plain ones (atomic_scope.h),
// and those on a privatized argument.
class LowerGroupAtomicsPass : public RequiredPass<LowerGroupAtomicsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Binds the kernel to the launch ABI (abi/launch_abi.h).
class LowerLaunchPass : public RequiredPass<LowerLaunchPass> {
public:
  explicit LowerLaunchPass(KernelInfo kernel) : kernel_(std::move(kernel)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  KernelInfo kernel_;
};

// Keeps what a debugger needs to know about the kernel's functions and variables.
class DescribeVariablesPass : public RequiredPass<DescribeVariablesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Lets fmin and fmax ignore the sign of zeros.
class SetNszPass : public RequiredPass<SetNszPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Narrows masked accesses whose active lanes are known.
class NarrowMaskedAccessesPass : public RequiredPass<NarrowMaskedAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Replaces the broadcast of a scalar sum by a vector sum of broadcasts, where that saves an
// instruction.
class BroadcastOperandsPass : public RequiredPass<BroadcastOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Prefetches what later iterations of a loop will load, where the processor cannot see it in time.
class PrefetchStridesPass : public RequiredPass<PrefetchStridesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Prefetches what a later work-group will load, where the processor does not look that far ahead.
class PrefetchGroupsPass : public RequiredPass<PrefetchGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Strip-mines arithmetic on very wide vectors into loops over register-sized slices.
class LoopOverLanesPass : public RequiredPass<LoopOverLanesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace lockstep::compiler
