// LaunchExpressions: induction variables and trip counts of loops.
#include "compiler/checks/expressions/expression_terms.h"
#include "compiler/checks/expressions/launch_expressions.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace lockstep::compiler {

using namespace llvm::PatternMatch;
using namespace lockstep::compiler::sum_terms;

std::optional<Result> LaunchExpressions::of_loop_variable(const llvm::PHINode &phi,
                                                          llvm::Loop &loop) {
  if (finds_sweeps_) {
    if (!sweeps_.contains(&loop) && !exact_trip_count_of(loop))
      if (auto sweep = find_sweep(phi, loop)) {
        counters_.emplace_back();
        steps_.push_back(1);
        sweeps_[&loop] = {&phi, std::move(*sweep)};
      }
    if (const auto known = sweeps_.find(&loop); known != sweeps_.end())
      return known->second.first == &phi
                 ? std::optional(Result{atom(LaunchNumber::counter, known->second.second.counter),
                                        known->second.second.fitting})
                 : std::nullopt;
  }
  auto *moving =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(const_cast<llvm::PHINode *>(&phi)));
  llvm::BasicBlock *before = loop.getLoopPredecessor();
  if (!moving || !moving->isAffine() || moving->getLoop() != &loop || !before)
    return std::nullopt;
  auto start = of(phi.getIncomingValueForBlock(before));
  std::vector<FittingSum> fitting;
  auto step = of_evolution(moving->getStepRecurrence(evolution_), Narrowing::none, &fitting);
  if (!start || !step)
    return std::nullopt;
  append(start->fitting, fitting);
  for (const auto &[atoms, factor] : *step)
    for (const LaunchAtom &each : atoms)
      if (each.differs())
        return std::nullopt;
  const auto [known, is_new] =
      counter_of_.try_emplace(&loop, static_cast<uint32_t>(counters_.size()));
  const uint32_t counter = known->second;
  if (is_new) {
    counters_.emplace_back(); // trip_count_of may add other counters
    steps_.push_back(1);
    int64_t step = 1;
    counters_[counter] = trip_count_of(loop, step);
    steps_[counter] = step;
  }
  auto moved = product(*step, atom(LaunchNumber::counter, counter));
  if (!moved)
    return std::nullopt;
  return combine(start, Result{std::move(*moved), {}}, llvm::Instruction::Add);
}

// Returns an empty sum if the trip count is unknown. `for (i = 0; i < n; i += step)` gives a sum
// that must be divided by `step`.
LaunchSum LaunchExpressions::trip_count_of(llvm::Loop &loop, int64_t &step) {
  const llvm::SCEV *back = evolution_.getBackedgeTakenCount(&loop);
  if (auto *divided = llvm::dyn_cast<llvm::SCEVUDivExpr>(back))
    if (auto *by = llvm::dyn_cast<llvm::SCEVConstant>(divided->getRHS());
        by && by->getAPInt().isStrictlyPositive() && by->getAPInt().getActiveBits() < 31) {
      auto counted = of_evolution(divided->getLHS());
      const int64_t by_so_much = by->getAPInt().getSExtValue();
      if (counted && add_to(*counted, constant(by_so_much), 1) && is_of_launch(*counted)) {
        step = by_so_much;
        return to_list(*counted);
      }
    }
  auto sum = llvm::isa<llvm::SCEVCouldNotCompute>(back) ? std::nullopt : of_evolution(back);
  if (sum && add_to(*sum, constant(1), 1) && is_of_launch(*sum))
    return to_list(*sum);
  back = evolution_.getSymbolicMaxBackedgeTakenCount(&loop);
  const auto bound =
      llvm::isa<llvm::SCEVCouldNotCompute>(back) ? std::nullopt : bound_of(back, loop);
  are_bounds_ |= bound.has_value();
  return bound ? to_list(*bound) : LaunchSum();
}

const Sweep *LaunchExpressions::sweep_of(uint32_t counter) const {
  for (const auto &[loop, sweep] : sweeps_)
    if (sweep.second.counter == counter)
      return &sweep.second;
  return nullptr;
}

