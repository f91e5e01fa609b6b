// Interleaves several consecutive sub-groups in one function where that pays.
//
// Requires: the function of one sub-group, after the lanes stage, with a known local size.
// Ensures: one run of the function executes `count` consecutive sub-groups of one dimension; an
// attribute records both numbers (specialization_attributes.h). `__lockstep_local_id` is the id of
// the first sub-group.
//
// A matrix product is the typical case. Its loop waits for one chain of multiply-adds. Eight
// interleaved rows are eight chains, and one load of a column piece serves them all. Instructions
// that do not depend on the dimension's local id stay single; all others are repeated in place.
// Divergent regions run for one sub-group after the other (repeat_for_sub_groups.h). Gathers and
// scatters that form a tile become loads or stores of the tile's rows (transposed_accesses.h).
//
// Interleaving pays for such tiles, for loops that share or carry values or cache lines, and for
// loops with large strides in memory. The vector registers limit the count. Straight code gains
// nothing, since the CPU overlaps it anyway, except in coalesced work-groups side by side
// (coalesce_work_groups.cpp).
//
// Position: after packetize, which makes the vectors (so registers can be counted); before
// work-item-loops, which steps over interleaved sub-groups.
#include "compiler/regions/passes.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/grid_stride_loops.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/regions/repeat_for_sub_groups.h"
#include "compiler/regions/transposed_accesses.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned reserved_registers = 6; // scalar: stack pointer, counters and scratch

// What interleaving in one dimension would do.
struct Plan {
  unsigned dimension = 0;
  unsigned count = 1;
  unsigned shared = 0; // instructions in loops that all sub-groups share
  bool walks = false;  // walks through memory in large strides, with little to do in between
  bool sums = false;   // only adds products, of which the sub-groups share factors

  unsigned saved() const { return shared * (count - 1); }
  bool is_better_than(const Plan &other) const {
    return count > 1 &&
           (other.count == 1 || std::pair(saved(), count) > std::pair(other.saved(), other.count));
  }
};

class Interleaver {
public:
  Interleaver(llvm::Function &function, const llvm::DominatorTree &dominators,
              const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
              const TargetModel &target, IndexExpressions &expressions, unsigned dimension,
              unsigned lanes)
      : function_(function), loops_(loops), target_(target), dimension_(dimension), lanes_(lanes),
        uniformity_(function, dominators, along_dimension(dimension)), expressions_(expressions),
        distances_(expressions, repeated_, step()),
        addresses_(expressions, repeated_, step(), CopyDistances::Wraps::not_in_addresses) {
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (differs(instruction))
        repeated_.insert(&instruction);
    regions_ = find_divergent_regions(
        function, dominators, post_dominators, loops,
        [&](const llvm::BasicBlock &block) { return !uniformity_.has_uniform_branch(block); });
    if (regions_)
      for (const DivergentRegion &region : *regions_)
        in_region_.insert(region.blocks.begin(), region.blocks.end());
  }

  Plan plan(unsigned sub_groups);
  unsigned repeat(unsigned count); // returns the number of tiles

private:
  bool differs(const llvm::Instruction &instruction) const;
  std::optional<unsigned> repeated_instructions() const;
  unsigned most_for_loop(const llvm::Loop &loop, Plan &plan);
  unsigned sub_groups_of_line(const llvm::Loop &loop);
  llvm::SmallVector<llvm::IntrinsicInst *> tiles();
  unsigned most_for_tiles();
  unsigned step() const { return dimension_ == 0 ? lanes_ : 1; } // of the local id
  unsigned registers_of(const llvm::Value &value) const;

  llvm::Function &function_;
  const llvm::LoopInfo &loops_;
  const TargetModel &target_;
  unsigned dimension_, lanes_;
  Uniformity uniformity_;
  IndexExpressions &expressions_;
  llvm::SmallPtrSet<const llvm::Value *, 32> repeated_;
  CopyDistances distances_, addresses_; // of values, and of addresses that are accessed
  std::optional<std::vector<DivergentRegion>> regions_;
  // blocks that are copied for each sub-group
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> in_region_;
};

