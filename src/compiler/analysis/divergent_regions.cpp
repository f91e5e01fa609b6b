#include "compiler/analysis/divergent_regions.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

class RegionGrower {
public:
  RegionGrower(const llvm::DominatorTree &dominators,
               const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
               BasicBlock &branch)
      : dominators_(dominators), post_dominators_(post_dominators), loops_(loops), from_(&branch) {}

  // Grows the region until it has a single entry and a single exit; returns false if there is none.
  bool grow() {
    do {
      if (!from_ || !find_end())
        return false;
      find_inside();
    } while (!is_closed());
    return true;
  }

  BasicBlock *from() const { return from_; }
  BasicBlock *to() const { return to_; }
  const llvm::SmallPtrSetImpl<BasicBlock *> &inside() const { return inside_; }

private:
  bool find_end() {
    auto *node = post_dominators_.getNode(from_);
    while (node && (!node->getBlock() || node->getBlock() == from_ ||
                    (to_ && !post_dominators_.dominates(node->getBlock(), to_))))
      node = node->getIDom();
    to_ = node ? node->getBlock() : nullptr;
    return to_ != nullptr;
  }

  void find_inside() {
    inside_.clear();
    llvm::SmallVector<BasicBlock *> open = {from_};
    while (!open.empty())
      for (BasicBlock *next : llvm::successors(open.pop_back_val()))
        if (next != to_ && inside_.insert(next).second)
          open.push_back(next);
  }

  // If the region is not closed, moves `from_` up and returns false.
  bool is_closed() {
    if (inside_.contains(from_)) { // a loop with an exit here: take the whole loop
      llvm::Loop *whole = nullptr;
      for (llvm::Loop *loop = loops_.getLoopFor(from_); loop && !loop->contains(to_);
           loop = loop->getParentLoop())
        whole = loop;
      from_ = whole ? whole->getLoopPreheader() : nullptr;
      return false;
    }
    for (BasicBlock *block : inside_)
      if (!dominators_.properlyDominates(from_, block)) {
        from_ = dominators_.findNearestCommonDominator(from_, block);
        return false;
      }
    return true;
  }

  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &post_dominators_;
  const llvm::LoopInfo &loops_;
  BasicBlock *from_, *to_ = nullptr;
  llvm::SmallPtrSet<BasicBlock *, 16> inside_;
};

} // namespace

std::optional<std::vector<DivergentRegion>>
find_divergent_regions(llvm::Function &function, const llvm::DominatorTree &dominators,
                       const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                       llvm::function_ref<bool(const BasicBlock &)> parts_at_end) {
  std::vector<DivergentRegion> regions;
  llvm::ReversePostOrderTraversal<llvm::Function *> order(&function);
  llvm::SmallPtrSet<const BasicBlock *, 32> known;
  for (BasicBlock *block : order) {
    if (known.contains(block) || !parts_at_end(*block))
      continue;
    RegionGrower grower(dominators, post_dominators, loops, *block);
    if (!grower.grow())
      return std::nullopt;
    const auto &inside = grower.inside();
    std::erase_if(regions, [&](const DivergentRegion &other) {
      return other.from == grower.from() || inside.contains(other.from);
    });
    DivergentRegion region{grower.from(), grower.to(), {}};
    for (BasicBlock *each : order)
      if (inside.contains(each)) {
        region.blocks.push_back(each);
        known.insert(each);
      }
    known.insert(block);
    regions.push_back(std::move(region));
  }
  return regions;
}

} // namespace lockstep::compiler
