// Decides how many work-items run in lock step.
//
// Input:  the kernel after inlining and scalar optimisation.
// Output: the attribute "lockstep-sub-group-size" (one that is there already stays, for tests), and
//         "lockstep-size-is-free" where the kernel would compute the same with any other.
//
// A kernel that uses sub-groups has the same size in all its launches, whatever the local size is;
// it depends on the kernel and the machine. Where the kernel cannot see it, a work-group smaller
// than a sub-group takes the next power of two. A kernel whose lanes might wait for each other
// (analyze/waits.h) runs with one lane and a remark, unless it requires its size and uses
// sub-groups, or waits for a limited time only: then it has what it asks for, and lanes in lock step
// that wait for each other wait for ever, or to the end of that time. A kernel that cannot have the
// size that it relies on is refused.
//
// A kernel that may have any size has one lane where most of its work is in switches that lanes are
// slow at (analyze/switch_cost.h), in wide vectors of its own, which would be taken apart and put
// together again (analyze/own_vectors.h), or in code that one lane enters alone
// (analyze/one_lane_work.h).
//
// A resumable kernel with a strided loop takes several registers: the loop reads one sub-group's
// piece, then goes on megabytes away, and nobody else's piece beside it. If it is checked and accesses of it are compared,
// it has 64 lanes, as a call tells of all of them.
#pragma once

#include "compiler/code_options.h"

#include "llvm/IR/Instruction.h"
#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// An instruction that cannot be packed, null if there is none. None of them occurs in OpenCL C.
const llvm::Instruction *find_unsupported(const llvm::Function &function);

class ChooseSubGroupSizePass : public llvm::PassInfoMixin<ChooseSubGroupSizePass> {
public:
  // `required`: of reqd_sub_group_size, 0 if not given.
  ChooseSubGroupSizePass(const CodeOptions &options, uint32_t required)
      : options_(options), required_(required) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  CodeOptions options_;
  uint32_t required_;
};

} // namespace lockstep::compiler
