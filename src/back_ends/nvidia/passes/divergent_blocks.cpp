#include "back_ends/nvidia/passes/divergent_blocks.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"

namespace lockstep::compiler {

// Behind a divergent branch: all blocks up to the point where its paths meet again. If the paths
// form a loop, all of the loop.
llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_blocks(llvm::Function &function,
                                                                 UniformityLevel level) {
  const llvm::DominatorTree dominators(function);
  const llvm::PostDominatorTree behind(function);
  const Uniformity uniformity(function, dominators, level);
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent;
  for (const llvm::BasicBlock &block : function) {
    if (uniformity.has_uniform_branch(block))
      continue;
    const auto *node = behind.getNode(&block);
    const llvm::BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
    llvm::SmallVector<const llvm::BasicBlock *> open(llvm::successors(&block));
    while (!open.empty()) {
      const llvm::BasicBlock *next = open.pop_back_val();
      if (next == end || !seen.insert(next).second)
        continue;
      open.append(llvm::succ_begin(next), llvm::succ_end(next));
    }
    divergent.insert(seen.begin(), seen.end());
  }
  return divergent;
}

} // namespace lockstep::compiler
