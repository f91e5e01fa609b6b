// Gives each lane its own copy of a private variable, laid out so that lanes lie side by side.
//
// Input:  the kernel after lane-ids; allocas (in the entry block) belong to one work-item.
// Output: allocas belong to the sub-group (metadata "lockstep.sub.group.variable"); addresses
//         contain `__lockstep_lane`.
//
// An array that is only loaded and stored in elements of one size is interleaved: element e of lane
// l lies at e * W + l, so an access with the same index in all lanes is one vector load. Where
// elements of different sizes are used, or the address gets away (printf), each lane's copy stays
// in one piece, and accesses are gathers. Whether what is passed to a kept function is interleaved,
// and so what a parameter points to, lane-functions has decided and marked.
//
// Before linearise, because the address arithmetic is ordinary code of each lane.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class InterleavePrivatePass : public llvm::PassInfoMixin<InterleavePrivatePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
