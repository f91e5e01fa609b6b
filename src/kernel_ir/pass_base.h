// Base classes of passes.
#pragma once

#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Also runs with -cl-opt-disable and on functions that must not be optimized.
template <class Pass> struct RequiredPass : llvm::PassInfoMixin<Pass> {
  static bool isRequired() { return true; }
};

// A pass over lanes: does nothing if the sub-group has one. `Pass` has run_in_lanes().
template <class Pass> struct LanePass : RequiredPass<Pass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
    if (sub_group_size(function) == 1)
      return llvm::PreservedAnalyses::all();
    return static_cast<Pass *>(this)->run_in_lanes(function, analyses);
  }
};

} // namespace lockstep::compiler