// `do ... while ((i += step) < n)`. The bound and the step are the same for all work-items, and the
// starts differ.
std::optional<Sweep> LaunchExpressions::find_sweep(const llvm::PHINode &phi, llvm::Loop &loop) {
  const llvm::BasicBlock *latch = loop.getLoopLatch(), *before = loop.getLoopPredecessor();
  auto *branch = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
  auto *comparison = branch && branch->isConditional()
                         ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                         : nullptr;
  if (!comparison || !before)
    return std::nullopt;
  auto predicate = branch->getSuccessor(0) == loop.getHeader() ? comparison->getPredicate()
                                                               : comparison->getInversePredicate();
  llvm::Value *small = comparison->getOperand(0), *large = comparison->getOperand(1);
  if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
    std::swap(small, large);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  const bool may_be_equal = llvm::ICmpInst::isLE(predicate);
  // A variable of 32 bits to which a size_t is added: LLVM makes the sum in 64 bits, and extends the
  // lower half for the next iteration.
  llvm::Value *next = phi.getIncomingValueForBlock(latch), *added = nullptr;
  const bool is_half =
      match(small, m_Trunc(m_Specific(next))) && small->getType()->isIntegerTy(32) &&
      phi.getType()->isIntegerTy(64) &&
      match(next, m_c_Add(m_AShr(m_Shl(m_Specific(&phi), m_SpecificInt(32)), m_SpecificInt(32)),
                          m_Value(added)));
  if ((small != next && !is_half) || (!may_be_equal && !llvm::ICmpInst::isLT(predicate)))
    return std::nullopt;
  const bool is_signed = llvm::ICmpInst::isSigned(predicate);
  Sweep sweep;
  const auto start = of(phi.getIncomingValueForBlock(before));
  std::optional<Sum> step;
  if (auto by = is_half && is_signed ? of(added) : std::nullopt) {
    step = by->sum;
    append(sweep.fitting, by->fitting);
  } else if (auto *moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
                 evolution_.getSCEV(const_cast<llvm::PHINode *>(&phi)));
             moving && moving->isAffine() && moving->getLoop() == &loop && !is_half) {
    step = of_evolution(moving->getStepRecurrence(evolution_), Narrowing::none, &sweep.fitting);
  }
  auto bound = of_evolution(evolution_.getSCEV(large), Narrowing::none, &sweep.fitting);
  if (!start || !step || !bound || !is_of_launch(*step) || !is_of_launch(*bound))
    return std::nullopt;
  const auto bits = static_cast<int64_t>(small->getType()->getIntegerBitWidth());
  append(sweep.fitting, start->fitting);
  append(sweep.fitting,
         {{to_list(start->sum), bits, is_signed}, {to_list(*bound), bits, is_signed}});
  if (may_be_equal && !add_to(*bound, constant(1), 1))
    return std::nullopt;
  Sum last = *bound; // no value of the variable is greater, also the one that ends the loop
  if (!add_to(last, *step, 1))
    return std::nullopt;
  append(sweep.fitting, {{to_list(last), bits, is_signed}});
  sweep.counter = static_cast<uint32_t>(counters_.size());
  sweep.start = to_list(start->sum);
  sweep.step = to_list(*step);
  sweep.bound = to_list(*bound);
  counter_of_[&loop] = sweep.counter;
  return sweep;
}

const llvm::Loop *LaunchExpressions::loop_of(uint32_t counter) const {
  for (const auto &[loop, number] : counter_of_)
    if (number == counter)
      return loop;
  return nullptr;
}

