// Finds the values that are used behind the begin of a block and computed before it.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

class LiveValues {
public:
  using Set = llvm::SmallSetVector<llvm::Instruction *, 16>;

  // Those that `counts` is true for.
  template <class Counts> LiveValues(llvm::Function &function, const Counts &counts) {
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (counts(instruction))
          follow(instruction);
  }
  // At the begin of the block, which has no phi.
  const Set &at(const llvm::BasicBlock *block) { return live_[block]; }

private:
  // From each use back to the value.
  void follow(llvm::Instruction &value) {
    llvm::SmallVector<llvm::BasicBlock *> open;
    for (const llvm::Use &use : value.uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      llvm::BasicBlock *block = user->getParent();
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user)) {
        block = phi->getIncomingBlock(use);
        if (block == value.getParent())
          continue; // at its end
      } else if (block == value.getParent()) {
        continue; // behind it
      }
      open.push_back(block);
    }
    while (!open.empty()) {
      llvm::BasicBlock *block = open.pop_back_val();
      if (!live_[block].insert(&value))
        continue;
      for (llvm::BasicBlock *before : llvm::predecessors(block))
        if (before != value.getParent())
          open.push_back(before);
    }
  }

  llvm::DenseMap<const llvm::BasicBlock *, Set> live_;
};

} // namespace lockstep::compiler
