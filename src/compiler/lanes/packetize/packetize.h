// Rewrites each instruction so that one execution of the function does the work of a whole
// sub-group.
//
// Input:  the kernel as linearize leaves it: no divergent branches, masks by `__lockstep_mask`,
//         memory operations only in blocks that run with an active lane.
// Output: the function of one sub-group, without `__lockstep_lane`, `__lockstep_mask` and
//         `__lockstep_any_lane`.
//
// The shape of a value (analysis/lane_shapes.h) decides. A uniform instruction is unchanged. One
// with constant distances between lanes stays scalar and computes lane 0's value. A varying one
// gets a widened value. Where it needs a vector of another shape, that vector is built from the
// scalar.
//
// Memory accesses take the cheapest form that fits (packetize_memory.cpp): scalar, vector, wide
// with shuffles, gather or scatter. Operations without a vector form run lane by lane under the
// mask (lane_loop.h) and are reported in a remark.
//
// The last pass of the lanes stage.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PacketizePass : public llvm::PassInfoMixin<PacketizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