std::optional<LaunchExpressions::TripCount>
LaunchExpressions::exact_trip_count_of(const llvm::Loop &loop) {
  const llvm::SCEV *back = evolution_.getBackedgeTakenCount(&loop);
  TripCount trip_count;
  if (auto *divided = llvm::dyn_cast<llvm::SCEVUDivExpr>(back))
    if (auto *by = llvm::dyn_cast<llvm::SCEVConstant>(divided->getRHS());
        by && by->getAPInt().isStrictlyPositive() && by->getAPInt().getActiveBits() < 31) {
      trip_count.step = by->getAPInt().getSExtValue();
      back = divided->getLHS();
    }
  if (llvm::isa<llvm::SCEVCouldNotCompute>(back))
    return trip_count_below_bound(loop);
  auto sum = of_evolution(back, Narrowing::none, &trip_count.fitting);
  if (!sum)
    return std::nullopt;
  trip_count.fitting.push_back({to_list(*sum),
                                static_cast<int64_t>(evolution_.getTypeSizeInBits(back->getType())),
                                /*is_signed=*/false});
  if (!add_to(*sum, constant(trip_count.step), 1) || !is_of_launch(*sum))
    return std::nullopt;
  trip_count.sum = to_list(*sum);
  return trip_count;
}

bool LaunchExpressions::add_all_iterations(const LaunchSum &sum, std::vector<LaunchSum> &counters,
                                           std::vector<int64_t> &steps,
                                           std::vector<FittingSum> &fitting) {
  for (const LaunchTerm &term : sum)
    for (const LaunchAtom &each : term.atoms) {
      if (each.number != LaunchNumber::counter)
        continue;
      if (counters.size() <= each.index) {
        counters.resize(each.index + 1);
        steps.resize(each.index + 1, 1);
      }
      if (!counters[each.index].empty() || sweep_of(each.index))
        continue;
      auto trip_count = exact_trip_count_of(*loop_of(each.index));
      if (!trip_count || trip_count->sum.empty())
        return false;
      counters[each.index] = std::move(trip_count->sum);
      steps[each.index] = trip_count->step;
      append(fitting, trip_count->fitting);
    }
  return true;
}

// `do ... while ((i += step) < n)`: SCEV has no trip count, since `i` may overflow. It does not
// overflow if `n + step - 1` does not, which `fitting` requires.
std::optional<LaunchExpressions::TripCount>
LaunchExpressions::trip_count_below_bound(const llvm::Loop &loop) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  auto *branch = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
  auto *comparison = branch && branch->isConditional()
                         ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                         : nullptr;
  if (!comparison)
    return std::nullopt;
  auto predicate = branch->getSuccessor(0) == loop.getHeader() ? comparison->getPredicate()
                                                               : comparison->getInversePredicate();
  const llvm::SCEV *small = evolution_.getSCEV(comparison->getOperand(0)),
                   *large = evolution_.getSCEV(comparison->getOperand(1));
  if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
    std::swap(small, large);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  auto *moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(small);
  auto *step = moving && moving->isAffine() && moving->getLoop() == &loop
                   ? llvm::dyn_cast<llvm::SCEVConstant>(moving->getStepRecurrence(evolution_))
                   : nullptr;
  const bool may_be_equal = llvm::ICmpInst::isLE(predicate);
  if (!step || !step->getAPInt().isStrictlyPositive() || step->getAPInt().getActiveBits() >= 31 ||
      (!may_be_equal && !llvm::ICmpInst::isLT(predicate)))
    return std::nullopt;
  TripCount trip_count;
  trip_count.step = step->getAPInt().getSExtValue();
  const auto first = of_evolution(moving->getStart(), Narrowing::none, &trip_count.fitting);
  auto bound = of_evolution(large, Narrowing::none, &trip_count.fitting);
  if (!first || !bound)
    return std::nullopt;
  const auto bits = static_cast<int64_t>(evolution_.getTypeSizeInBits(small->getType()));
  const bool is_signed = llvm::ICmpInst::isSigned(predicate);
  trip_count.fitting.push_back({to_list(*first), bits, is_signed});
  trip_count.fitting.push_back({to_list(*bound), bits, is_signed});
  if (!add_to(*bound, constant(trip_count.step - 1 + may_be_equal), 1))
    return std::nullopt;
  trip_count.fitting.push_back({to_list(*bound), bits, is_signed}); // the last value of i
  if (!add_to(*bound, *first, -1) || !add_to(*bound, constant(trip_count.step), 1) ||
      !is_of_launch(*bound))
    return std::nullopt;
  trip_count.sum = to_list(*bound);
  return trip_count;
}