// Whether the instruction is repeated for each sub-group.
bool Interleaver::differs(const llvm::Instruction &instruction) const {
  if (instruction.isTerminator() || is_group_operation(instruction) ||
      llvm::isa<llvm::FenceInst>(instruction))
    return false;
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return false; // it holds for the first sub-group, which suffices
  if (!uniformity_.is_uniform(instruction))
    return true;
  if (!instruction.getType()->isVoidTy())
    return false;
  if (instruction.isVolatile() || instruction.isAtomic() ||
      (llvm::isa<llvm::CallBase>(instruction) && instruction.mayWriteToMemory()))
    return true;
  return llvm::any_of(instruction.operands(),
                      [&](const llvm::Use &use) { return !uniformity_.is_uniform(*use); });
}

// Primitives that have no meaning for several interleaved sub-groups.
bool is_of_one_sub_group(const llvm::CallBase &call) {
  auto primitive = called_primitive(call);
  if (primitive == Primitive::local_id)
    return !constant_dimension(llvm::cast<llvm::CallInst>(call));
  return primitive && !is_group_operation(*primitive) && *primitive > Primitive::work_dim &&
         *primitive != Primitive::all_lanes && *primitive != Primitive::check_extent &&
         *primitive != Primitive::atomic_multiply;
}

// If a group waits as a whole, its sub-groups execute the wait one after the other, like any
// divergent region. If a sub-group waits alone, the record would have to name one of the
// interleaved ones.
bool is_of_wait_of_all(const llvm::CallBase &call) {
  auto primitive = called_primitive(call);
  return (primitive == Primitive::wait || primitive == Primitive::seen ||
          primitive == Primitive::ends_with) &&
         call.getFunction()->hasFnAttribute(waits_together);
}

// Whether the instruction makes a splat of a scalar, or is the splat: an operand of other code.
bool is_part_of_splat(const llvm::Instruction &instruction) {
  auto is_insertion = [](const llvm::Value *value) {
    auto *insertion = llvm::dyn_cast<llvm::InsertElementInst>(value);
    return insertion && llvm::isa<llvm::UndefValue>(insertion->getOperand(0));
  };
  auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
  return is_insertion(&instruction) ||
         (shuffle && shuffle->isZeroEltSplat() && is_insertion(shuffle->getOperand(0)));
}

// Whether machine code has the instruction as well: most phis are registers that stay, and most
// jumps of small regions are gone.
bool is_code(const llvm::Instruction &instruction) {
  return !instruction.isTerminator() && !llvm::isa<llvm::PHINode>(instruction) &&
         !instruction.isLifetimeStartOrEnd() && !instruction.isDebugOrPseudoInst();
}

// Returns nullopt if nothing can be repeated.
std::optional<unsigned> Interleaver::repeated_instructions() const {
  if (!regions_)
    return std::nullopt;
  unsigned size = 0;
  for (const llvm::BasicBlock &block : function_) {
    bool is_in_region = in_region_.contains(&block);
    for (const llvm::Instruction &instruction : block) {
      size += repeated_.contains(&instruction) || (is_in_region && is_code(instruction));
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || llvm::isa<llvm::IntrinsicInst>(call))
        continue;
      if (is_in_region && is_of_wait_of_all(*call))
        continue;
      bool is_group = is_group_operation(instruction);
      if (call->isConvergent() && (!is_group || is_in_region))
        return std::nullopt;
      if (is_group && llvm::any_of(call->args(), [&](const llvm::Use &use) {
            return repeated_.contains(use.get());
          }))
        return std::nullopt;
      if (is_of_one_sub_group(*call) ||
          (is_in_region && called_primitive(*call) == Primitive::local_id))
        return std::nullopt;
    }
  }
  return size * 2 <= limits::repeated_code ? std::optional(size) : std::nullopt;
}

