// Splits structures and arrays that are SSA values, so that each field becomes a vector over the
// lanes.
//
// Input:  the kernel of one work-item. The front end moves structures through memory; LLVM, and
//         front ends of other languages, may turn them into values.
// Output: no load, store, phi, select, freeze or insertvalue of an aggregate. Where an instruction
//         takes an aggregate, it is assembled just before. An instruction that returns one (a sum
//         with overflow flag, a compare-exchange, inline assembly) remains, and its fields are
//         extracted just behind it.
//
// Runs before split-vectors, as a field may be a vector.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SplitAggregatesPass : public llvm::PassInfoMixin<SplitAggregatesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
