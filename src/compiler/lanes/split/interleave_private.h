// Gives each lane its own copy of a private variable, interleaved over the lanes where possible.
//
// Input:  the kernel after lane-ids; allocas (in the entry block) belong to one work-item.
// Output: allocas belong to the sub-group (metadata "lockstep.sub.group.variable"); addresses
//         contain `__lockstep_lane`.
//
// An array that is only loaded and stored in elements of one size is interleaved: element e of lane
// l is at index e * W + l. An access with a uniform index is then one vector load. If elements have
// different sizes, or the address escapes (printf), each lane's copy remains in one piece and
// accesses are gathers. For variables passed to out-of-line functions, and for parameters of these,
// vector-variants decides and marks the variable.
//
// Runs before linearize, because the address arithmetic is ordinary per-lane code.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class InterleavePrivatePass : public llvm::PassInfoMixin<InterleavePrivatePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
