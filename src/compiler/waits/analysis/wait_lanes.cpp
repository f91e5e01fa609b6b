#include "compiler/waits/analysis/wait_lanes.h"

#include "compiler/analysis/uniformity.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <bitset>

namespace lockstep::compiler {

bool is_visible_to_others(const llvm::Instruction &instruction) {
  if (!instruction.mayWriteToMemory() || llvm::isa<llvm::LoadInst, llvm::FenceInst>(instruction))
    return false;
  if (auto primitive = called_primitive(instruction); primitive && is_record(*primitive))
    return false;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return !intrinsic || !(intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd());
}

namespace {

using llvm::BasicBlock;

// Blocks on the paths from `start` to `end`, excluding `end`. Null: to the end of the function.
llvm::SmallPtrSet<const BasicBlock *, 16> blocks_between(const BasicBlock *start,
                                                         const BasicBlock *end) {
  llvm::SmallPtrSet<const BasicBlock *, 16> seen;
  llvm::SmallVector<const BasicBlock *> open = {start};
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (block != end && seen.insert(block).second)
      open.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
  return seen;
}

// True for visible effects, except what only the work-group can see.
bool is_visible_to_groups(const llvm::Instruction &instruction) {
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return !(store && store->isSimple() && is_local(store->getPointerOperand())) &&
         is_visible_to_others(instruction);
}

// True for visible effects that can end a wait. To wait for a plain store is a data race, unless
// such an effect follows the store.
bool can_be_waited_for(const llvm::Instruction &instruction) {
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return !(store && store->isSimple()) && is_visible_to_others(instruction);
}

using Visibility = bool (*)(const llvm::Instruction &);

bool is_of_sub_group(const llvm::Instruction &instruction) {
  auto primitive = called_primitive(instruction);
  return primitive && is_sub_group_operation(*primitive);
}

class WaitLanes {
public:
  WaitLanes(llvm::Function &function, const llvm::DominatorTree &dominators,
            const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
            const std::vector<Wait> &waits, HeldBack held_back)
      : function_(function), dominators_(dominators), post_dominators_(post_dominators),
        loops_(loops), waits_(waits), held_back_(held_back),
        uniformity_(function, dominators,
                    held_back == HeldBack::sub_group ? UniformityLevel::lanes
                                                     : UniformityLevel::group_at_once) {
    for (const BasicBlock &block : function)
      if (!uniformity_.has_uniform_branch(block))
        divergent_.push_back(&block);
  }

  // The serialized region in which lanes may wait there one after another.
  std::optional<SerialRegion> serial_region_of(llvm::Loop &wait) const {
    auto region = find_lock(wait, waits_, loops_, dominators_, uniformity_);
    if (!region || !is_silent_after(*region))
      return std::nullopt;
    for (const BasicBlock *block : divergent_) {
      bool in_region = region->blocks.contains(block) && block != region->end->getParent();
      if (!in_region && !is_harmless(*block, wait, can_be_waited_for))
        return std::nullopt;
    }
    return region;
  }

  bool is_safe(const llvm::Loop &wait) const {
    if (writes_memory(wait) && !is_entered_by_one_lane(*wait.getHeader()))
      return false; // one lane could not tell whether another one changed something
    const Visibility visible = all_wait_for_groups() ? is_visible_to_groups : is_visible_to_others;
    return llvm::all_of(divergent_,
                        [&](auto *block) { return is_harmless(*block, wait, visible); });
  }

  // True if at most one of the work-items that may be held back enters the block at a time.
  bool is_entered_by_one_lane(const BasicBlock &block) const {
    for (const BasicBlock *other : divergent_) {
      auto *branch = llvm::dyn_cast<llvm::BranchInst>(other->getTerminator());
      if (!branch || other == &block)
        continue;
      auto way = edge_of_one_lane(*branch);
      // Behind a loop, lanes that took that edge in different iterations run together.
      const llvm::Loop *loop = loops_.getLoopFor(other);
      if (way && (!loop || loop->contains(&block)) &&
          dominators_.dominates(llvm::BasicBlockEdge(other, branch->getSuccessor(*way)), &block))
        return true;
    }
    return false;
  }

private:
  // Collectives are no writes in this sense: all work-items take part in them.
  static bool writes_memory(const llvm::Loop &loop) {
    for (const BasicBlock *block : loop.blocks())
      if (llvm::any_of(*block, [&](const llvm::Instruction &it) {
            return is_visible_to_others(it) && !is_of_collective(loop, it);
          }))
        return true;
    return false;
  }

  // True if no loop of the kernel waits for local memory.
  bool all_wait_for_groups() const {
    return llvm::all_of(waits_, [](const Wait &wait) {
      return llvm::all_of(wait.accesses, [](const llvm::Instruction *access) {
        auto pointer = read_by(*access);
        return pointer && *pointer && is_global(**pointer);
      });
    });
  }

