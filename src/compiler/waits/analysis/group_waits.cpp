#include "compiler/waits/analysis/group_waits.h"

#include "abi/resumable_abi.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/analysis/wait_lanes.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

bool is_of_sub_group(const llvm::Instruction &instruction) {
  auto primitive = called_primitive(instruction);
  return primitive && is_sub_group_operation(*primitive);
}

bool is_visible(const llvm::Instruction &instruction) {
  return !is_of_sub_group(instruction) && !is_group_operation(instruction) &&
         is_visible_to_others(instruction);
}

// True if the instruction accesses memory, so that holding it back matters. Members of function
// objects are read as arguments are.
bool is_work(const llvm::Instruction &instruction) {
  return instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(instruction) &&
         !member_of(instruction) &&
         !llvm::cast<llvm::Instruction>(instruction).isDebugOrPseudoInst();
}

bool has_group_operation(const BasicBlock &block) {
  return llvm::any_of(block, [](const llvm::Instruction &it) { return is_group_operation(it); });
}

bool has_group_operation(const llvm::Loop &loop) {
  return llvm::any_of(loop.blocks(), [](auto *block) { return has_group_operation(*block); });
}

// True if the loop does nothing but combine what its work-items read at one address.
bool is_collective_poll(const Wait &wait) {
  if (wait.accesses.size() != 1 || !wait.state.empty())
    return false;
  for (const BasicBlock *block : wait.loop->blocks())
    for (const llvm::Instruction &it : *block)
      if (is_visible_to_others(it) && !is_of_collective(*wait.loop, it))
        return false;
  return true;
}

void put_barrier(llvm::Instruction &before) {
  llvm::IRBuilder<> builder(&before);
  auto callee = declare_primitive(*before.getModule(), Primitive::barrier, builder.getVoidTy(),
                                  {builder.getInt32Ty()});
  llvm::cast<llvm::Function>(callee.getCallee())->setConvergent();
  llvm::CallInst *call = builder.CreateCall(callee, {builder.getInt32(0)});
  call->setConvergent();
  call->setDebugLoc(before.getDebugLoc());
}

} // namespace

GroupWaits::GroupWaits(llvm::Function &function, const std::vector<Wait> &waits,
                       const llvm::DominatorTree &dominators,
                       const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops)
    : function_(function), dominators_(dominators), post_dominators_(post_dominators),
      loops_(loops) {
  why_not_ = find_reason(waits);
}

const char *GroupWaits::find_reason(const std::vector<Wait> &waits) {
  auto size = specialized_local_size(function_);
  if (size[0] == 0)
    return "the local size is not known";
  if (uint64_t(size[0]) * size[1] * size[2] > WaitRecord::most_sub_groups)
    return "it has too many work-items";
  for (const Wait &wait : waits) {
    if (has_group_operation(*wait.loop) && !is_collective_poll(wait))
      return "the loop that waits reaches a barrier";
    for (const llvm::Instruction *access : wait.accesses) {
      auto pointer = read_by(*access);
      if (!pointer || !*pointer || !is_global(**pointer))
        return "what is waited for may be in local memory";
    }
  }
  std::vector<SerialRegion> serial_regions;
  if (!may_wait_in_lanes(function_, waits, dominators_, post_dominators_, loops_, serial_regions,
                         HeldBack::work_group))
    return "work-items of one group may wait for each other";
  // Without a barrier, values read under a lock count as uniform although they are not.
  if (!serial_regions.empty())
    return "more than one work-item takes a lock";
  const Uniformity uniformity(function_, dominators_, UniformityLevel::work_group);
  find_divergent_blocks(uniformity);
  for (const BasicBlock &block : function_)
    if (has_group_operation(block) && divergent_.contains(&block))
      return "not all work-items may come to each barrier";
  of_one_item_ =
      blocks_entered_by_one(function_, dominators_, post_dominators_, loops_, HeldBack::work_group);
  for (const Wait &wait : waits) {
    if (has_group_operation(*wait.loop) &&
        !(uniformity.is_uniform(**read_by(*wait.accesses.front()))))
      return "the loop that waits reaches a barrier";
    if (const char *reason = find_place(wait))
      return reason;
  }
  return nullptr;
}

// Adds the blocks between each divergent branch and its immediate post-dominator.
void GroupWaits::find_divergent_blocks(const Uniformity &uniformity) {
  for (const BasicBlock &block : function_) {
    if (uniformity.has_uniform_branch(block))
      continue;
    const auto *node = post_dominators_.getNode(&block);
    const auto *join = node ? node->getIDom() : nullptr;
    const BasicBlock *end = join ? join->getBlock() : nullptr;
    llvm::SmallPtrSet<const BasicBlock *, 16> seen;
    llvm::SmallVector<const BasicBlock *> open(llvm::successors(&block));
    while (!open.empty())
      if (const BasicBlock *next = open.pop_back_val(); next != end && seen.insert(next).second)
        open.append(llvm::succ_begin(next), llvm::succ_end(next));
    divergent_.insert(seen.begin(), seen.end());
  }
}