unsigned Interleaver::registers_of(const llvm::Value &value) const {
  llvm::Type *type = value.getType();
  if (!type->isVectorTy())
    return 0;
  if (type->getScalarSizeInBits() == 1) // mask registers
    return 0;
  return llvm::divideCeil(type->getPrimitiveSizeInBits().getFixedValue(), target_.vector_bits());
}

// Whether the accesses of consecutive sub-groups are adjacent, but those of the next iteration far
// away. Without interleaving, each sub-group would walk through all of the memory again.
bool walks_in_strides(const llvm::Loop &loop) {
  const llvm::BasicBlock *exiting = loop.getExitingBlock();
  auto *branch = exiting ? llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator()) : nullptr;
  return branch && branch->isConditional() &&
         called_primitive(*branch->getCondition()) == Primitive::all_lanes;
}

// Instructions that the loop itself needs; others can be computed after the loop.
llvm::SmallPtrSet<const llvm::Instruction *, 32> needed_in(const llvm::Loop &loop) {
  llvm::SmallPtrSet<const llvm::Instruction *, 32> needed;
  llvm::SmallVector<const llvm::Instruction *> open;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (instruction.isTerminator() || instruction.mayHaveSideEffects() ||
          (llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader()))
        open.push_back(&instruction);
  while (!open.empty()) {
    const llvm::Instruction *instruction = open.pop_back_val();
    if (!needed.insert(instruction).second)
      continue;
    for (const llvm::Value *operand : instruction->operands())
      if (auto *other = llvm::dyn_cast<llvm::Instruction>(operand); other && loop.contains(other))
        open.push_back(other);
  }
  return needed;
}

// Whether all vectors that the loop computes continue those that it carries, as sums of products do
// with fused multiply-adds. Other vectors need registers, too.
bool only_continues(const llvm::Loop &loop, const llvm::LoopInfo &loops,
                    const llvm::SmallPtrSetImpl<const llvm::Instruction *> &needed) {
  llvm::SmallPtrSet<const llvm::Value *, 32> carried;
  auto is_carried = [&](const llvm::Use &use) { return carried.contains(use); };
  llvm::LoopBlocksRPO blocks(const_cast<llvm::Loop *>(&loop)); // which it does not change
  blocks.perform(&loops);
  for (const llvm::BasicBlock *block : blocks)
    for (const llvm::Instruction &instruction : *block) {
      if (!instruction.getType()->isVectorTy())
        continue;
      if (llvm::isa<llvm::PHINode>(instruction) ||
          (llvm::isa<llvm::BinaryOperator, llvm::IntrinsicInst>(instruction) &&
           llvm::any_of(instruction.operands(), is_carried)))
        carried.insert(&instruction);
      else if (needed.contains(&instruction) && !llvm::isa<llvm::LoadInst>(instruction) &&
               !is_part_of_splat(instruction))
        return false;
    }
  return !carried.empty();
}

// Returns how many sub-groups load from one cache line in an iteration, if the next iteration loads
// far away. Alone, each of them would fetch all lines again. Returns 1 if lines are not shared.
unsigned Interleaver::sub_groups_of_line(const llvm::Loop &loop) {
  if (dimension_ != 0 || !is_strided(loop, expressions_))
    return 1;
  int64_t least = cache_line_bytes;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
          load && repeated_.contains(load))
        if (const auto distance = addresses_.of(*load->getPointerOperand()); distance > 0)
          least = std::min(least, *distance);
  return static_cast<unsigned>(cache_line_bytes / least);
}

