#include "compiler/regions/idle_sub_groups.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/regions/region_path.h"
#include "compiler/regions/work_item_sum.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

// A comparison that is true for the first ids only, such as `id < limit`.
struct Condition {
  const llvm::ICmpInst *compare;
  llvm::CmpInst::Predicate predicate; // with the id on the left
  llvm::Value *id, *limit;
  bool is_inverted;         // the branch's condition is true where this one is false
  bool compare_is_inverted; // so is the comparison itself
};

bool holds_for_first_ids(llvm::CmpInst::Predicate predicate) {
  using enum llvm::CmpInst::Predicate;
  return predicate == ICMP_ULT || predicate == ICMP_ULE || predicate == ICMP_SLT ||
         predicate == ICMP_SLE || predicate == ICMP_EQ;
}

class Finder {
public:
  Finder(const llvm::Function &function, RegionPath &path,
         const std::vector<BarrierValue> &live_values, llvm::IRBuilderBase &builder)
      : local_size_(specialized_local_size(function)), lanes_(sub_group_size(function)),
        interleaving_(interleaving(function)), path_(path), live_values_(live_values),
        builder_(builder), expressions_(function, loops_) {}

  std::optional<WorkBound> run(llvm::BasicBlock *entry);

private:
  bool follow(llvm::BasicBlock *block);
  bool follow_branch(const llvm::BranchInst &branch);
  bool is_without_effect(const llvm::Instruction &instruction) const;
  bool leaves_live_values(unsigned to);
  bool is_what_it_was(llvm::Value *value, const BarrierValue &live_value);
  llvm::SmallVector<Condition, 2> find_conditions(llvm::Value *branch_condition);
  std::optional<Condition> find_compare(llvm::Value *value, bool may_invert);
  bool add_bound(const Condition &condition);
  void merge(llvm::Value *end, llvm::Value *full, const llvm::Value *compare);

  std::array<uint32_t, 3> local_size_;
  uint32_t lanes_;
  Interleaving interleaving_;
  RegionPath &path_;
  const std::vector<BarrierValue> &live_values_;
  llvm::IRBuilderBase &builder_;
  const llvm::LoopInfo loops_; // none: a path has no block twice
  IndexExpressions expressions_;
  std::optional<WorkBound> bound_;
  // comparisons that the copy without masks must not rely on
  llvm::SmallPtrSet<const llvm::Value *, 4> differing_;
  unsigned blocks_ = 0;
};

// Whether the comparison is the mask of an access or of a call, or part of one. A divergent loop
// that it only enters has masks of its own, which a copy of the region would keep.
bool is_mask(const llvm::Value &compare) {
  llvm::SmallSetVector<const llvm::Value *, 8> reached;
  reached.insert(&compare);
  for (unsigned next = 0; next != reached.size(); ++next)
    for (const llvm::User *user : reached[next]->users()) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(user);
      if ((call && !called_primitive(*call)) || reached.size() == limits::search_steps)
        return true;
      if (llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::FreezeInst, llvm::SelectInst,
                    llvm::InsertElementInst, llvm::ShuffleVectorInst>(user))
        reached.insert(user);
    }
  return false;
}

std::optional<WorkBound> Finder::run(llvm::BasicBlock *entry) {
  if (!follow(entry) || !bound_)
    return std::nullopt;
  for (const llvm::Value *compare : differing_)
    bound_->true_below_full.erase(compare);
  const auto &compares = bound_->true_below_full;
  const bool is_only_copy =
      llvm::isa_and_nonnull<llvm::ConstantInt>(bound_->full) && bound_->full == bound_->end;
  if (compares.empty() || (!is_only_copy && llvm::none_of(compares, [](const llvm::Value *compare) {
        return is_mask(*compare);
      }))) {
    bound_->true_below_full.clear();
    bound_->full = nullptr;
  }
  return bound_;
}

bool Finder::is_without_effect(const llvm::Instruction &instruction) const {
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return path_.barrier_value_of(*store->getPointerOperand()) != nullptr;
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return true;
  return !instruction.mayHaveSideEffects();
}

// Continues at `block`; true if an idle sub-group has no effect from there to the region's end.
bool Finder::follow(llvm::BasicBlock *block) {
  if (auto operation = path_.operation_in(*block))
    return leaves_live_values(*operation);
  if (path_.contains(*block) || ++blocks_ > limits::search_steps)
    return false;
  for (const llvm::Instruction &instruction : *block)
    if (!instruction.isTerminator() && !is_without_effect(instruction))
      return false;
  path_.push(*block);
  bool idle = llvm::isa<llvm::ReturnInst>(block->getTerminator());
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator()))
    idle = follow_branch(*branch);
  path_.pop();
  return idle;
}

