// Which blocks all ways through one iteration of a loop come to before it ends: by the back edge, an exit or a return.
//
// Post-dominators of the loop's blocks, where an edge to the header or out of the loop leads to the end; for the function,
// its post-dominators. Ways that never end do not count. A walk for each question would make linearise quadratic in
// the number of branches.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class BasicBlock;
class Loop;
} // namespace llvm

namespace lockstep::compiler {

class IterationEnds {
public:
  // `level` null: the function. `blocks`: those of the function, others than the level's may be among them.
  IterationEnds(const llvm::Loop *level, llvm::ArrayRef<llvm::BasicBlock *> blocks);

  // Do all that go on from `from` come to `by`, another block, before the iteration ends?
  bool always_comes_to(const llvm::BasicBlock &by, const llvm::BasicBlock &from) const;

  // Do the ways from these blocks, which may lie outside, come to one block (one of them may be it)?
  bool meet(llvm::ArrayRef<llvm::BasicBlock *> sources) const;

private:
  static constexpr unsigned end = 0; // number of the end; blocks that reach it have larger ones
  static constexpr unsigned none = ~0U;

  const llvm::BasicBlock *header_ = nullptr; // of the loop
  unsigned intersect(unsigned one, unsigned other) const;

  llvm::DenseMap<const llvm::BasicBlock *, unsigned>
      numbers_;                // of the level's blocks; none: reaches no end
  std::vector<unsigned> next_; // that all come to next; below the own number
  std::vector<unsigned> first_,
      last_; // of the part of the tree below: numbers in the order of a walk
};

} // namespace lockstep::compiler
