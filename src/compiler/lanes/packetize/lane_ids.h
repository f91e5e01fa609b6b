// Makes the lanes of a sub-group visible: a local id becomes the first lane's id plus a function of
// the lane.
//
// Input:  the kernel of one work-item; attributes "lockstep-local-size" and
//         "lockstep-sub-group-size" (1: nothing to do).
// Output: `__lockstep_local_id` is the id of the sub-group's first lane and thus uniform.
//         `__lockstep_lane` is the only source of divergence besides memory.
//
// A sub-group is W work-items with consecutive linear ids. The local size determines how their ids
// follow from the first lane's id, and thus which memory accesses become contiguous:
// - rows of a multiple of W work-items, or a single row: x = first.x + lane; y and z are uniform;
// - rows that divide W: x = lane mod row and y = first.y + lane / row, constants for each lane;
// - otherwise: division of the linear id. If the size is unknown, the division is done in floating
//   point, since CPUs have no integer vector division. It is exact, as linear ids are below 2^13.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LaneIdsPass : public llvm::PassInfoMixin<LaneIdsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
