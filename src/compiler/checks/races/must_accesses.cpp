#include "compiler/checks/races/must_accesses.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/argument_members.h"
#include "compiler/checks/common/image_texels.h"
#include "kernel_ir/primitives.h"

#include "abi/address_spaces.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

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

} // namespace

MustAccessSet::MustAccessSet(llvm::Function &function, const DisjointAccesses::Analyses &analyses,
                             uint32_t first, uint32_t end, uint64_t failed)
    : dominators_(analyses.dominators), post_dominators_(function), loops_(analyses.loops),
      sums_(function, analyses.loops, analyses.evolution), first_(first), end_(end),
      failed_(failed) {}

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
  return sums_.add_all_iterations(sum, entry.counters, entry.steps, entry.of_iterations);
}

bool MustAccessSet::add(const llvm::Instruction &access, const llvm::Value *pointer, uint64_t size,
                        FootprintKind kind) {
  const llvm::Value *object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  const auto place = argument_pointer(*object);
  auto *argument = llvm::dyn_cast<llvm::Argument>(object);
  if (!place || (argument && argument->getType()->getPointerAddressSpace() != global_space &&
                 !is_constant_buffer(*argument)))
    return false;
  const auto [number, is_new] =
      numbers_.try_emplace({place->argument, place->byte}, first_ + uint32_t(numbers_.size()));
  if (number->second >= end_ || failed_ >> number->second & 1 ||
      found_.size() == limits::search_steps)
    return false;
  const auto offset = sums_.offset_of(pointer);
  const llvm::BasicBlock &block = *access.getParent();
  if (!offset || !is_of(to_list(offset->sum), block))
    return false;
  auto conditions = conditions_of(block);
  if (!conditions)
    return false;
  MustAccess entry;
  entry.number = number->second;
  entry.argument = place->argument;
  entry.byte = place->byte;
  entry.kind = static_cast<uint32_t>(kind);
  entry.place = {to_list(offset->sum), static_cast<int64_t>(size)};
  entry.fitting = offset->fitting;
  entry.conditions = std::move(*conditions);
  if (!add_counters(entry.place.offset, entry))
    return false;
  // Also the trip counts of other loops in conditions, and what must fit for them.
  for (const AccessCondition &each : entry.conditions) {
    if (!add_counters(each.sum, entry))
      return false;
    for (const FittingSum &fitting : each.fitting)
      if (!add_counters(fitting.sum, entry))
        return false;
  }
  for (size_t i = 0; i != entry.fitting.size(); ++i)
    if (!add_counters(entry.fitting[i].sum, entry))
      return false;
  if (std::find(found_.begin(), found_.end(), entry) == found_.end())
    found_.push_back(std::move(entry));
  return true;
}

} // namespace lockstep::compiler
