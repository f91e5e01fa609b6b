// Makes the lanes of a sub-group visible: a local id becomes the id of the first lane plus a
// function of the lane.
//
// Input:  the kernel of one work-item; attributes "lockstep-local-size", "lockstep-sub-group-size"
//         (1: nothing to do).
// Output: `__lockstep_local_id` is the id of the sub-group's first lane, the same for all lanes;
//         `__lockstep_lane` is the only source of difference between lanes, besides memory.
//
// A sub-group is W work-items with consecutive linear ids. How its ids follow from the first lane's
// depends on the local size, and that decides whether memory accesses are contiguous later:
//   - rows of a multiple of W, or a single row: x = first.x + lane; y and z do not differ;
//   - rows that divide W: x = lane mod row, y = first.y + lane / row, functions of the lane known
//   to the compiler;
//   - else: division of the linear id; by floating-point where the size is not known, since vectors
//     of integers have no division (linear ids are below 2^13, so it is exact).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LaneIdsPass : public llvm::PassInfoMixin<LaneIdsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
