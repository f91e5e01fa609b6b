// Makes vector variants of out-of-line functions: versions that run for a whole sub-group.
//
// Input:  the module after lane-ids. The kernel has a sub-group size of more than one. Out-of-line
//         functions have plain signatures and are code of one work-item.
// Output: for each called function f, a function f.lanes, to which the rest of the lanes stage
//         applies as to the kernel. Its first parameter is the active lanes, one bit each (lane 0
//         the lowest). A parameter is a scalar if all calls agree that it is uniform, or that it is
//         the address of each lane's own element in interleaved memory. In the latter case it is
//         lane 0's address. Any other parameter is a vector. The result is a vector or a structure
//         of vectors. An attribute of f names f.lanes. Calls of f are unchanged; packetize
//         replaces them.
//
// A lane's element of a vector is `extractelement` by __lockstep_lane; the returned vector is
// `insertelement` by it. Passes before packetize see ordinary code of one work-item. packetize
// takes the former for the vector, and the latter for the vector of the inserted values.
//
// Private variables that are interleaved although their addresses are passed (private_layouts.h)
// are marked for interleave-private, as are the values that replace such addresses in f.lanes.
//
// Callers are processed before callees, since uniformity in a caller decides parameters of its
// callees. Functions that never return, that have instructions of find_unsupported, or in which
// lanes are slower (choose/switch_cost.h) get no variant. They and their callees are called lane by
// lane.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class VectorVariantsPass : public llvm::PassInfoMixin<VectorVariantsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
