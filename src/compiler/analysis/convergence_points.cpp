#include "compiler/analysis/convergence_points.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"

namespace lockstep::compiler {

using llvm::BasicBlock;

static bool is_convergence_point(const BasicBlock &block) {
  return llvm::succ_empty(&block) ||
         llvm::any_of(block, [](const llvm::Instruction &it) { return is_group_operation(it); });
}

ConvergencePoints::ConvergencePoints(llvm::Function &function) {
  llvm::SmallVector<BasicBlock *> order(llvm::post_order(&function));
  for (BasicBlock *block : order)
    if (is_convergence_point(*block))
      blocks_.push_back(block);
  ends_.resize(blocks_.size());
  for (BasicBlock *block : order)
    first_.try_emplace(block, blocks_.size());
  for (size_t number = 0; number != blocks_.size(); ++number) {
    first_.find(blocks_[number])->second.set(number);
    if (llvm::succ_empty(blocks_[number]))
      ends_.set(number);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock *block : order) {
      if (is_convergence_point(*block))
        continue;
      llvm::BitVector &points = first_.find(block)->second;
      unsigned known = points.count();
      for (BasicBlock *next : llvm::successors(block))
        points |= first_.find(next)->second;
      changed |= points.count() != known;
    }
  }
}

bool ConvergencePoints::decides(const BasicBlock *one, const BasicBlock *other) const {
  const llvm::BitVector &left = first_.find(one)->second, &right = first_.find(other)->second;
  return left.test(ends_) && right.test(ends_) && !left.anyCommon(right);
}

bool ConvergencePoints::lead_to_the_same(const BasicBlock *one, const BasicBlock *other,
                                         const llvm::Cycle &cycle) const {
  const llvm::BitVector &left = first_.find(one)->second, &right = first_.find(other)->second;
  return left == right && left.any() && llvm::all_of(left.set_bits(), [&](unsigned number) {
           return cycle.contains(blocks_[number]);
         });
}

} // namespace lockstep::compiler
