// Decides whether to test for active lanes before a block and all that it dominates.
//
// A test costs a move from a mask register and a branch. It is required where running without an
// active lane would be wrong: a load through a uniform address, or a branch on a value that only
// active lanes computed.
#pragma once

#include "compiler/analysis/cost/cost_model.h"

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

class SkipCost {
public:
  SkipCost(const llvm::Function &function, const llvm::DominatorTree &dominators,
           const llvm::LoopInfo &loops, const CostModel &model);
  bool pays(const llvm::BasicBlock &block) const { return pays_.lookup(&block); }

private:
  llvm::DenseMap<const llvm::BasicBlock *, bool> pays_;
};

} // namespace lockstep::compiler
