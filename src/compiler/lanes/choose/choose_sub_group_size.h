// Chooses the sub-group size: how many work-items run in lock step.
//
// Requires: the kernel after inlining and scalar optimization.
// Ensures: "lockstep-sub-group-size"; a size that is set before replaces the preferred one, for
// tests. "lockstep-size-is-free": it changes no result. Rows may be padded (choose/pad_rows.h).
//
// A kernel that uses sub-groups has one size in all its launches. For any other kernel, a
// work-group that is smaller than a sub-group takes the next power of two.
//
// A kernel whose lanes might wait for each other (analysis/waits.h) gets one lane and a remark. A
// kernel with a required size that uses sub-groups, or whose waits are limited in time, keeps its
// size. If it cannot have that size, it is rejected.
//
// A kernel with a free choice gets one lane where most of its work is slow in lanes: large switches
// (choose/switch_cost.h), wide vectors of the kernel's own (choose/explicit_vectors.h), or code
// that one lane enters alone (choose/single_lane_work.h).
//
// A coroutine kernel with a grid-stride loop takes several registers of lanes: its sub-groups would
// otherwise read small pieces megabytes apart. If instrumented it takes 64 lanes: one call reports
// the accesses of all lanes.
#pragma once

#include "compiler/options/code_options.h"

#include "llvm/IR/Instruction.h"
#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Returns the first instruction that cannot be packetized, or null. OpenCL C produces none of them.
const llvm::Instruction *find_unsupported(const llvm::Function &function);

class ChooseSubGroupSizePass : public llvm::PassInfoMixin<ChooseSubGroupSizePass> {
public:
  // `required`: the value of reqd_sub_group_size, or 0 if it is not given.
  ChooseSubGroupSizePass(const CodeOptions &options, uint32_t required)
      : options_(options), required_(required) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  CodeOptions options_;
  uint32_t required_;
};

} // namespace lockstep::compiler
