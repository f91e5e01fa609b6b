// Drops `volatile` from private variables that are written once, before they are read.
//
// CLBlast writes `volatile int tid = get_local_id(0) + 16 * get_local_id(1);` to keep a GPU's
// compiler from rematerializing the value. Here each lane would store and load it separately, and
// the loaded value would be unknown: all accesses addressed by it would become gathers and
// scatters.
//
// No other thread sees private memory. Variables with several writes do not change, for loops that
// are meant to take time.
//
// Requires: any function.
// Ensures: accesses of such variables are not volatile, if the variable's address has no other use.
//
// Position: after inlining, before the last SROA promotes variables to values.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class VolatileConstantsPass : public llvm::PassInfoMixin<VolatileConstantsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
