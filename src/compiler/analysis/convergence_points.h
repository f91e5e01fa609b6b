// Determines which group operations a work-item can reach next. All work-items of a group reach the
// same ones, so these are where lanes that diverged meet.
//
// Requires: for decides(), no switch and one return. A return counts as a meeting, too.
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Function.h"

#include <vector>

namespace lockstep::compiler {

class ConvergencePoints {
public:
  explicit ConvergencePoints(llvm::Function &function);

  // Do these two paths lead to different group operations? A path to the return does not count: `if
  // (get_global_id(0) >= n) return;` before a barrier.
  bool decides(const llvm::BasicBlock *one, const llvm::BasicBlock *other) const;

  // Do both paths lead to the same group operations, all of them in the cycle?
  bool lead_to_the_same(const llvm::BasicBlock *one, const llvm::BasicBlock *other,
                        const llvm::Cycle &cycle) const;

private:
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> first_; // by numbers in blocks_
  std::vector<const llvm::BasicBlock *> blocks_;
  llvm::BitVector ends_; // meetings that return
};

} // namespace lockstep::compiler