// Returns how many sub-groups the registers hold in this loop; 1 if the loop gains nothing.
unsigned Interleaver::most_for_loop(const llvm::Loop &loop, Plan &plan) {
  unsigned vectors_shared = 0, vectors_repeated = 0, scalars_repeated = 0, widest = 1;
  unsigned computed = 0, carried = 0; // vectors of one sub-group
  const bool walks = walks_in_strides(loop);
  bool writes = false;
  const auto needed = needed_in(loop);
  bool gains = walks, shares = false; // `shares`: vectors that are loaded
  llvm::SmallPtrSet<const llvm::Value *, 32> counted;
  auto count = [&](const llvm::Value &value) { // the value is live through the whole loop
    if (llvm::isa<llvm::Constant>(value) || !counted.insert(&value).second)
      return;
    bool repeated = repeated_.contains(&value);
    (repeated ? vectors_repeated : vectors_shared) += registers_of(value);
    if (repeated && registers_of(value) == 0 && !value.getType()->isVectorTy())
      scalars_repeated += !distances_.of(value);
  };
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      bool repeated = repeated_.contains(&instruction);
      widest = std::max(widest, registers_of(instruction));
      writes |= instruction.mayWriteToMemory() && !called_primitive(instruction);
      if (llvm::isa<llvm::PHINode>(instruction) && block == loop.getHeader()) {
        count(instruction);
        carried += repeated && registers_of(instruction) != 0;
        gains |= repeated && registers_of(instruction) != 0;
        continue;
      }
      computed += repeated && registers_of(instruction) != 0 && needed.contains(&instruction) &&
                  !llvm::isa<llvm::LoadInst>(instruction) && !is_part_of_splat(instruction);
      if (!repeated && instruction.mayReadFromMemory()) {
        gains = true;
        shares |= registers_of(instruction) != 0;
        plan.shared += 1 + registers_of(instruction); // a vector is more traffic than a scalar
      }
      for (const llvm::Use &use : instruction.operands())
        if (auto *outer = llvm::dyn_cast<llvm::Instruction>(use); outer && !loop.contains(outer))
          count(*outer);
    }
  const unsigned gaining = gains ? unsigned{limits::chains_at_once} : sub_groups_of_line(loop);
  if (gaining == 1)
    return 1;
  unsigned registers = target_.vector_registers();
  unsigned scratch = 4 * widest;
  if (vectors_shared + scratch >= registers)
    return 1;
  // The loop only carries values: loads are operands of the carried operations and need no
  // registers. Scatters are excluded: they become many instructions, and interleaving them only
  // spills.
  const bool only_carries = walks && carried != 0 && computed <= carried && !writes;
  plan.walks |= only_carries;
  unsigned most = only_carries ? limits::linear_lines : gaining;
  // Twice as many sums of products share more, and hide that some loads come late.
  if (shares && only_continues(loop, loops_, needed)) {
    plan.sums = true;
    most *= 2;
  }
  if (vectors_repeated != 0)
    most = std::min(most, (registers - vectors_shared - scratch) / vectors_repeated);
  // A few more scalars are loaded from the stack, which long iterations hide.
  if (scalars_repeated * limits::code_growth > computed)
    most = std::min(most, (target_.scalar_registers() - reserved_registers) / scalars_repeated);
  return std::max(most, 1u);
}

// Tiles in straight code; loops are judged by most_for_loop.
llvm::SmallVector<llvm::IntrinsicInst *> Interleaver::tiles() {
  llvm::SmallVector<llvm::IntrinsicInst *> found;
  for (llvm::BasicBlock &block : function_)
    if (!in_region_.contains(&block) && !loops_.getLoopFor(&block))
      for (llvm::Instruction &instruction : block)
        if (auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            access && makes_tile(*access, addresses_))
          found.push_back(access);
  return found;
}

// As many rows as a tile has columns, as long as the tile fits in half of the registers.
unsigned Interleaver::most_for_tiles() {
  const auto live =
      size_t(llvm::count_if(llvm::instructions(function_), [&](llvm::Instruction &each) {
        return !in_region_.contains(each.getParent()) && repeated_.contains(&each);
      }));
  if (live > limits::small_code / limits::code_growth)
    return 1;
  unsigned most = 1;
  for (const llvm::IntrinsicInst *access : tiles()) {
    const bool is_load = !access->getType()->isVoidTy();
    const llvm::Value *moved = is_load ? access : access->getArgOperand(0);
    const unsigned registers = registers_of(*moved);
    const unsigned fitting =
        std::min(lanes_, target_.vector_registers() / 2 / std::max(registers, 1u));
    most = most == 1 ? fitting : std::min(most, fitting);
  }
  return most;
}