bool Finder::follow_branch(const llvm::BranchInst &branch) {
  if (!branch.isConditional())
    return follow(branch.getSuccessor(0));
  for (const Condition &condition : find_conditions(branch.getCondition()))
    if (add_bound(condition))
      return follow(branch.getSuccessor(condition.is_inverted ? 0 : 1));
  return follow(branch.getSuccessor(0)) && follow(branch.getSuccessor(1));
}

// Whether a sub-group that reaches operation `to` on this path leaves its stored values unchanged.
bool Finder::leaves_live_values(unsigned to) {
  for (const BarrierValue &live_value : live_values_) {
    if (live_value.kind != BarrierValueKind::per_sub_group ||
        !live_value.live_before_operation.test(to))
      continue;
    llvm::StoreInst *store = path_.store_to(*live_value.variable);
    if (store && !is_what_it_was(store->getValueOperand(), live_value))
      return false;
  }
  return true;
}

bool Finder::is_what_it_was(llvm::Value *value, const BarrierValue &live_value) {
  while (auto *phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    value = path_.incoming(*phi);
    if (!value)
      return false;
  }
  if (llvm::isa<llvm::UndefValue>(value))
    return true;
  // The only store of the path may be behind this load, so the load reads the value of the region's
  // start.
  auto *load = llvm::dyn_cast<llvm::LoadInst>(value);
  return load && load->getPointerOperand() == live_value.variable;
}

std::optional<Condition> Finder::find_compare(llvm::Value *value, bool may_invert) {
  using namespace llvm::PatternMatch;
  value = path_.resolve(value);
  llvm::Value *one, *other;
  // false where either operand is false
  if (match(value, m_LogicalAnd(m_Value(one), m_Value(other)))) {
    auto found = find_compare(one, false);
    return found ? found : find_compare(other, false);
  }
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(value);
  if (!compare)
    return std::nullopt;
  for (bool inverted : {false, true})
    for (bool swapped : {false, true}) {
      llvm::CmpInst::Predicate predicate = compare->getPredicate();
      if (swapped)
        predicate = llvm::CmpInst::getSwappedPredicate(predicate);
      if (inverted)
        predicate = llvm::CmpInst::getInversePredicate(predicate);
      llvm::Value *id = compare->getOperand(swapped), *limit = compare->getOperand(!swapped);
      if ((!inverted || may_invert) && holds_for_first_ids(predicate) &&
          find_work_item_sum(path_, expressions_, id, lanes_))
        return Condition{compare, predicate, id, limit, inverted, inverted};
    }
  return std::nullopt;
}

// Finds the conditions of a branch on a scalar comparison, on whether a comparison is true in any
// lane, or on a conjunction or disjunction of these. Comparisons of lanes come first: below their
// bound, sub-groups need no mask.
llvm::SmallVector<Condition, 2> Finder::find_conditions(llvm::Value *branch_condition) {
  using namespace llvm::PatternMatch;
  llvm::Value *condition = path_.resolve(branch_condition);
  llvm::Value *bits, *mask, *one, *other;
  llvm::CmpPredicate predicate;
  const bool is_and = match(condition, m_LogicalAnd(m_Value(one), m_Value(other)));
  if (is_and || match(condition, m_LogicalOr(m_Value(one), m_Value(other)))) {
    llvm::SmallVector<Condition, 2> all;
    for (llvm::Value *part : {one, other})
      for (const Condition &found : find_conditions(part))
        if (found.is_inverted != is_and) // the part decides alone beyond the bound
          all.push_back(found);
    llvm::stable_sort(all, [](const Condition &left, const Condition &right) {
      return left.compare->getType()->isVectorTy() && !right.compare->getType()->isVectorTy();
    });
    return all;
  }
  std::optional<Condition> found;
  if (!match(condition, m_ICmp(predicate, m_Value(bits), m_Zero())) ||
      !match(path_.resolve(bits), m_BitCast(m_Value(mask)))) {
    found = find_compare(condition, /*may_invert=*/true);
  } else {
    auto *lanes = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
    if (!llvm::ICmpInst::isEquality(predicate) || !lanes ||
        !lanes->getElementType()->isIntegerTy(1))
      return {};
    found = find_compare(mask, /*may_invert=*/false);
    if (found)
      found->is_inverted = predicate == llvm::CmpInst::ICMP_EQ; // true where no lane is active
  }
  return found ? llvm::SmallVector<Condition, 2>{*found} : llvm::SmallVector<Condition, 2>{};
}

