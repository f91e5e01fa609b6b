// Decides how many work-items run in lock step.
//
// Input:  the kernel after inlining and scalar optimisation.
// Output: the attribute "lockstep-sub-group-size" (one that is there already stays, for tests).
//
// The size must be the same for all launches of a kernel, since queries tell it before the first
// launch; so it depends on the kernel and the machine and not on the local size. Two exceptions
// cannot be seen by a kernel that asks no sub-group functions: a work-group smaller than a
// sub-group takes the next power of two, and a kernel that cannot be packed into lanes (it waits;
// see analyze/waits.h) runs with one lane and a remark.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

// `required`: of reqd_sub_group_size, 0 if not given. LOCKSTEP_SUB_GROUP_SIZE overrides what the
// machine suggests.
uint32_t preferred_sub_group_size(uint32_t required);

// Whether kernels are packed into lanes at all (LOCKSTEP_LANES).
bool lanes_enabled();

class ChooseSubGroupSizePass : public llvm::PassInfoMixin<ChooseSubGroupSizePass> {
public:
  explicit ChooseSubGroupSizePass(uint32_t required) : required_(required) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  uint32_t required_;
};

} // namespace lockstep::compiler
