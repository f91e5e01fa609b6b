// Makes the local size a constant if the function is specialized for one ("lockstep-local-size",
// docs/kernel_ir.md).
//
// Requires: the kernel after inline-kernel.
// Ensures: `__lockstep_local_size` and `__lockstep_enqueued_local_size` are constants, and
// `__lockstep_local_id` carries its range. So loops over local memory have known trip counts, and
// index arithmetic is known not to wrap. Without the attribute, only ids get a range, below
// CL_DEVICE_MAX_WORK_GROUP_SIZE.
//
// Position: before scalar optimization, which needs the constants.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecializeLocalSizePass : public llvm::PassInfoMixin<SpecializeLocalSizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