const char *GroupWaits::find_place(const Wait &waits) {
  const llvm::Loop &wait = *waits.loop;
  BasicBlock *begin = wait.getLoopPreheader();
  while (begin && divergent_.contains(begin)) {
    const auto *up = dominators_.getNode(begin)->getIDom();
    begin = up ? up->getBlock() : nullptr;
  }
  if (!begin || !begin->getTerminator())
    return "the loop that waits has no place of its own";
  const auto *node = post_dominators_.getNode(begin);
  do
    node = node ? node->getIDom() : nullptr;
  while (node && node->getBlock() &&
         (wait.contains(node->getBlock()) || divergent_.contains(node->getBlock())));
  if (!node || !node->getBlock())
    return "the loop that waits has no end that all come to";
  if (loops_.getLoopFor(begin) != loops_.getLoopFor(node->getBlock()))
    return "work-items may leave a loop where others wait";
  const BasicBlock *own = begin_of_one_item(wait, *begin);
  // A report could not name the work-items that wait.
  if (!own && begin != wait.getLoopPreheader())
    return "more than one work-item waits, and not all do";
  if (is_early_visible(wait, *begin, own))
    return "several work-items do something before they wait";
  Others others{.are_apart = own != nullptr, .is_collective = has_group_operation(wait)};
  if (own)
    others.barrier = barrier_behind(*node->getBlock());
  places_.push_back({&wait, begin, node->getBlock(), others});
  return nullptr;
}

// The first block on the dominator path from `begin` to the wait that at most one work-item enters,
// if that holds for the rest of the path.
const BasicBlock *GroupWaits::begin_of_one_item(const llvm::Loop &wait,
                                                const BasicBlock &begin) const {
  const BasicBlock *own = nullptr;
  for (const auto *node = dominators_.getNode(wait.getHeader()); node->getBlock() != &begin;
       node = node->getIDom())
    // In an inner loop, another work-item may enter the block in each iteration.
    if (of_one_item_.contains(node->getBlock()) &&
        (node->getBlock() == wait.getHeader()
             ? loops_.getLoopFor(&begin) == wait.getParentLoop()
             : loops_.getLoopFor(node->getBlock()) == loops_.getLoopFor(&begin)))
      own = node->getBlock();
  return own;
}

const llvm::Instruction *GroupWaits::barrier_behind(const BasicBlock &block) const {
  for (const auto *node = post_dominators_.getNode(&block); node && node->getBlock();
       node = node->getIDom())
    for (const llvm::Instruction &instruction : *node->getBlock())
      if (is_group_operation(instruction))
        return &instruction;
  return nullptr;
}

GroupWaits::Others GroupWaits::others_at(const llvm::Loop &wait) const {
  for (const Place &place : places_)
    if (place.wait == &wait)
      return place.others;
  return {};
}

// True if several work-items may have visible effects on the way to the wait, so that one of them
// might be held back too early.
bool GroupWaits::is_early_visible(const llvm::Loop &wait, const BasicBlock &begin,
                                  const BasicBlock *own) const {
  llvm::SmallPtrSet<const BasicBlock *, 16> seen;
  llvm::SmallVector<const BasicBlock *> open;
  for (const BasicBlock *before : llvm::predecessors(wait.getHeader()))
    if (!wait.contains(before))
      open.push_back(before);
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (block == &begin || !seen.insert(block).second)
      continue;
    if (!(own && dominators_.dominates(own, block)) &&
        llvm::any_of(*block, [](const llvm::Instruction &it) { return is_visible(it); }))
      return true;
    open.append(llvm::pred_begin(block), llvm::pred_end(block));
  }
  return false;
}

// True if there is work between `block` and the barriers before or behind it, including in `block`.
bool GroupWaits::has_work(BasicBlock &block, Direction direction) const {
  const bool before = direction == Direction::before;
  enum class Met { nothing, barrier, work };
  auto first_met = [&](auto &&instructions) {
    for (const llvm::Instruction &instruction : instructions) {
      if (is_group_operation(instruction))
        return Met::barrier;
      if (is_work(instruction))
        return Met::work;
    }
    return Met::nothing;
  };
  llvm::SmallPtrSet<const BasicBlock *, 16> seen;
  llvm::SmallVector<const BasicBlock *> open = {&block};
  while (!open.empty()) {
    const BasicBlock *next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    const Met met = before ? first_met(llvm::reverse(*next)) : first_met(*next);
    if (met == Met::work)
      return true;
    if (met == Met::barrier)
      continue;
    if (before)
      open.append(llvm::pred_begin(next), llvm::pred_end(next));
    else
      open.append(llvm::succ_begin(next), llvm::succ_end(next));
  }
  return false;
}

void GroupWaits::isolate() const {
  llvm::SmallPtrSet<const BasicBlock *, 4> begun, ended;
  for (const Place &place : places_)
    if (begun.insert(place.begin).second && has_work(*place.begin, Direction::before))
      put_barrier(*place.begin->getTerminator());
  for (const Place &place : places_)
    if (ended.insert(place.end).second && has_work(*place.end, Direction::behind))
      put_barrier(*place.end->getFirstInsertionPt());
}

} // namespace lockstep::compiler
