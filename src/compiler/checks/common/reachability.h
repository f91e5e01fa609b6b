// Visits the instructions that can execute after an instruction.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instruction.h"

namespace lockstep::compiler {

// Visits each instruction reachable from `start`, without passing instructions in `ends`, and only
// along edges (from, to) for which `may_take` returns true.
template <class Visit, class MayTake>
void visit_until(const llvm::Instruction *start,
                 const llvm::DenseSet<const llvm::Instruction *> &ends, Visit visit,
                 MayTake may_take) {
  llvm::DenseSet<const llvm::BasicBlock *> seen; // visited from their first instruction
  llvm::SmallVector<const llvm::Instruction *> open = {start};
  while (!open.empty()) {
    const llvm::Instruction *next = open.pop_back_val();
    for (; next && !ends.contains(next); next = next->getNextNode()) {
      visit(*next);
      if (!next->isTerminator())
        continue;
      for (const llvm::BasicBlock *block : llvm::successors(next->getParent()))
        if (may_take(next->getParent(), block) && seen.insert(block).second)
          open.push_back(&block->front());
    }
  }
}

template <class Visit>
void visit_until(const llvm::Instruction *start,
                 const llvm::DenseSet<const llvm::Instruction *> &ends, Visit visit) {
  visit_until(start, ends, visit,
              [](const llvm::BasicBlock *, const llvm::BasicBlock *) { return true; });
}

} // namespace lockstep::compiler
