// Makes one wide work-group of several that follow each other, where no work-item can tell.
//
// Input:  the kernel of one work-item; attributes "lockstep-local-size" (known) and
//         "lockstep-neighbour-groups", which says how many groups that follow each other in a dimension a call may run.
// Output: where it pays, the kernel of a group that has the work-items of `count` groups, "lockstep-joined-groups"="0,count,0",
//         or of a row of them, "lockstep-calls-per-group"="1,4,1".
//
// Many kernels ask for nothing but get_global_id: what a work-item does is the same in a group of any size. Then the program's
// local size need not be ours, and there are three reasons for another one:
//   - A strided loop reads a row of the group's work-items, then goes on megabytes away. Rows of 256 bytes are read at a third
//     of the rate of 1 KiB; where the caches' prefetchers see no more than four lines, the CPU waits for each.
//   - A tile of straight code reads a piece of each of its rows, then a piece of the next. Rows one after the other, each
//     1 KiB at a time, are what the prefetchers expect: a call is such a piece of one row, and the next call goes on with it.
//     Of images that counts which is done where all texels are inside (__lockstep_all_lanes).
//   - A group with fewer work-items than a sub-group can have leaves lanes empty: with a local size of 1, all but one.
//
// No work-item can tell if the kernel has no group operation, no local memory and no sub-groups, and its ids in a dimension
// are used for `group id * local size + local id` alone, in whatever order LLVM has added that to others. In a group of one work-item that sum is the group's id itself, and
// whatever it is used for stays right.
//
// Not of kernels that wait: what a deadlock's report says of groups would be wrong. Nor do lanes of one sub-group come from
// several groups where the kernel has atomic or volatile accesses, so that groups whose progress depends on others' find
// what they have without this pass.
//
// Before choose-sub-group-size, which asks for the size of a group. Other than join-work-groups, which keeps groups apart,
// it asks nothing about branches or memory.
#pragma once

#include "compiler/code_options.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class WidenWorkGroupsPass : public llvm::PassInfoMixin<WidenWorkGroupsPass> {
public:
  explicit WidenWorkGroupsPass(const CodeOptions &options) : options_(options) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  CodeOptions options_;
};

} // namespace lockstep::compiler
