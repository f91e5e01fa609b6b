#include "compiler/ir_to_workgroup/linearize/lane_flow.h"

#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Loop;

// The loop just below `level` that holds `block`; null if `block` is of the level itself.
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

// What a walk from `sources` through one iteration of `level` (null: the function) meets without
// passing `avoided`.
struct Walk {
  llvm::SmallPtrSet<const BasicBlock *, 32> seen;
  bool ends_iteration = false; // reached the back edge, an exit or the return

  Walk(llvm::ArrayRef<BasicBlock *> sources, const BasicBlock *avoided, const Loop *level) {
    llvm::SmallVector<const BasicBlock *> open;
    auto visit = [&](const BasicBlock *block) {
      if (block == avoided)
        return;
      if (!is_in(level, block) || (level && block == level->getHeader())) {
        ends_iteration = true;
        return;
      }
      if (seen.insert(block).second)
        open.push_back(block);
    };
    for (const BasicBlock *source : sources)
      visit(source);
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      ends_iteration |= llvm::succ_empty(block);
      for (const BasicBlock *next : llvm::successors(block))
        visit(next);
    }
  }
};

llvm::SmallVector<BasicBlock *> successor_list(const BasicBlock *block) {
  return {llvm::succ_begin(const_cast<BasicBlock *>(block)),
          llvm::succ_end(const_cast<BasicBlock *>(block))};
}

} // namespace

LaneFlow::LaneFlow(llvm::Function &function, llvm::DominatorTree &dominators, llvm::LoopInfo &loops)
    : dominators_(dominators), loops_(loops) {
  find_divergent_branches(function, Uniformity(function, dominators, UniformityLevel::sub_group));
  auto outer_first = loops_.getLoopsInPreorder();
  for (const Loop *loop : llvm::reverse(outer_first))
    find_divergent_loop(*loop);
  llvm::ReversePostOrderTraversal<llvm::Function *> flow(&function);
  std::vector<BasicBlock *> flow_order(flow.begin(), flow.end());
  order_level(nullptr, flow_order);
  for (BasicBlock *block : order_)
    leaders_[block] = find_leader(*block);
}

// What a work-item that starts at `start` can meet first: blocks with a group operation, or the
// return.
llvm::SmallPtrSet<const BasicBlock *, 8> first_meetings(const BasicBlock *start) {
  llvm::SmallPtrSet<const BasicBlock *, 8> meetings;
  llvm::SmallPtrSet<const BasicBlock *, 32> seen = {start};
  llvm::SmallVector<const BasicBlock *> open = {start};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (llvm::succ_empty(block) ||
        llvm::any_of(*block, [](const llvm::Instruction &it) { return is_group_operation(it); })) {
      meetings.insert(block);
      continue;
    }
    for (const BasicBlock *next : llvm::successors(block))
      if (seen.insert(next).second)
        open.push_back(next);
  }
  return meetings;
}

// A work-item that ends does not meet others: `if (get_global_id(0) >= n) return;` before a barrier.
bool only_ends(const llvm::SmallPtrSetImpl<const BasicBlock *> &meetings) {
  return llvm::all_of(meetings, [](const BasicBlock *block) { return llvm::succ_empty(block); });
}

void LaneFlow::find_divergent_branches(llvm::Function &function, const Uniformity &uniformity) {
  for (BasicBlock &block : function) {
    for (const llvm::PHINode &phi : block.phis())
      if (uniformity.is_uniform(phi))
        uniform_phis_.insert(&phi);
    if (llvm::succ_empty(&block) || uniformity.has_uniform_branch(block)) // a result may differ
      continue;
    auto ways = successor_list(&block);
    auto left = first_meetings(ways.front()), right = first_meetings(ways.back());
    bool meets_apart = !only_ends(left) && !only_ends(right) &&
                       llvm::none_of(left, [&](auto *meeting) { return right.contains(meeting); });
    (meets_apart ? uniform_by_barrier_ : divergent_branches_).insert(&block);
  }
}

// Do the lanes that part at `sources` all pass one block before this iteration ends?
bool meet_again(llvm::ArrayRef<BasicBlock *> sources, const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    if (block != loop.getHeader() && !Walk(sources, block, &loop).ends_iteration)
      return true;
  return false;
}

void LaneFlow::find_divergent_loop(const Loop &loop) {
  if (loop.hasNoExitBlocks())
    return;
  bool leaves_apart = false;
  for (const BasicBlock *block : loop.blocks())
    if (!leaves_apart && loops_.getLoopFor(block) == &loop && divergent_branches_.contains(block))
      leaves_apart = !meet_again(successor_list(block), loop);
  for (const Loop *inner : loop) {
    if (leaves_apart || !divergent_loops_.contains(inner))
      continue;
    llvm::SmallVector<BasicBlock *> ways;
    inner->getUniqueExitBlocks(ways);
    leaves_apart = ways.size() > 1 && !meet_again(ways, loop);
  }
  if (leaves_apart)
    divergent_loops_.insert(&loop);
}

// Appends the blocks of one level. An inner loop counts as one node here and is ordered by itself
// in its place.
void LaneFlow::order_level(const Loop *level, llvm::ArrayRef<BasicBlock *> flow_order) {
  auto node_of = [&](BasicBlock *block) {
    const Loop *child = child_loop(loops_, block, level);
    return child ? child->getHeader() : block;
  };
  llvm::DenseMap<BasicBlock *, llvm::SmallVector<BasicBlock *, 4>> dominated; // in flow order
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
      Walk(successor_list(before), &block, level).ends_iteration)
    return &block;
  return leaders_.lookup(before);
}

} // namespace lockstep::compiler
