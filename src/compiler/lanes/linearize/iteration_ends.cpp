#include "compiler/lanes/linearize/iteration_ends.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"

namespace lockstep::compiler {

namespace {

bool is_in(const llvm::Loop *level, const llvm::BasicBlock *block) {
  return !level || level->contains(block);
}

// Does an edge to `to` end the iteration?
bool ends_at(const llvm::Loop *level, const llvm::BasicBlock *to) {
  return level && (to == level->getHeader() || !level->contains(to));
}

bool has_end(const llvm::Loop *level, const llvm::BasicBlock *block) {
  return llvm::succ_empty(block) ||
         llvm::any_of(llvm::successors(block), [&](auto *next) { return ends_at(level, next); });
}

// Returns the blocks in post-order of a backward walk from the end.
std::vector<const llvm::BasicBlock *>
backward_post_order(const llvm::Loop *level, llvm::ArrayRef<llvm::BasicBlock *> blocks) {
  std::vector<const llvm::BasicBlock *> order;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> seen;
  llvm::SmallVector<std::pair<const llvm::BasicBlock *, llvm::const_pred_iterator>> open;
  auto enter = [&](const llvm::BasicBlock *block) {
    if (is_in(level, block) && seen.insert(block).second)
      open.emplace_back(block, llvm::pred_begin(block));
  };
  for (const llvm::BasicBlock *root : blocks) {
    if (!is_in(level, root) || !has_end(level, root))
      continue;
    enter(root);
    while (!open.empty()) {
      auto &[block, next] = open.back();
      if (next == llvm::pred_end(block) || (level && block == level->getHeader())) {
        order.push_back(block);
        open.pop_back();
      } else {
        enter(*next++);
      }
    }
  }
  return order;
}

} // namespace

IterationEnds::IterationEnds(const llvm::Loop *level, llvm::ArrayRef<llvm::BasicBlock *> blocks)
    : header_(level ? level->getHeader() : nullptr) {
  std::vector<const llvm::BasicBlock *> order = backward_post_order(level, blocks);
  for (const llvm::BasicBlock *block : blocks)
    if (is_in(level, block))
      numbers_[block] = none;
  for (unsigned index = 0; index != order.size(); ++index)
    numbers_[order[index]] = static_cast<unsigned>(order.size()) - index;
  std::reverse(order.begin(), order.end()); // block `number` is now at index `number - 1`
  // Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
  next_.assign(order.size() + 1, none);
  next_[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned number = 1; number <= order.size(); ++number) {
      const llvm::BasicBlock *block = order[number - 1];
      unsigned point = has_end(level, block) ? end : none;
      for (const llvm::BasicBlock *next : llvm::successors(block)) {
        if (ends_at(level, next))
          continue;
        unsigned successor = numbers_.lookup(next);
        if (successor != none && next_[successor] != none)
          point = point == none ? successor : intersect(point, successor);
      }
      changed |= next_[number] != point;
      next_[number] = point;
    }
  }
  // Preorder intervals of the tree; children have larger numbers than their parents.
  std::vector<unsigned> size(order.size() + 1, 1);
  for (unsigned number = order.size(); number != end; --number)
    size[next_[number]] += size[number];
  first_.assign(order.size() + 1, 0);
  last_.assign(order.size() + 1, size[end]);
  std::vector<unsigned> used(order.size() + 1, 1);
  for (unsigned number = 1; number <= order.size(); ++number) {
    unsigned parent = next_[number];
    first_[number] = first_[parent] + used[parent];
    last_[number] = first_[number] + size[number];
    used[parent] += size[number];
  }
}

unsigned IterationEnds::intersect(unsigned one, unsigned other) const {
  while (one != other)
    if (one > other)
      one = next_[one];
    else
      other = next_[other];
  return one;
}

bool IterationEnds::always_comes_to(const llvm::BasicBlock &by,
                                    const llvm::BasicBlock &from) const {
  unsigned start = numbers_.find(&from)->second, goal = numbers_.find(&by)->second;
  if (start == none)
    return true;
  return goal != none && first_[goal] < first_[start] && first_[start] < last_[goal];
}

bool IterationEnds::meet(llvm::ArrayRef<llvm::BasicBlock *> sources) const {
  unsigned point = none;
  for (const llvm::BasicBlock *source : sources) {
    auto found = numbers_.find(source);
    unsigned number = found == numbers_.end() || source == header_ ? end : found->second;
    if (number != none)
      point = point == none ? number : intersect(point, number);
  }
  return point != end;
}

} // namespace lockstep::compiler
