// Coalesces consecutive work-groups when the kernel cannot observe the boundary between them.
//
// Input:  the kernel of one work-item, before choose-sub-group-size, which reads the size of a
//         group; attributes "lockstep-local-size" (known) and "lockstep-neighbor-groups", the
//         number of consecutive groups that a call may run.
// Output: where it pays, the kernel of a group with the work-items of `count` groups
//         ("lockstep-coalesced-groups"="0,count,0"), or of one row of a group
//         ("lockstep-calls-per-group"="1,4,1").
//
// A kernel that uses only get_global_id computes the same in a group of any size. Three reasons to
// choose another local size:
//   - A grid-stride loop reads a row of the group's work-items, then steps by megabytes. Rows of
//     256 bytes are read at a third of the rate of 1 KiB: prefetchers need more than four lines.
//   - Straight-line code on a tile reads a piece of each of its rows, then the next tile.
//     Prefetchers handle one row at a time, 1 KiB per call, better. For images, only the path with
//     all texels in bounds counts (__lockstep_all_lanes).
//   - A group smaller than a sub-group leaves lanes empty: all but one for a local size of 1.
//
// The kernel must have no group operation, local memory or sub-group operation, and must use its
// ids only as `group id * local size + local id`. In a group of one work-item that sum is the group
// id. Kernels that wait are skipped: a deadlock report would name the wrong groups. Lanes are not
// filled from several groups if the kernel has atomic or volatile accesses, so forward progress is
// unchanged. Unlike coalesce-work-groups, this pass needs no condition on branches or memory.
#pragma once

#include "compiler/options/code_options.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class CoalesceIndistinctGroupsPass : public llvm::PassInfoMixin<CoalesceIndistinctGroupsPass> {
public:
  explicit CoalesceIndistinctGroupsPass(const CodeOptions &options) : options_(options) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  CodeOptions options_;
};

} // namespace lockstep::compiler
