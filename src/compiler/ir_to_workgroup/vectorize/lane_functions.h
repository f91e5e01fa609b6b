// Makes functions for sub-groups of the functions that are kept.
//
// Input:  after lane-ids: the kernel has a sub-group size of more than one; kept functions have plain signatures and are
//         those of one work-item.
// Output: beside each function f that lanes come to, f.lanes for one sub-group, on which the rest of the lanes stage
//         works as it does on the kernel:
//           - its first parameter is the lanes that are active, a bit each (lane 0 the lowest);
//           - a parameter is a scalar where all calls agree that it is the same in all lanes, or that it is the address
//             of each lane's own element in a row of interleaved memory (then it is lane 0's), else a vector;
//           - its result is a vector (or a structure of vectors).
//         f says by an attribute that f.lanes exists; calls of f stay as they are, and packetize replaces them.
//
// What one lane has of a vector is `extractelement` by __lockstep_lane, and the vector that lanes return is
// `insertelement` by it. To all passes until packetize this is ordinary code of one work-item; packetize takes the first
// for the vector, and the second for the vector of what is inserted.
//
// Private variables that may be interleaved although their addresses are passed (private_layouts.h) are marked, and what
// stands for such an address in f.lanes as well; interleave-private does it.
//
// Callers come before what they call, so that it is known what is uniform in them. A function that cannot have lanes (it
// never returns, or holds what find_unsupported knows), or where they lose (analyze/switch_cost.h), is called for one lane after the other, and so is all it calls.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LaneFunctionsPass : public llvm::PassInfoMixin<LaneFunctionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