  bool is_harmless(const BasicBlock &block, const llvm::Loop &wait, Visibility visible) const {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch) // switches are not analyzed
      return false;
    if (is_entered_by_one_lane(block))
      return true;
    const auto *node = post_dominators_.getNode(&block);
    const auto *join = node ? node->getIDom() : nullptr;
    const BasicBlock *end = join ? join->getBlock() : nullptr;
    bool leads_to_wait[2];
    for (unsigned way : {0u, 1u})
      leads_to_wait[way] =
          blocks_between(branch->getSuccessor(way), end).contains(wait.getHeader());
    if (leads_to_wait[0] && leads_to_wait[1])
      return false;
    for (unsigned way : {0u, 1u})
      if (leads_to_wait[way])
        return is_silent(*branch, 1 - way, visible);
    return true; // the lanes have converged, or ended, before the wait
  }

  // True for a convergence point of the held-back work-items and the waiting one.
  bool is_convergence_point(const llvm::Instruction &instruction) const {
    return is_group_operation(instruction) ||
           (held_back_ == HeldBack::sub_group && is_of_sub_group(instruction));
  }

  // The first event that a lane reaches in a block: a convergence point, a visible effect, or
  // neither.
  enum class Meets { nothing, stop, visible };
  Meets meets(llvm::iterator_range<BasicBlock::const_iterator> instructions,
              Visibility is_visible) const {
    for (const llvm::Instruction &instruction : instructions) {
      if (is_convergence_point(instruction))
        return Meets::stop;
      if (held_back_ == HeldBack::work_group && is_of_sub_group(instruction))
        continue;
      if (is_visible(instruction))
        return Meets::visible;
    }
    return Meets::nothing;
  }

  // True if lanes that leave `branch` by edge `way` reach a convergence point or their end before
  // any visible effect.
  bool is_silent(const llvm::BranchInst &branch, unsigned way, Visibility visible) const {
    llvm::SmallSetVector<const BasicBlock *, 16> open;
    open.insert(branch.getSuccessor(way));
    for (unsigned index = 0; index != open.size(); ++index) {
      const BasicBlock *block = open[index];
      Meets met = meets(*block, visible);
      if (met == Meets::visible)
        return false;
      if (met == Meets::stop)
        continue;
      auto *next = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (next && next->isConditional() && has_the_same_outcome(*next, branch))
        open.insert(next->getSuccessor(way));
      else
        open.insert_range(llvm::successors(block));
    }
    return true;
  }

  // The same for lanes whose turn is over. They may leave results in memory, and may take the same
  // lock again.
  bool is_silent_after(const SerialRegion &region) const {
    auto *made = llvm::dyn_cast<llvm::Instruction>(region.lock);
    bool is_same_lock = !made || !loops_.getLoopFor(made->getParent());
    llvm::SmallSetVector<const BasicBlock *, 16> open;
    const BasicBlock *last = region.end->getParent();
    Meets met = meets({region.end->getIterator(), last->end()}, can_be_waited_for);
    if (met == Meets::nothing)
      open.insert_range(llvm::successors(last));
    for (unsigned index = 0; met != Meets::visible && index != open.size(); ++index) {
      if (is_same_lock && open[index] == region.loop->getHeader())
        continue;
      met = meets(*open[index], can_be_waited_for);
      if (met == Meets::nothing)
        open.insert_range(llvm::successors(open[index]));
    }
    return met != Meets::visible;
  }

  // True if one value, which is computed once, decides both branches.
  bool has_the_same_outcome(const llvm::BranchInst &one, const llvm::BranchInst &other) const {
    if (one.getCondition() != other.getCondition())
      return false;
    auto *condition = llvm::dyn_cast<llvm::Instruction>(one.getCondition());
    return !condition || !loops_.getLoopFor(condition->getParent());
  }

  // The successor of `branch` that at most one lane takes at a time.
  std::optional<unsigned> edge_of_one_lane(const llvm::BranchInst &branch) const {
    if (!branch.isConditional() || branch.getSuccessor(0) == branch.getSuccessor(1))
      return std::nullopt;
    for (bool outcome : {true, false}) {
      CompareIds ids;
      collect(branch.getCondition(), outcome, ids);
      if (ids.lane || is_one_item(ids.dimensions))
        return outcome ? 0 : 1;
    }
    return std::nullopt;
  }

  // Ids that are known to equal something uniform.
  struct CompareIds {
    bool lane = false;
    std::bitset<3> dimensions; // local ids
  };

