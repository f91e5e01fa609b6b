// Rewrites each instruction so that one execution of the function does the work of a whole
// sub-group.
//
// Input:  the kernel as linearise leaves it: no divergent branches, masks by `__lockstep_mask`,
//         actions on memory only in blocks that run with an active lane.
// Output: the function of one sub-group. `__lockstep_lane`, `__lockstep_mask`,
//         `__lockstep_any_lane` are gone.
//
// By shape (analyze/lane_shapes.h): a uniform instruction stays as it is; one with constant
// distances between lanes stays too and computes lane 0's value; a varying one gets a vector twin.
// A vector of a uniform value or of one with distances is made from the scalar where a twin needs
// it. Accesses to memory take the cheapest form that fits (packetize_memory.cpp): scalar, vector,
// wide with shuffles, gather or scatter. What vectors cannot do runs lane by lane under the mask
// (LaneLoop), and says so in a remark.
//
// Last of the lanes stage.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PacketizePass : public llvm::PassInfoMixin<PacketizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