// An upper bound of the trip count, from an upper bound of the backedge-taken count. The largest
// backedge-taken count of the type would wrap to trip count 0; the entry guard excludes that.
std::optional<Sum> LaunchExpressions::bound_of(const llvm::SCEV *back, llvm::Loop &loop) {
  if (llvm::isa<llvm::SCEVUMinExpr, llvm::SCEVSequentialUMinExpr>(back)) {
    for (const llvm::SCEV *count : llvm::cast<llvm::SCEVNAryExpr>(back)->operands())
      if (auto bound = bound_of(count, loop))
        return bound;
    return std::nullopt;
  }
  const llvm::SCEV *trip_count = evolution_.getAddExpr(back, evolution_.getOne(back->getType()));
  auto sum = of_evolution(trip_count);
  if (sum && is_of_launch(*sum) && has_no_negative(*sum) &&
      evolution_.isLoopEntryGuardedByCond(&loop, llvm::ICmpInst::ICMP_NE, trip_count,
                                          evolution_.getZero(back->getType())))
    return sum;
  for (const llvm::PHINode &phi : loop.getHeader()->phis())
    if (auto bound = bound_from(phi, back, loop))
      return bound;
  return std::nullopt;
}

// Bounds the trip count by `end - first`, where `end` is a minimum of several values and one of
// them is a sum. If that value wraps, it is less than the sum, so the bound holds too.
std::optional<Sum> LaunchExpressions::bound_from(const llvm::PHINode &phi, const llvm::SCEV *back,
                                                 llvm::Loop &loop) {
  llvm::BasicBlock *before = loop.getLoopPredecessor();
  llvm::Type *type = back->getType();
  if (!before || !phi.getType()->isIntegerTy() ||
      evolution_.getTypeSizeInBits(phi.getType()) < evolution_.getTypeSizeInBits(type))
    return std::nullopt;
  llvm::Value *begin = phi.getIncomingValueForBlock(before);
  const auto start = of(begin);
  const llvm::SCEV *first = evolution_.getTruncateOrNoop(evolution_.getSCEV(begin), type),
                   *trip_count = evolution_.getAddExpr(back, evolution_.getOne(type)),
                   *end = evolution_.getAddExpr(trip_count, first);
  const auto is_signed = start ? is_entered_below(loop, *start, first, end) : std::nullopt;
  if (!is_signed)
    return std::nullopt;
  llvm::SmallVector<const llvm::SCEV *> ends = {end};
  if (llvm::isa<llvm::SCEVUMinExpr, llvm::SCEVSMinExpr, llvm::SCEVSequentialUMinExpr>(end))
    ends.assign(llvm::cast<llvm::SCEVNAryExpr>(end)->operands().begin(),
                llvm::cast<llvm::SCEVNAryExpr>(end)->operands().end());
  for (const llvm::SCEV *each : ends) {
    auto sum =
        of_evolution(each, *is_signed ? Narrowing::decreases : Narrowing::decreases_unsigned);
    if (sum && has_no_negative(*sum) && add_to(*sum, start->sum, -1) && is_of_launch(*sum) &&
        has_no_negative(*sum))
      return sum;
  }
  return std::nullopt;
}

