// Checks the contract of docs/kernel_ir.md between stages, so that a violation is found at the
// stage that caused it. Runs in debug builds, in tests, and everywhere with LOCKSTEP_VERIFY=1.
#pragma once

#include "llvm/IR/PassManager.h"

#include <string>

namespace lockstep::compiler {

enum class KernelIrStage {
  kernel,     // after the front ends
  inlined,    // after inline-kernel
  sub_group,  // after the lanes stage
  work_group, // after work-item-loops
  launchable, // after place-local-memory
};

// The first violated rule as a sentence, or an empty string.
std::string verify_kernel_ir(llvm::Module &module, KernelIrStage stage);

// Reports a violated rule as an error of the LLVMContext.
class VerifyKernelIrPass : public llvm::PassInfoMixin<VerifyKernelIrPass> {
public:
  explicit VerifyKernelIrPass(KernelIrStage stage) : stage_(stage) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  KernelIrStage stage_;
};

} // namespace lockstep::compiler
