// Makes the local size a constant where the function is specialised for one ("lockstep-local-size",
// docs/kernel_ir.md).
//
// Input:  the kernel after inline-kernel.
// Output: `__lockstep_local_size` and `__lockstep_enqueued_local_size` are constants, and
//         `__lockstep_local_id` carries its range, so that loops over local memory have known trip
//         counts and index arithmetic is known not to wrap. Without the attribute only the range of
//         ids below CL_DEVICE_MAX_WORK_GROUP_SIZE is added.
//
// Before scalar optimisation, which needs the constants.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecialiseLocalSizePass : public llvm::PassInfoMixin<SpecialiseLocalSizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