// Emits the number of ids of the group that fulfill the condition; these are the first ones.
bool Finder::add_bound(const Condition &condition) {
  path_.begin_evaluation();
  auto sum = find_work_item_sum(path_, expressions_, condition.id, lanes_);
  uint32_t size = local_size_[sum->dimension];
  if (bound_ && bound_->dimension != sum->dimension)
    return false;
  const uint64_t step = (sum->dimension == 0 ? lanes_ : 1) *
                        (interleaving_.dimension == sum->dimension ? interleaving_.count : 1);
  if (size == step)
    return false;
  auto first =
      emit_first(*sum, path_, builder_, size, llvm::CmpInst::isSigned(condition.predicate));
  llvm::Value *limit = first ? path_.evaluate(condition.limit, builder_) : nullptr;
  if (!limit)
    return false;
  bool same_everywhere =
      path_.evaluation_is_same_on_all_paths() && path_.is_executed_once(*condition.compare);
  llvm::Value *items = builder_.getInt64(size), *none = builder_.getInt64(0),
              *one = builder_.getInt64(1), *factor = builder_.getInt64(uint64_t(sum->factor));
  bool is_equality = condition.predicate == llvm::CmpInst::ICMP_EQ;
  bool takes_limit = is_equality || !llvm::CmpInst::isStrictPredicate(condition.predicate);
  llvm::Value *reached = llvm::CmpInst::isSigned(condition.predicate)
                             ? builder_.CreateICmpSGE(limit, first->value)
                             : builder_.CreateICmpUGE(limit, first->value);
  // This is exact for signed operands, too: the difference is not negative, and is read as
  // unsigned.
  llvm::Value *count =
      builder_.CreateZExt(builder_.CreateSub(limit, first->value), builder_.getInt64Ty());
  auto at_most = [&](llvm::Value *value, llvm::Value *most) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, most);
  };
  count = at_most(count, builder_.CreateMul(items, factor));
  if (!takes_limit)
    count = builder_.CreateAdd(count, builder_.CreateSub(factor, one));
  count = builder_.CreateUDiv(count, factor);
  if (takes_limit)
    count = at_most(builder_.CreateAdd(count, one), items);
  count = builder_.CreateSelect(reached, count, none);
  llvm::Value *end = builder_.CreateSelect(
      first->wraps_not, builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, count, one), items);
  llvm::Value *full = nullptr;
  // A comparison that is false below the bound (`id > limit` for `id <= limit`) belongs to a branch
  // that is uniform in the sub-group and needs no mask.
  if (!is_equality && same_everywhere && !condition.compare_is_inverted) {
    llvm::Value *whole = builder_.getInt64(step);
    full = builder_.CreateMul(builder_.CreateUDiv(count, whole), whole);
    full = builder_.CreateSelect(first->wraps_not, full, none);
  }
  if (!bound_) {
    bound_.emplace();
    bound_->dimension = sum->dimension;
  }
  merge(end, full, path_.original(*condition.compare));
  return true;
}

// A sub-group is idle beyond all bounds; the copy without masks is valid below every bound.
void Finder::merge(llvm::Value *end, llvm::Value *full, const llvm::Value *compare) {
  auto combine = [&](llvm::Intrinsic::ID which, llvm::Value *old, llvm::Value *now) {
    return old ? builder_.CreateBinaryIntrinsic(which, old, now) : now;
  };
  bound_->end = combine(llvm::Intrinsic::umax, bound_->end, end);
  if (!full) {
    differing_.insert(compare);
    return;
  }
  bound_->full = combine(llvm::Intrinsic::umin, bound_->full, full);
  bound_->true_below_full.insert(compare);
}

} // namespace

std::optional<WorkBound> find_work_bound(
    const llvm::Function &function, const BarrierRegions &regions, unsigned region,
    const std::vector<BarrierValue> &live_values, llvm::BasicBlock &before,
    llvm::function_ref<llvm::Value *(const BarrierValue &, llvm::IRBuilderBase &)> load_uniform) {
  llvm::BasicBlock *scratch =
      llvm::BasicBlock::Create(function.getContext(), "bound", before.getParent());
  llvm::IRBuilder<llvm::InstSimplifyFolder> builder(
      scratch, llvm::InstSimplifyFolder(function.getDataLayout()));
  RegionPath path(regions, region, live_values,
                  [&](const BarrierValue &value) { return load_uniform(value, builder); });
  auto bound =
      Finder(function, path, live_values, builder).run(regions.regions()[region].blocks.front());
  if (bound)
    before.splice(before.end(), scratch);
  scratch->eraseFromParent();
  return bound;
}

} // namespace lockstep::compiler
