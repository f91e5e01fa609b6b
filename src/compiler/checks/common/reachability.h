// Visits the instructions that can execute after an instruction.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instruction.h"

namespace lockstep::compiler {

// Visits each instruction reachable from `start`, without passing instructions in `ends`.
template <class Visit>
void visit_until(const llvm::Instruction *start,
                 const llvm::DenseSet<const llvm::Instruction *> &ends, Visit visit) {
  llvm::DenseSet<const llvm::BasicBlock *> seen; // visited from their first instruction
  llvm::SmallVector<const llvm::Instruction *> open = {start};
  while (!open.empty()) {
    const llvm::Instruction *next = open.pop_back_val();
    for (; next && !ends.contains(next); next = next->getNextNode()) {
      visit(*next);
      if (!next->isTerminator())
        continue;
      for (const llvm::BasicBlock *block : llvm::successors(next->getParent()))
        if (seen.insert(block).second)
          open.push_back(&block->front());
    }
  }
}

} // namespace lockstep::compiler
