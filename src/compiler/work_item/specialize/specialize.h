// Records on the kernel what it is specialized for.
//
// Requires: the kernel after inline-kernel.
// Ensures: the kernel has those of the attributes "lockstep-local-size", "lockstep-neighbor-groups"
// and "lockstep-image-arguments" (specialization_attributes.h) that the Specialization determines.
//
// It is a separate pass, so that the passes that specialize can be tested on attributes alone.
#pragma once

#include "kernel_ir/specialization.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecializePass : public llvm::PassInfoMixin<SpecializePass> {
public:
  explicit SpecializePass(const Specialization &specialization) : specialization_(specialization) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Specialization specialization_;
};

} // namespace lockstep::compiler