Plan Interleaver::plan(unsigned sub_groups) {
  Plan plan{.dimension = dimension_};
  auto size = sub_groups < 2 ? std::nullopt : repeated_instructions();
  if (!size)
    return plan;
  unsigned most = 1;
  for (const llvm::Loop *loop : loops_.getLoopsInPreorder())
    if (loop->isInnermost() && !in_region_.contains(loop->getHeader())) {
      // The smallest useful count decides: a loop that spills loses more than another one gains.
      unsigned of_loop = most_for_loop(*loop, plan);
      if (of_loop > 1)
        most = most == 1 ? of_loop : std::min(most, of_loop);
    }
  const bool has_tiles = most == 1;
  if (has_tiles)
    most = most_for_tiles();
  for (const CoalescedGroups &coalesced : coalesced_groups(function_))
    if (most == 1 && coalesced.dimension == 0 && dimension_ != 0 &&
        coalesced.local_dimension == dimension_)
      most = coalesced.count; // side by side: their rows become one
  unsigned instructions = limits::repeated_code * (plan.walks ? limits::code_growth : 1);
  if (plan.sums) { // splats are operands of the sums
    instructions *= 2;
    for (const llvm::Instruction &instruction : llvm::instructions(function_))
      *size -= !in_region_.contains(instruction.getParent()) && repeated_.contains(&instruction) &&
               is_part_of_splat(instruction);
  }
  auto fits = [&](unsigned count) {
    return count <= most && sub_groups % count == 0 && *size * count <= instructions;
  };
  while (fits(plan.count * 2))
    plan.count *= 2;
  if (has_tiles)
    return plan;
  // Groups with 5 or 12 rows, say. Tiles need powers of two.
  for (unsigned count = std::min(most, sub_groups); 2 * count >= 3 * plan.count; --count)
    if (fits(count)) {
      plan.count = count;
      break;
    }
  return plan;
}

unsigned Interleaver::repeat(unsigned count) {
  if (lanes_ % count == 0)
    mark_tiles(tiles());
  repeat_for_sub_groups(function_, {repeated_, *regions_, count, step()}, distances_);
  return transpose_tiles(function_, count);
}

} // namespace

llvm::PreservedAnalyses InterleaveSubGroupsPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &analyses) {
  unsigned lanes = sub_group_size(function);
  auto local_size = specialized_local_size(function);
  if (lanes == 1 || local_size[0] == 0 || local_size[0] % lanes != 0)
    return llvm::PreservedAnalyses::all();
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto &post_dominators = analyses.getResult<llvm::PostDominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto target = target_model(target_);
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  Plan best;
  std::unique_ptr<Interleaver> chosen;
  for (unsigned dimension = 0; dimension != 3; ++dimension) {
    unsigned sub_groups = dimension == 0 ? local_size[0] / lanes : local_size[dimension];
    if (sub_groups == 1)
      continue;
    auto interleaver = std::make_unique<Interleaver>(function, dominators, post_dominators, loops,
                                                     *target, expressions, dimension, lanes);
    Plan plan = interleaver->plan(sub_groups);
    if (!plan.is_better_than(best))
      continue;
    best = plan;
    chosen = std::move(interleaver);
  }
  if (!chosen)
    return llvm::PreservedAnalyses::all();
  const unsigned tiles = chosen->repeat(best.count);
  set_interleaving(function, {best.dimension, best.count});
  remark(function.getEntryBlock().front(), "sub-groups",
         llvm::Twine(best.count) + " that follow each other in dimension " +
             llvm::Twine(launch_dimension(function, best.dimension)) + " run at once");
  if (tiles != 0)
    remark(function.getEntryBlock().front(), "sub-groups",
           "tiles of " + llvm::Twine(lanes) + " by " + llvm::Twine(best.count) +
               " elements are transposed in registers: no gather, no scatter");
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