  // Adds what is known if `condition` equals `outcome`.
  void collect(const llvm::Value *condition, bool outcome, CompareIds &ids) const {
    using namespace llvm::PatternMatch;
    const llvm::Value *left, *right;
    if (match(condition, m_Not(m_Value(left))))
      return collect(left, !outcome, ids);
    bool both = outcome ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                        : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
    if (both) {
      collect(left, outcome, ids);
      collect(right, outcome, ids);
      return;
    }
    auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
    auto wanted = outcome ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE;
    if (!compare || compare->getPredicate() != wanted)
      return;
    auto *zero = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (zero && zero->isZero() && // x | y == 0
        match(compare->getOperand(0), m_Or(m_Value(left), m_Value(right)))) {
      collect_id(left, ids);
      collect_id(right, ids);
      return;
    }
    for (unsigned side : {0u, 1u})
      if (is_uniform(compare->getOperandUse(1 - side)))
        collect_id(compare->getOperand(side), ids);
  }

  // Records the id that `value` identifies, given that `value` equals something uniform. `value`
  // may be an id plus something uniform, or low bits of an id that differ wherever the ids of the
  // group or sub-group do.
  void collect_id(const llvm::Value *value, CompareIds &ids) const {
    while (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
      auto primitive = called_primitive(*instruction);
      if (primitive == Primitive::lane) {
        ids.lane = held_back_ == HeldBack::sub_group;
        return;
      }
      if (primitive == Primitive::local_id) {
        auto dimension = constant_dimension(llvm::cast<llvm::CallInst>(*instruction));
        if (dimension && *dimension < 3)
          ids.dimensions.set(*dimension);
        return;
      }
      if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction) ||
          (llvm::isa<llvm::TruncInst>(instruction) &&
           instruction->getType()->getIntegerBitWidth() >= id_bits)) {
        value = instruction->getOperand(0);
        continue;
      }
      // Work-items of a sub-group have consecutive ids.
      auto *mask = instruction->getOpcode() == llvm::Instruction::And
                       ? llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1))
                       : nullptr;
      if (mask && held_back_ == HeldBack::sub_group &&
          mask->getValue().countr_one() >= widest_sub_group_bits) {
        value = instruction->getOperand(0);
        continue;
      }
      bool is_sum = instruction->getOpcode() == llvm::Instruction::Add ||
                    (instruction->getOpcode() == llvm::Instruction::Or &&
                     llvm::cast<llvm::PossiblyDisjointInst>(instruction)->isDisjoint());
      if (!is_sum ||
          is_uniform(instruction->getOperandUse(0)) == is_uniform(instruction->getOperandUse(1)))
        return;
      value = instruction->getOperand(is_uniform(instruction->getOperandUse(0)) ? 1 : 0);
    }
  }

  bool is_uniform(const llvm::Use &use) const {
    return llvm::isa<llvm::Constant, llvm::Argument>(use) ||
           (uniformity_.is_uniform(*use) && uniformity_.is_uniform_use(use));
  }

  // True if these local ids identify one work-item of a sub-group or group.
  bool is_one_item(std::bitset<3> dimensions) const {
    auto size = specialized_local_size(function_);
    if (size[0] == 0)
      return dimensions.all();
    if (held_back_ == HeldBack::sub_group && dimensions.test(0) &&
        size[0] % widest_sub_group == 0) // a sub-group is within one row
      return true;
    for (unsigned dimension : {0u, 1u, 2u})
      if (size[dimension] != 1 && !dimensions.test(dimension))
        return false;
    return true;
  }

  static constexpr unsigned id_bits = 16; // enough for the local ids of any group

  llvm::Function &function_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &post_dominators_;
  const llvm::LoopInfo &loops_;
  const std::vector<Wait> &waits_;
  HeldBack held_back_;
  Uniformity uniformity_;
  llvm::SmallVector<const BasicBlock *> divergent_;
};

} // namespace

bool may_wait_in_lanes(llvm::Function &function, const std::vector<Wait> &waits,
                       const llvm::DominatorTree &dominators,
                       const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                       std::vector<SerialRegion> &serial_regions, HeldBack held_back) {
  WaitLanes lanes(function, dominators, post_dominators, loops, waits, held_back);
  for (const Wait &wait : waits) {
    if (lanes.is_safe(*wait.loop))
      continue;
    auto region = lanes.serial_region_of(*wait.loop);
    if (!region)
      return false;
    serial_regions.push_back(*region);
  }
  return true;
}

llvm::SmallPtrSet<const BasicBlock *, 8>
blocks_entered_by_one(llvm::Function &function, const llvm::DominatorTree &dominators,
                      const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                      HeldBack of) {
  const std::vector<Wait> none;
  WaitLanes lanes(function, dominators, post_dominators, loops, none, of);
  llvm::SmallPtrSet<const BasicBlock *, 8> blocks;
  for (const BasicBlock &block : function)
    if (lanes.is_entered_by_one_lane(block))
      blocks.insert(&block);
  return blocks;
}

} // namespace lockstep::compiler
