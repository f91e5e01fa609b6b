// Finds which blocks all paths through one iteration of a loop reach before the iteration ends by
// the back edge, an exit or a return.
//
// Computes post-dominators of the loop's blocks, where edges to the header and out of the loop lead
// to a virtual end. For a whole function these are its post-dominators. Paths that never end do not
// count. The tree is computed once per loop: a walk for each query would make linearize quadratic
// in the number of branches.
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
  // `level`: the loop, or null for the whole function. `blocks` may include blocks outside of the
  // loop.
  IterationEnds(const llvm::Loop *level, llvm::ArrayRef<llvm::BasicBlock *> blocks);

  // Do all paths from `from` reach `by`, a different block, before the iteration ends?
  bool always_comes_to(const llvm::BasicBlock &by, const llvm::BasicBlock &from) const;

  // Do the paths from these blocks converge in one block, possibly one of `sources`? The blocks may
  // be outside of the loop.
  bool meet(llvm::ArrayRef<llvm::BasicBlock *> sources) const;

private:
  // Number of the virtual end; blocks that reach it have larger numbers.
  static constexpr unsigned end = 0;
  static constexpr unsigned none = ~0U;

  const llvm::BasicBlock *header_ = nullptr; // of the loop
  unsigned intersect(unsigned one, unsigned other) const;

  llvm::DenseMap<const llvm::BasicBlock *, unsigned>
      numbers_; // of the loop's blocks; `none`: never reaches the end
  // Immediate post-dominators, by number; always smaller than the block's own number.
  std::vector<unsigned> next_;
  std::vector<unsigned> first_,
      last_; // The preorder intervals of the subtrees of the post-dominator tree.
};

} // namespace lockstep::compiler
