// Lets private variables be plain that are volatile without a reason: those that are written once, before they are read.
//
// `volatile int tid = get_local_id(0) + 16 * get_local_id(1);` is how CLBlast keeps a GPU's compiler from computing it anew. Here
// each lane would store and load it by itself, and what comes back could be anything: all that is addressed by it becomes
// gathers and scatters.
//
// Nobody else sees private memory. What is written more than once stays as it is, for loops that shall take time.
//
// Input:  any function.
// Output: accesses of such variables are not volatile, if the variable's address is used for nothing else.
//
// After inlining, before the last SROA makes values of variables.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class VolatileConstantsPass : public llvm::PassInfoMixin<VolatileConstantsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
