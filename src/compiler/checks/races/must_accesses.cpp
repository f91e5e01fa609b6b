#include "compiler/checks/races/must_accesses.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/image_texels.h"
#include "kernel_ir/primitives.h"

#include "abi/address_spaces.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>
#include <limits>

namespace lockstep::compiler {

using namespace llvm::PatternMatch;

namespace {

LaunchSum difference(const LaunchExpressions::Sum &of, const LaunchExpressions::Sum &without,
                     int64_t constant) {
  LaunchExpressions::Sum sum = of;
  for (const auto &[atoms, factor] : without)
    if ((sum[atoms] -= factor) == 0)
      sum.erase(atoms);
  const std::vector<LaunchAtom> none;
  if (constant && (sum[none] += constant) == 0)
    sum.erase(none);
  return to_list(sum);
}

bool is_of_launch(const LaunchExpressions::Sum &sum) {
  return std::none_of(sum.begin(), sum.end(), [](const auto &term) {
    return std::any_of(term.first.begin(), term.first.end(),
                       [](const LaunchAtom &each) { return each.differs(); });
  });
}

} // namespace

MustAccessSet::MustAccessSet(llvm::Function &function, const DisjointAccesses::Analyses &analyses,
                             uint32_t first, uint32_t end, uint64_t failed)
    : dominators_(analyses.dominators), post_dominators_(function), loops_(analyses.loops),
      sums_(function, analyses.loops, analyses.evolution), first_(first), end_(end),
      failed_(failed) {
  sums_.find_sweeps();
}

// ---- when

// True if loops exit only at their latch, so that every iteration executes the whole body.
bool MustAccessSet::runs_in_all_iterations(const llvm::BasicBlock &block) const {
  for (const llvm::Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
    if (!loop->getLoopLatch() || loop->getExitingBlock() != loop->getLoopLatch())
      return false;
  return true;
}

std::optional<MustAccessSet::Conditions>
MustAccessSet::conditions_of(const llvm::BasicBlock &block) {
  auto [known, is_new] = known_.try_emplace(&block, std::nullopt);
  if (!is_new)
    return known->second;
  auto computed = compute_conditions(block);
  known_[&block] = computed;
  return computed;
}

// Each dominating block leads to the next one unconditionally, or under a condition that is
// recorded.
std::optional<MustAccessSet::Conditions>
MustAccessSet::compute_conditions(const llvm::BasicBlock &block) {
  const auto *node = dominators_.getNode(&block);
  if (!node || !runs_in_all_iterations(block))
    return std::nullopt;
  Conditions all;
  const llvm::BasicBlock *next = &block;
  for (node = node->getIDom(); node; next = node->getBlock(), node = node->getIDom()) {
    const llvm::BasicBlock *from = node->getBlock();
    if (post_dominators_.dominates(next, from))
      continue;
    const llvm::Loop *loop = loops_.getLoopFor(from);
    if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(from->getTerminator());
        choice && (!loop || loop->contains(&block))) {
      if (!add_choice(*choice, *next, all))
        return std::nullopt;
      continue;
    }
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    if ((loop && !loop->contains(&block)) || !branch || !branch->isConditional() ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
      return std::nullopt;
    std::optional<unsigned> side;
    for (unsigned each : {0u, 1u})
      if (dominators_.dominates(llvm::BasicBlockEdge(from, branch->getSuccessor(each)), next) &&
          post_dominators_.dominates(next, branch->getSuccessor(each)))
        side = each;
    if (!side || !add_condition(*branch->getCondition(), *side == 0, *from, all))
      return std::nullopt;
  }
  return all;
}

// `if (x == 0) ... if (x == 15) ...` may be a switch.
bool MustAccessSet::add_choice(const llvm::SwitchInst &choice, const llvm::BasicBlock &next,
                               Conditions &all) {
  const llvm::BasicBlock *from = choice.getParent(), *side = nullptr;
  for (const llvm::BasicBlock *each : llvm::successors(from))
    if (dominators_.dominates(llvm::BasicBlockEdge(from, each), &next) &&
        post_dominators_.dominates(&next, each))
      side = each;
  const auto chosen = sums_.of(choice.getCondition());
  if (!side || !chosen || choice.getCondition()->getType()->getIntegerBitWidth() > 64 ||
      choice.getNumCases() + all.size() > limits::search_depth)
    return false;
  // LLVM has no dominating edge if several cases lead to the block.
  const bool is_default = choice.getDefaultDest() == side;
  for (const auto &each : choice.cases()) {
    if (!is_default && each.getCaseSuccessor() != side)
      continue;
    AccessCondition found;
    found.kind = is_default ? AccessCondition::is_not_zero : AccessCondition::is_zero;
    LaunchExpressions::Sum value;
    if (const int64_t number = each.getCaseValue()->getSExtValue())
      value[{}] = number;
    found.sum = difference(chosen->sum, value, 0);
    found.fitting = chosen->fitting;
    append(found.fitting,
           {{to_list(chosen->sum),
             static_cast<int64_t>(choice.getCondition()->getType()->getIntegerBitWidth()), true}});
    if (!is_of(found.sum, *from))
      return false;
    all.push_back(std::move(found));
  }
  return true;
}

bool MustAccessSet::add_condition(llvm::Value &condition, bool holds, const llvm::BasicBlock &at,
                                  Conditions &all) {
  llvm::Value *one = nullptr, *other = nullptr;
  if (match(&condition, m_Not(m_Value(one))))
    return add_condition(*one, !holds, at, all);
  if (holds ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
            : match(&condition, m_LogicalOr(m_Value(one), m_Value(other))))
    return add_condition(*one, holds, at, all) && add_condition(*other, holds, at, all);
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&condition);
  if (!comparison || !comparison->getOperand(0)->getType()->isIntegerTy() ||
      comparison->getOperand(0)->getType()->getIntegerBitWidth() > 64 ||
      all.size() == limits::search_depth)
    return false;
  auto predicate = holds ? comparison->getPredicate() : comparison->getInversePredicate();
  auto small = sums_.of(comparison->getOperand(0)), large = sums_.of(comparison->getOperand(1));
  if (!small || !large)
    return false;
  if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
    std::swap(small, large);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  AccessCondition found;
  found.kind = predicate == llvm::ICmpInst::ICMP_EQ   ? AccessCondition::is_zero
               : predicate == llvm::ICmpInst::ICMP_NE ? AccessCondition::is_not_zero
                                                      : AccessCondition::is_positive;
  found.sum = difference(large->sum, small->sum, llvm::ICmpInst::isLE(predicate));
  found.fitting = small->fitting;
  append(found.fitting, large->fitting);
  const bool is_signed = !llvm::ICmpInst::isUnsigned(predicate);
  const int64_t bits = comparison->getOperand(0)->getType()->getIntegerBitWidth();
  append(found.fitting,
         {{to_list(small->sum), bits, is_signed}, {to_list(large->sum), bits, is_signed}});
  if (!is_of(found.sum, at))
    return false;
  all.push_back(std::move(found));
  return true;
}

// ---- where

bool MustAccessSet::is_of(const LaunchSum &sum, const llvm::BasicBlock &block) const {
  for (const LaunchTerm &term : sum) {
    if (std::count_if(term.atoms.begin(), term.atoms.end(),
                      [](const LaunchAtom &each) { return each.differs(); }) > 1)
      return false;
    for (const LaunchAtom &each : term.atoms)
      if (each.number == LaunchNumber::quotient ||
          (each.number == LaunchNumber::counter && !sums_.loop_of(each.index)->contains(&block)))
        return false;
  }
  return true;
}

bool MustAccessSet::add_counters(const LaunchSum &sum, MustAccess &entry) {
  for (const LaunchTerm &term : sum)
    for (const LaunchAtom &each : term.atoms)
      if (const Sweep *sweep =
              each.number == LaunchNumber::counter ? sums_.sweep_of(each.index) : nullptr;
          sweep && !llvm::is_contained(entry.sweeps, *sweep) && !add_sweep(*sweep, entry))
        return false;
  return sums_.add_all_iterations(sum, entry.counters, entry.steps, entry.of_iterations);
}

// A work-item that starts at the bound or behind it must not enter the loop. That condition is part
// of the sweep.
bool MustAccessSet::add_sweep(const Sweep &sweep, MustAccess &entry) {
  LaunchExpressions::Sum start, bound;
  for (const LaunchTerm &each : sweep.start)
    start[each.atoms] = each.factor;
  for (const LaunchTerm &each : sweep.bound)
    bound[each.atoms] = each.factor;
  const LaunchSum left = difference(bound, start, 0);
  const auto enters = llvm::find_if(entry.conditions, [&left](const AccessCondition &each) {
    return each.kind == AccessCondition::is_positive && each.sum == left;
  });
  if (enters == entry.conditions.end())
    return false;
  append(entry.fitting, enters->fitting);
  append(entry.fitting, sweep.fitting);
  entry.conditions.erase(enters);
  entry.sweeps.push_back(sweep);
  return true;
}

std::optional<MustAccess> MustAccessSet::entry_of(const llvm::Instruction &access,
                                                  const llvm::Value *pointer, uint64_t size,
                                                  FootprintKind kind) {
  const llvm::Value *object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  const auto place = argument_pointer(*object);
  auto *argument = llvm::dyn_cast<llvm::Argument>(object);
  if (!place || (argument && argument->getType()->getPointerAddressSpace() != global_space &&
                 !is_constant_buffer(*argument)))
    return std::nullopt;
  const auto [number, is_new] =
      numbers_.try_emplace({place->argument, place->byte}, first_ + uint32_t(numbers_.size()));
  if (number->second >= end_ || failed_ >> number->second & 1 ||
      found_.size() == limits::search_steps)
    return std::nullopt;
  const auto offset = sums_.offset_of(pointer);
  const llvm::BasicBlock &block = *access.getParent();
  if (!offset || !is_of(to_list(offset->sum), block))
    return std::nullopt;
  auto conditions = conditions_of(block);
  if (!conditions)
    return std::nullopt;
  MustAccess entry;
  entry.number = number->second;
  entry.argument = place->argument;
  entry.byte = place->byte;
  entry.kind = static_cast<uint32_t>(kind);
  entry.place = {to_list(offset->sum), static_cast<int64_t>(size)};
  entry.fitting = offset->fitting;
  entry.conditions = std::move(*conditions);
  if (!add_counters(entry.place.offset, entry))
    return std::nullopt;
  // Also the trip counts of other loops in conditions, and what must fit for them. A sweep removes
  // its condition.
  for (size_t i = 0; i < entry.conditions.size(); ++i) {
    const AccessCondition each = entry.conditions[i];
    const size_t conditions = entry.conditions.size();
    if (!add_counters(each.sum, entry))
      return std::nullopt;
    for (const FittingSum &fitting : each.fitting)
      if (!add_counters(fitting.sum, entry))
        return std::nullopt;
    if (entry.conditions.size() != conditions)
      i = std::numeric_limits<size_t>::max(); // look at all again
  }
  for (size_t i = 0; i != entry.fitting.size(); ++i)
    if (!add_counters(entry.fitting[i].sum, entry))
      return std::nullopt;
  return entry;
}

void MustAccessSet::add(MustAccess entry) {
  if (std::find(found_.begin(), found_.end(), entry) == found_.end())
    found_.push_back(std::move(entry));
}

bool MustAccessSet::add(const llvm::Instruction &access, const llvm::Value *pointer, uint64_t size,
                        FootprintKind kind) {
  auto entry = entry_of(access, pointer, size, kind);
  if (entry)
    add(std::move(*entry));
  return entry.has_value();
}

// The elements are iterations of a loop: the entry has a counter for them.
bool MustAccessSet::add_repeat(const CopyOperands::Repeat &repeat, MustAccess &entry) {
  LaunchExpressions::Result one;
  one.sum[{}] = 1;
  const auto count = sums_.of(repeat.count),
             distance = repeat.distance ? sums_.of(repeat.distance) : one;
  if (!count || !distance || !is_of_launch(count->sum) || !is_of_launch(distance->sum))
    return false;
  append(entry.fitting, distance->fitting);
  entry.conditions.push_back({AccessCondition::is_positive, to_list(count->sum), count->fitting});
  const LaunchAtom element{LaunchNumber::counter, static_cast<uint32_t>(entry.counters.size())};
  entry.counters.push_back(to_list(count->sum));
  entry.steps.push_back(1);
  for (LaunchTerm term : to_list(distance->sum)) {
    if (__builtin_mul_overflow(term.factor, static_cast<int64_t>(repeat.scale), &term.factor))
      return false;
    term.atoms.push_back(element); // the highest atom in their order
    entry.place.offset.push_back(std::move(term));
  }
  return true;
}

bool MustAccessSet::add_copy(const llvm::CallInst &copy, const llvm::Value *pointer,
                             const CopyOperands &operands, FootprintKind kind) {
  if (operands.size == 0)
    return false;
  auto entry = entry_of(copy, pointer, operands.size, kind);
  if (!entry || !llvm::all_of(operands.repeats, [&](const CopyOperands::Repeat &each) {
        return add_repeat(each, *entry);
      }))
    return false;
  add(std::move(*entry));
  return true;
}

} // namespace lockstep::compiler
