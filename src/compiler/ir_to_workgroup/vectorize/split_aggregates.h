// Takes structures and arrays that are values apart, so that each field becomes a vector over the
// lanes.
//
// Input:  the kernel of one work-item. The front end moves structures through memory; LLVM may make
//         them values, as may front ends of other languages.
// Output: no load, store, phi, select, freeze or insertvalue of an aggregate, but where an
//         instruction takes one, which is put together just before it. Those that give one (a sum
//         with its overflow, a compare and exchange, inline assembly) stay, and are taken apart
//         just behind.
//
// Before split-vectors: a field may be a vector.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SplitAggregatesPass : public llvm::PassInfoMixin<SplitAggregatesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