// The signedness must match that of the minimum in `end`.
std::optional<bool> LaunchExpressions::is_entered_below(llvm::Loop &loop, const Result &start,
                                                        const llvm::SCEV *first,
                                                        const llvm::SCEV *end) {
  for (const auto below : {llvm::ICmpInst::ICMP_ULT, llvm::ICmpInst::ICMP_SLT}) {
    const bool is_signed = below == llvm::ICmpInst::ICMP_SLT;
    if (is_signed ? llvm::isa<llvm::SCEVUMinExpr, llvm::SCEVSequentialUMinExpr>(end)
                  : llvm::isa<llvm::SCEVSMinExpr>(end))
      continue;
    if (evolution_.isLoopEntryGuardedByCond(&loop, below, first, end))
      return is_signed;
    // A dominating branch may compare an equal value that has a different SCEV.
    llvm::BasicBlock *to = loop.getLoopPredecessor();
    for (llvm::BasicBlock *from = to->getSinglePredecessor(); from;
         to = from, from = to->getSinglePredecessor()) {
      auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
      if (!branch || !branch->isConditional())
        break;
      llvm::Value *small = nullptr, *large = nullptr;
      const auto predicate =
          branch->getSuccessor(0) == to ? below : llvm::ICmpInst::getInversePredicate(below);
      if (branch->getSuccessor(0) == branch->getSuccessor(1) ||
          !match(branch->getCondition(),
                 m_c_SpecificICmp(predicate, m_Value(small), m_Value(large))) ||
          evolution_.getSCEV(large) != end)
        continue;
      const auto compared = of(small);
      if (compared && compared->sum == start.sum &&
          std::all_of(
              compared->fitting.begin(), compared->fitting.end(),
              [&](const FittingSum &each) { return llvm::is_contained(start.fitting, each); }))
        return is_signed;
    }
  }
  return std::nullopt;
}

// Converts a SCEV that is uniform across work-items. Without `fitting`, an overflow means a
// different trip count, which the launch sees as more bytes than the memory has. Narrowing only
// makes a value smaller, but a sign extension of a narrowed value may be large when read as
// unsigned.
std::optional<Sum> LaunchExpressions::of_evolution(const llvm::SCEV *value, Narrowing narrowing,
                                                   std::vector<FittingSum> *fitting) {
  if (auto *number = llvm::dyn_cast<llvm::SCEVConstant>(value))
    return constant(number->getAPInt().getSExtValue());
  if (auto *unknown = llvm::dyn_cast<llvm::SCEVUnknown>(value)) {
    auto result = of(unknown->getValue());
    if (result && fitting) {
      fitting->insert(fitting->end(), result->fitting.begin(), result->fitting.end());
      return result->sum;
    }
    const bool is_it =
        result &&
        std::all_of(result->fitting.begin(), result->fitting.end(), [&](const FittingSum &each) {
          return narrowing == Narrowing::decreases ||
                 (narrowing == Narrowing::decreases_unsigned && !each.is_signed);
        });
    return is_it ? std::optional(result->sum) : std::nullopt;
  }
  if (auto *cast = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(value)) {
    if (llvm::isa<llvm::SCEVTruncateExpr>(cast) ? narrowing == Narrowing::none && !fitting
                                                : llvm::isa<llvm::SCEVSignExtendExpr>(cast) &&
                                                      narrowing == Narrowing::decreases_unsigned)
      return std::nullopt;
    auto sum = of_evolution(cast->getOperand(), narrowing, fitting);
    llvm::Type *narrow =
        llvm::isa<llvm::SCEVTruncateExpr>(cast) ? cast->getType() : cast->getOperand()->getType();
    if (sum && fitting)
      fitting->push_back({to_list(*sum), static_cast<int64_t>(evolution_.getTypeSizeInBits(narrow)),
                          !llvm::isa<llvm::SCEVZeroExtendExpr>(cast)});
    return sum;
  }
  auto *several = llvm::dyn_cast<llvm::SCEVNAryExpr>(value);
  if (!several || !llvm::isa<llvm::SCEVAddExpr, llvm::SCEVMulExpr>(value))
    return std::nullopt;
  const bool adds = llvm::isa<llvm::SCEVAddExpr>(value);
  Sum sum = constant(adds ? 0 : 1);
  for (const llvm::SCEV *operand : several->operands()) {
    auto part = of_evolution(operand, narrowing, fitting);
    if (!part)
      return std::nullopt;
    if (!adds) {
      auto both = product(sum, *part);
      if (!both)
        return std::nullopt;
      sum = std::move(*both);
    } else if (!add_to(sum, *part, 1)) {
      return std::nullopt;
    }
  }
  return sum;
}

} // namespace lockstep::compiler
