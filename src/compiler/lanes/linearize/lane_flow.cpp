#include "compiler/lanes/linearize/lane_flow.h"

#include "compiler/analysis/convergence_points.h"

#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Loop;

// Returns the loop directly below `level` that contains `block`, or null if no inner loop does.
const Loop *child_loop(const llvm::LoopInfo &loops, const BasicBlock *block, const Loop *level) {
  const Loop *loop = loops.getLoopFor(block);
  if (loop == level)
    return nullptr;
  while (loop && loop->getParentLoop() != level)
    loop = loop->getParentLoop();
  return loop;
}

bool is_in(const Loop *level, const BasicBlock *block) {
  return !level || level->contains(block);
}

llvm::SmallVector<BasicBlock *> successor_list(const BasicBlock *block) {
  return {llvm::succ_begin(const_cast<BasicBlock *>(block)),
          llvm::succ_end(const_cast<BasicBlock *>(block))};
}

// Computes a reverse post-order in which the path of a branch that contains a wait comes first. A
// lane that waits for a limited time then does not see what the other path writes, as if all lanes
// ran in step.
class WaitsFirst {
public:
  WaitsFirst(llvm::Function &function, const llvm::DominatorTree &dominators)
      : dominators_(dominators) {
    for (BasicBlock &block : function)
      if (llvm::any_of(block, [](const llvm::Instruction &it) {
            return called_primitive(it) == Primitive::wait;
          }))
        waits_.push_back(&block);
    visit(function.getEntryBlock());
    std::reverse(order_.begin(), order_.end());
  }
  std::vector<BasicBlock *> order() && { return std::move(order_); }

private:
  void visit(BasicBlock &entry) {
    struct Open {
      BasicBlock *block;
      llvm::SmallVector<BasicBlock *> successors; // visited from the back
    };
    std::vector<Open> open;
    auto enter = [&](BasicBlock &block) {
      if (seen_.insert(&block).second)
        open.push_back({&block, ordered_successors(block)});
    };
    enter(entry);
    while (!open.empty()) {
      if (open.back().successors.empty()) {
        order_.push_back(open.back().block);
        open.pop_back();
      } else {
        enter(*open.back().successors.pop_back_val());
      }
    }
  }

  // The successor that is visited last comes first in the order.
  llvm::SmallVector<BasicBlock *> ordered_successors(const BasicBlock &block) const {
    llvm::SmallVector<BasicBlock *> successors;
    for (bool with_wait : {true, false})
      for (BasicBlock *successor : successor_list(&block))
        if (has_wait(*successor) == with_wait)
          successors.push_back(successor);
    return successors;
  }

  bool has_wait(const BasicBlock &successor) const {
    return llvm::any_of(waits_,
                        [&](auto *wait) { return dominators_.dominates(&successor, wait); });
  }

  const llvm::DominatorTree &dominators_;
  llvm::SmallVector<const BasicBlock *> waits_;
  llvm::SmallPtrSet<const BasicBlock *, 32> seen_;
  std::vector<BasicBlock *> order_;
};

std::vector<BasicBlock *> flow_order_of(llvm::Function &function,
                                        const llvm::DominatorTree &dominators) {
  if (function.hasFnAttribute(waits_are_limited))
    return WaitsFirst(function, dominators).order();
  llvm::ReversePostOrderTraversal<llvm::Function *> flow(&function);
  return {flow.begin(), flow.end()};
}

} // namespace

LaneFlow::LaneFlow(llvm::Function &function, llvm::DominatorTree &dominators, llvm::LoopInfo &loops)
    : dominators_(dominators), loops_(loops) {
  find_divergent_branches(function, Uniformity(function, dominators, UniformityLevel::sub_group));
  flow_order_ = flow_order_of(function, dominators);
  auto outer_first = loops_.getLoopsInPreorder();
  for (const Loop *loop : llvm::reverse(outer_first))
    find_divergent_loop(*loop);
  order_level(nullptr, flow_order_);
  for (BasicBlock *block : order_)
    leaders_[block] = find_leader(*block);
}

void LaneFlow::find_divergent_branches(llvm::Function &function, const Uniformity &uniformity) {
  ConvergencePoints points(function);
  for (BasicBlock &block : function) {
    for (const llvm::PHINode &phi : block.phis())
      if (uniformity.is_uniform(phi))
        uniform_phis_.insert(&phi);
    // The value of a return may be divergent, but there is no branch.
    if (llvm::succ_empty(&block) || uniformity.has_uniform_branch(block))
      continue;
    auto successors = successor_list(&block);
    bool reaches_others = points.decides(successors.front(), successors.back());
    (reaches_others ? uniform_by_barrier_ : divergent_branches_).insert(&block);
  }
}

void LaneFlow::find_divergent_loop(const Loop &loop) {
  if (loop.hasNoExitBlocks())
    return;
  bool exits_reach_others = false;
  for (const BasicBlock *block : loop.blocks())
    if (!exits_reach_others && loops_.getLoopFor(block) == &loop &&
        divergent_branches_.contains(block))
      exits_reach_others = !ends_of(&loop).meet(successor_list(block));
  for (const Loop *inner : loop) {
    if (exits_reach_others || !divergent_loops_.contains(inner))
      continue;
    llvm::SmallVector<BasicBlock *> successors;
    inner->getUniqueExitBlocks(successors);
    exits_reach_others = successors.size() > 1 && !ends_of(&loop).meet(successors);
  }
  if (exits_reach_others)
    divergent_loops_.insert(&loop);
}

const IterationEnds &LaneFlow::ends_of(const Loop *level) {
  auto &ends = ends_[level];
  if (!ends)
    ends = std::make_unique<IterationEnds>(level, flow_order_);
  return *ends;
}

// Appends the blocks of one loop level. An inner loop counts as one node and is ordered
// recursively.
void LaneFlow::order_level(const Loop *level, llvm::ArrayRef<BasicBlock *> flow_order) {
  auto node_of = [&](BasicBlock *block) {
    const Loop *child = child_loop(loops_, block, level);
    return child ? child->getHeader() : block;
  };
  // Children in the dominator tree, in flow order.
  llvm::DenseMap<BasicBlock *, llvm::SmallVector<BasicBlock *, 4>> dominated;
  BasicBlock *root = nullptr;
  for (BasicBlock *block : flow_order) {
    if (!is_in(level, block) || node_of(block) != block)
      continue;
    if (!root) {
      root = block;
      continue;
    }
    dominated[node_of(dominators_.getNode(block)->getIDom()->getBlock())].push_back(block);
  }
  llvm::SmallVector<BasicBlock *> open = {root};
  while (!open.empty()) {
    BasicBlock *node = open.pop_back_val();
    if (const Loop *child = child_loop(loops_, node, level))
      order_level(child, flow_order);
    else
      order_.push_back(node);
    for (BasicBlock *next : llvm::reverse(dominated[node]))
      open.push_back(next);
  }
}

BasicBlock *LaneFlow::find_leader(BasicBlock &block) {
  const Loop *level = loops_.getLoopFor(&block);
  auto *node = dominators_.getNode(&block)->getIDom();
  if (!node || (level && level->getHeader() == &block))
    return &block;
  BasicBlock *before = node->getBlock();
  if (const Loop *child = child_loop(loops_, before, level))
    before = child->getLoopPreheader();
  if (!before || loops_.getLoopFor(before) != level ||
      !ends_of(level).always_comes_to(block, *before))
    return &block;
  return leaders_.lookup(before);
}

} // namespace lockstep::compiler
