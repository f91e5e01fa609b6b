#include "compiler/waits/analysis/bounded_loops.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

constexpr unsigned narrow = 32; // bits; a loop counts through these in seconds

// The value that an expression converges to after many iterations.
struct Limit {
  enum Kind { unknown, up, down, constant };
  Limit(Kind kind = unknown, llvm::APInt value = llvm::APInt()) : kind(kind), value(value) {}
  static Limit of(bool value) { return {constant, llvm::APInt(1, value)}; }
  static Limit running(Kind kind, uint64_t step, unsigned bits, bool no_signed_wrap) {
    Limit limit(kind);
    limit.step = step;
    limit.bits = bits;
    limit.no_signed_wrap = no_signed_wrap;
    return limit;
  }

  bool runs() const { return kind == up || kind == down; }
  bool is_like(const Limit &other) const {
    return kind == other.kind &&
           (kind != constant ||
            (value.getBitWidth() == other.value.getBitWidth() && value == other.value));
  }
  // The limit of a value that is `*this` on one path and `other` on another.
  Limit or_else(const Limit &other) const {
    if (!is_like(other))
      return {};
    Limit both = *this;
    both.step = std::max(step, other.step);
    if (extended_by != other.extended_by || bits != other.bits)
      both.bits = 0;
    both.no_signed_wrap &= other.no_signed_wrap;
    return both;
  }
  Limit reversed() const {
    Limit limit = *this;
    limit.kind = kind == up ? down : kind == down ? up : unknown;
    limit.no_signed_wrap = false;
    return limit;
  }

  Kind kind;
  llvm::APInt value; // for `constant`
  // For `up` and `down`: the largest step, and the number of bits before the counter wraps; 0:
  // unknown.
  uint64_t step = 0;
  unsigned bits = 0, extended_by = 0; // an opcode, if its type has more
  bool no_signed_wrap = false;
};

class Limits {
public:
  Limits(const llvm::Loop &loop, const llvm::DominatorTree &dominators, llvm::AAResults &aliases,
         llvm::function_ref<bool(const llvm::Instruction &)> synchronizes)
      : loop_(loop), dominators_(dominators), aliases_(aliases), synchronizes_(synchronizes),
        layout_(loop.getHeader()->getModule()->getDataLayout()) {}

  Limit of(const llvm::Value *value) {
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value))
      return {Limit::constant, number->getValue()};
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !loop_.contains(instruction))
      return {};
    auto [entry, is_new] = known_.try_emplace(instruction, Limit{}); // unknown during the recursion
    if (!is_new)
      return entry->second;
    Limit limit = compute(*instruction);
    known_[instruction] = limit;
    return limit;
  }

  bool has_distant_bound() const { return has_distant_bound_; }

private:
  Limit compute(const llvm::Instruction &instruction) {
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
      return phi->getParent() == loop_.getHeader() ? of_variable(*phi) : of_all(*phi);
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return of_counter(*update);
    if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
      return of_comparison(*compare);
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return of_select(*select);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return load->isSimple() ? of_reported(*load) : Limit{};
    if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction))
      return of_cast(instruction);
    if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
      return of_operation(*operation);
    if (called_primitive(instruction) == Primitive::sub_group_broadcast)
      return of(instruction.getOperand(0));
    return {};
  }

  bool is_fixed(const llvm::Value *value) const { return loop_.isLoopInvariant(value); }

  // Merges the limits of all paths within the loop.
  Limit of_all(const llvm::PHINode &phi) {
    Limit limit = of(phi.getIncomingValue(0));
    for (const llvm::Value *value : llvm::drop_begin(phi.incoming_values()))
      limit = limit.or_else(of(value));
    return limit;
  }

  // The limit of a variable that each iteration moves in one direction.
  Limit of_variable(const llvm::PHINode &phi) {
    if (!phi.getType()->isIntegerTy())
      return {};
    auto steps = steps_between(phi, phi.getIncomingValueForBlock(loop_.getLoopLatch()), 0);
    if (!steps || (!steps->least.isStrictlyPositive() && !steps->most.isNegative()))
      return {};
    const bool goes_up = steps->least.isStrictlyPositive();
    return Limit::running(goes_up ? Limit::up : Limit::down,
                          (goes_up ? steps->most : -steps->least).getLimitedValue(),
                          phi.getType()->getIntegerBitWidth(), steps->no_signed_wrap);
  }

  struct Steps {
    llvm::APInt least, most;
    bool no_signed_wrap = true;
  };
  std::optional<Steps> steps_between(const llvm::PHINode &phi, const llvm::Value *next,
                                     unsigned depth) {
    const unsigned bits = phi.getType()->getIntegerBitWidth();
    if (next == &phi)
      return Steps{llvm::APInt(bits, 0), llvm::APInt(bits, 0)};
    const llvm::Value *before;
    const llvm::APInt *step;
    if (depth == limits::search_depth)
      return std::nullopt;
    if (match(next, m_Add(m_Value(before), m_APInt(step)))) {
      auto steps = steps_between(phi, before, depth + 1);
      if (!steps)
        return std::nullopt;
      auto *add = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(next);
      return Steps{steps->least + *step, steps->most + *step,
                   steps->no_signed_wrap && add && add->hasNoSignedWrap()};
    }
    llvm::SmallVector<const llvm::Value *, 4> ways;
    if (auto *select = llvm::dyn_cast<llvm::SelectInst>(next))
      ways = {select->getTrueValue(), select->getFalseValue()};
    else if (auto *join = llvm::dyn_cast<llvm::PHINode>(next);
             join && loop_.contains(join) && join->getParent() != loop_.getHeader())
      ways.append(join->value_op_begin(), join->value_op_end());
    std::optional<Steps> all;
    for (const llvm::Value *way : ways) {
      auto steps = steps_between(phi, way, depth + 1);
      if (!steps)
        return std::nullopt;
      all = all ? Steps{llvm::APIntOps::smin(all->least, steps->least),
                        llvm::APIntOps::smax(all->most, steps->most),
                        all->no_signed_wrap && steps->no_signed_wrap}
                : *steps;
    }
    return all;
  }

  Limit of_counter(const llvm::AtomicRMWInst &update) {
    const llvm::Value *step = update.getValOperand();
    bool adds = update.getOperation() == llvm::AtomicRMWInst::Add;
    if (!adds && update.getOperation() != llvm::AtomicRMWInst::Sub)
      return {};
    auto *number = llvm::dyn_cast<llvm::ConstantInt>(step);
    bool is_positive = number ? number->getValue().isStrictlyPositive()
                              : llvm::isKnownPositive(step, llvm::SimplifyQuery(layout_));
    bool is_negative = number && number->isNegative();
    if ((!is_positive && !is_negative) || !runs_each_iteration(*update.getParent()))
      return {};
    bool goes_up = is_positive == adds;
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &other : *block)
        if (&other != &update && may_decrease(other, update, goes_up))
          return {};
    const unsigned bits = update.getType()->getIntegerBitWidth();
    return Limit::running(goes_up ? Limit::up : Limit::down,
                          number ? number->getValue().abs().getLimitedValue() : UINT64_MAX, bits,
                          /*no_signed_wrap=*/false);
  }

  // True if each iteration executes the block, for this work-item or for one that a loop-invariant
  // condition selects.
  bool runs_each_iteration(const llvm::BasicBlock &block) const {
    if (dominators_.dominates(&block, loop_.getLoopLatch()))
      return true;
    for (auto *node = dominators_.getNode(&block); node && node->getBlock() != loop_.getHeader();
         node = node->getIDom()) {
      const llvm::BasicBlock *above = node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      if (!above || !loop_.contains(above))
        return false;
      const llvm::Value *condition = condition_of(*above->getTerminator());
      if (condition && !is_fixed(condition) &&
          !dominators_.dominates(node->getBlock(), loop_.getLoopLatch()) &&
          !leaves_otherwise(*above, *node->getBlock()) &&
          !always_reaches(*above, *node->getBlock()))
        return false;
    }
    return true;
  }

  // True if all paths from `block` lead to `end` in the same iteration. Example: a branch around a
  // report of the checker.
  bool always_reaches(const llvm::BasicBlock &block, const llvm::BasicBlock &end) const {
    llvm::SmallSetVector<const llvm::BasicBlock *, 8> passed;
    passed.insert(&block);
    for (unsigned i = 0; i != passed.size(); ++i)
      for (const llvm::BasicBlock *next : llvm::successors(passed[i])) {
        if (next == &end)
          continue;
        const bool goes_back = dominators_.dominates(next, passed[i]);
        if (!loop_.contains(next) || next == loop_.getHeader() || goes_back)
          return false;
        passed.insert(next);
      }
    return true;
  }

  // True if all other successors of `block` leave the loop.
  bool leaves_otherwise(const llvm::BasicBlock &block, const llvm::BasicBlock &next) const {
    return llvm::all_of(llvm::successors(&block), [&](const llvm::BasicBlock *to) {
      return to == &next || !loop_.contains(to);
    });
  }

  bool may_decrease(const llvm::Instruction &other, const llvm::AtomicRMWInst &counter,
                    bool goes_up) const {
    auto written = written_by(other);
    if (!written)
      return false;
    auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&other);
    auto *step = update ? llvm::dyn_cast<llvm::ConstantInt>(update->getValOperand()) : nullptr;
    bool adds = update && update->getOperation() == llvm::AtomicRMWInst::Add;
    bool subtracts = update && update->getOperation() == llvm::AtomicRMWInst::Sub;
    if (step && (adds || subtracts) &&
        (step->isZero() || step->getValue().isStrictlyPositive() == (goes_up == adds)))
      return false;
    const llvm::Value *pointer = counter.getPointerOperand();
    if (!*written)
      return true;
    if (!may_meet(pointer, *written) ||
        aliases_.isNoAlias(
            llvm::MemoryLocation::getBeforeOrAfter(*written, other.getAAMetadata()),
            llvm::MemoryLocation::getBeforeOrAfter(pointer, counter.getAAMetadata())))
      return false;
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&other);
    bool is_plain = llvm::isa<llvm::CallBase>(other) || (store && store->isSimple());
    // A plain store to a location that other work-items update at the same time is a race.
    return !is_plain || synchronizes_(counter) ||
           llvm::getUnderlyingObject(pointer) == llvm::getUnderlyingObject(*written);
  }

  // The limit of a variable in private or local memory, through which one work-item passes a value
  // to others. All values that the loop stores there must have the same limit.
  Limit of_reported(const llvm::LoadInst &load) {
    const llvm::Value *object = llvm::getUnderlyingObject(load.getPointerOperand());
    if (!llvm::isIdentifiedObject(object) ||
        !(is_private(load.getPointerOperand()) || is_local(load.getPointerOperand())))
      return {};
    Limit limit;
    bool is_reported = false;
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &instruction : *block) {
        auto written = written_by(instruction);
        if (!written || (*written && !may_meet(object, *written)))
          continue;
        auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (!store || store->getPointerOperand() != load.getPointerOperand() ||
            store->getValueOperand()->getType() != load.getType() || !runs_each_iteration(*block))
          return {};
        Limit other = of(store->getValueOperand());
        limit = is_reported ? limit.or_else(other) : other;
        is_reported = true;
      }
    return limit;
  }

  Limit of_select(const llvm::SelectInst &select) {
    Limit condition = of(select.getCondition()), yes = of(select.getTrueValue()),
          no = of(select.getFalseValue());
    if (condition.kind == Limit::constant)
      return condition.value.isZero() ? no : yes;
    return yes.or_else(no);
  }

  Limit of_cast(const llvm::Instruction &cast) {
    Limit limit = of(cast.getOperand(0));
    if (!cast.getType()->isIntegerTy() || !cast.getOperand(0)->getType()->isIntegerTy())
      return {};
    const unsigned bits = cast.getType()->getIntegerBitWidth();
    if (limit.runs() && llvm::isa<llvm::TruncInst>(cast)) {
      limit.bits = limit.extended_by && limit.bits < bits ? limit.bits : bits;
      limit.extended_by = limit.bits < bits ? limit.extended_by : 0;
      limit.no_signed_wrap = false;
    } else if (limit.runs() && !llvm::isa<llvm::FreezeInst>(cast)) {
      if (limit.extended_by && limit.extended_by != cast.getOpcode())
        limit.bits = 0;
      limit.extended_by = cast.getOpcode();
      limit.no_signed_wrap &= llvm::isa<llvm::SExtInst>(cast);
    }
    if (limit.kind == Limit::constant) {
      limit.value = llvm::isa<llvm::SExtInst>(cast) ? limit.value.sextOrTrunc(bits)
                                                    : limit.value.zextOrTrunc(bits);
    }
    return limit;
  }

  Limit of_operation(const llvm::BinaryOperator &operation) {
    const llvm::Value *left = operation.getOperand(0), *right = operation.getOperand(1);
    Limit a = of(left), b = of(right);
    using llvm::Instruction;
    if (operation.getType()->isIntegerTy(1))
      return of_logic(operation.getOpcode(), a, b);
    switch (operation.getOpcode()) {
    case Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint())
        return {};
      [[fallthrough]];
    case Instruction::Add:
      if (a.runs() && is_fixed(right))
        return moved(a, operation);
      if (a.runs() && a.is_like(b))
        return somewhere(a);
      return b.runs() && is_fixed(left) ? moved(b, operation) : Limit{};
    case Instruction::Sub:
      if (a.runs() && is_fixed(right))
        return moved(a, operation);
      return b.runs() && is_fixed(left) ? moved(b.reversed(), operation) : Limit{};
    case Instruction::Mul:
      return a.runs() && b.kind == Limit::constant && b.value.isStrictlyPositive() ? somewhere(a)
                                                                                   : Limit{};
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
      return a.runs() && b.kind == Limit::constant ? somewhere(a) : Limit{};
    default:
      return {};
    }
  }

  // The value still runs in its direction, but its range and steps are unknown.
  static Limit somewhere(Limit limit) {
    limit.bits = 0;
    limit.no_signed_wrap = false;
    return limit;
  }

  // The limit after adding a loop-invariant value: a value that fills its type still does.
  static Limit moved(Limit limit, const llvm::BinaryOperator &operation) {
    if (limit.extended_by)
      limit.bits = 0;
    auto *wrapping = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&operation);
    limit.no_signed_wrap &= wrapping && wrapping->hasNoSignedWrap();
    return limit;
  }

  static Limit of_logic(unsigned opcode, const Limit &a, const Limit &b) {
    const bool both = a.kind == Limit::constant && b.kind == Limit::constant;
    for (const Limit *one : {&a, &b})
      if (one->kind == Limit::constant) {
        if (opcode == llvm::Instruction::And && one->value.isZero())
          return Limit::of(false);
        if (opcode == llvm::Instruction::Or && !one->value.isZero())
          return Limit::of(true);
      }
    if (!both)
      return {};
    bool left = !a.value.isZero(), right = !b.value.isZero();
    switch (opcode) {
    case llvm::Instruction::And:
      return Limit::of(left && right);
    case llvm::Instruction::Or:
      return Limit::of(left || right);
    case llvm::Instruction::Xor:
      return Limit::of(left != right);
    default:
      return {};
    }
  }

  Limit of_comparison(const llvm::ICmpInst &compare) {
    if (!compare.getOperand(0)->getType()->isIntegerTy())
      return {};
    Limit a = of(compare.getOperand(0)), b = of(compare.getOperand(1));
    if (a.kind == Limit::constant && b.kind == Limit::constant)
      return Limit::of(llvm::ICmpInst::compare(a.value, b.value, compare.getPredicate()));
    if (compare.isEquality() || a.runs() == b.runs())
      return {};
    const llvm::Value *bound = compare.getOperand(a.runs() ? 1 : 0);
    const Limit &runs = a.runs() ? a : b;
    auto predicate = a.runs() ? compare.getPredicate() : compare.getSwappedPredicate();
    has_distant_bound_ |=
        !is_narrow(*bound) || !comes_to(runs, *bound, predicate) || is_moved(*bound);
    bool is_greater = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
    return Limit::of(is_greater == (runs.kind == Limit::up));
  }

  // True if the counter reaches or passes every possible value of the bound before it wraps.
  bool comes_to(const Limit &runs, const llvm::Value &bound,
                llvm::CmpInst::Predicate predicate) const {
    const bool is_signed = llvm::ICmpInst::isSigned(predicate), goes_up = runs.kind == Limit::up;
    if (runs.no_signed_wrap && is_signed)
      return true;
    if (runs.bits == 0 || (runs.extended_by == llvm::Instruction::SExt && !is_signed))
      return false;
    // In `i < n` equality ends the loop, and a counter with step 1 takes every value.
    const bool equal_is_enough =
        goes_up == (llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isGE(predicate));
    const uint64_t beyond = equal_is_enough ? runs.step - 1 : runs.step;
    const unsigned bits = bound.getType()->getIntegerBitWidth(), wide = bits + 65;
    const llvm::KnownBits known = llvm::computeKnownBits(&bound, layout_);
    const bool fills_by_sign =
        is_signed && runs.extended_by != llvm::Instruction::ZExt; // otherwise its minimum is 0
    auto widen = [&](const llvm::APInt &value) {
      return is_signed ? value.sext(wide) : value.zext(wide);
    };
    if (goes_up) {
      const auto last = fills_by_sign ? llvm::APInt::getSignedMaxValue(runs.bits).zext(wide)
                                      : llvm::APInt::getMaxValue(runs.bits).zext(wide);
      const auto most = widen(is_signed ? known.getSignedMaxValue() : known.getMaxValue());
      return (most + beyond).sle(last);
    }
    const auto last =
        fills_by_sign ? llvm::APInt::getSignedMinValue(runs.bits).sext(wide) : llvm::APInt(wide, 0);
    const auto least = widen(is_signed ? known.getSignedMinValue() : known.getMinValue());
    return (least - beyond).sge(last);
  }

  // True if the loop itself moves the bound, and so may keep it ahead of the counter.
  bool is_moved(const llvm::Value &bound) {
    const auto sources = sources_of({&bound});
    return llvm::any_of(sources, [&](const llvm::Instruction *source) {
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(source))
        return is_written_again(*load);
      if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst, llvm::CastInst>(source))
        return false;
      return of(source).runs() ||
             sources_of({source->op_begin(), source->op_end()}).contains(source);
    });
  }

  llvm::SmallSetVector<const llvm::Instruction *, 16>
  sources_of(llvm::SmallVector<const llvm::Value *, 4> values) const {
    llvm::SmallSetVector<const llvm::Instruction *, 16> sources;
    while (!values.empty())
      if (auto *source = llvm::dyn_cast<llvm::Instruction>(values.pop_back_val());
          source && loop_.contains(source) && sources.insert(source) &&
          !llvm::isa<llvm::LoadInst>(source))
        values.append(source->op_begin(), source->op_end());
    return sources;
  }

  // True if the loop stores a value that is not loop-invariant through the same pointer or
  // variable. Different arguments are assumed to point to different memory: bounds in memory are
  // common, and few programs move them.
  bool is_written_again(const llvm::LoadInst &load) const {
    const llvm::Value *pointer = load.getPointerOperand();
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &write : *block) {
        auto written = written_by(write);
        if (!written ||
            (*written && llvm::getUnderlyingObject(*written) != llvm::getUnderlyingObject(pointer)))
          continue;
        if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&write);
            store && is_fixed(store->getValueOperand()))
          continue;
        if (!*written || !aliases_.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(
                                                 *written, write.getAAMetadata()),
                                             llvm::MemoryLocation::get(&load)))
          return true;
      }
    return false;
  }

  // True if a loop counts to the bound in seconds.
  bool is_narrow(const llvm::Value &bound) const {
    const unsigned bits = bound.getType()->getIntegerBitWidth();
    return bits <= narrow || llvm::ComputeMaxSignificantBits(&bound, layout_) <= narrow ||
           llvm::computeKnownBits(&bound, layout_).countMaxActiveBits() <= narrow;
  }

  const llvm::Loop &loop_;
  const llvm::DominatorTree &dominators_;
  llvm::AAResults &aliases_;
  llvm::function_ref<bool(const llvm::Instruction &)> synchronizes_;
  const llvm::DataLayout &layout_;
  llvm::DenseMap<const llvm::Instruction *, Limit> known_;
  bool has_distant_bound_ = false;
};

// A variable that each iteration divides, or shifts right, until it is zero.
class Halving {
public:
  // Requires that each iteration executes `exit`.
  Halving(const llvm::Loop &loop, const llvm::BranchInst &exit) : loop_(loop) {
    if (loop.contains(exit.getSuccessor(0)) && !loop.contains(exit.getSuccessor(1)))
      add(exit.getCondition());
  }

  bool ends() const {
    return llvm::any_of(stays_if_, [this](const llvm::Value *condition) {
      auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
      return compare && is_bound_of_halving(*compare);
    });
  }

private:
  void add(const llvm::Value *condition) {
    const llvm::Value *left, *right;
    if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))) {
      add(left);
      add(right);
    } else {
      stays_if_.push_back(condition);
    }
  }

  // Simplifies a value under the condition that the loop continues.
  const llvm::Value *if_it_stays(const llvm::Value *value) const {
    while (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      if (!llvm::is_contained(stays_if_, select->getCondition()))
        break;
      value = select->getTrueValue();
    }
    return value;
  }

  bool is_bound_of_halving(const llvm::ICmpInst &compare) const {
    auto *bound = llvm::dyn_cast<llvm::ConstantInt>(compare.getOperand(1));
    auto *next = llvm::dyn_cast<llvm::BinaryOperator>(if_it_stays(compare.getOperand(0)));
    auto *divisor = next ? llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1)) : nullptr;
    auto *variable = next ? llvm::dyn_cast<llvm::PHINode>(next->getOperand(0)) : nullptr;
    if (!bound || !divisor || !variable || variable->getParent() != loop_.getHeader() ||
        if_it_stays(variable->getIncomingValueForBlock(loop_.getLoopLatch())) != next)
      return false;
    const bool shifts = next->getOpcode() == llvm::Instruction::LShr ||
                        next->getOpcode() == llvm::Instruction::AShr;
    const bool divides = next->getOpcode() == llvm::Instruction::SDiv ||
                         next->getOpcode() == llvm::Instruction::UDiv;
    if (!(shifts && !divisor->isZero()) && !(divides && divisor->getValue().sgt(1)))
      return false;
    // An arithmetic shift may end at -1 instead.
    const bool comes_to_zero = next->getOpcode() != llvm::Instruction::AShr;
    switch (compare.getPredicate()) {
    case llvm::CmpInst::ICMP_SGT:
      return !bound->isNegative();
    case llvm::CmpInst::ICMP_SGE:
      return bound->getValue().isStrictlyPositive();
    case llvm::CmpInst::ICMP_UGT:
      return comes_to_zero;
    case llvm::CmpInst::ICMP_NE:
      return comes_to_zero && bound->isZero();
    default:
      return false;
    }
  }

  const llvm::Loop &loop_;
  llvm::SmallVector<const llvm::Value *> stays_if_; // the loop continues only if all are true
};

} // namespace

CountedLoop examine_count(const llvm::Loop &loop, const llvm::DominatorTree &dominators,
                          llvm::ScalarEvolution &evolution, llvm::AAResults &aliases,
                          llvm::function_ref<bool(const llvm::Instruction &)> synchronizes) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  CountedLoop result;
  if (!latch)
    return result;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  for (llvm::BasicBlock *block : exiting) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || !dominators.dominates(block, latch))
      continue;
    if (const llvm::SCEV *rounds = evolution.getExitCount(&loop, block);
        !llvm::isa<llvm::SCEVCouldNotCompute>(rounds)) {
      if (evolution.getUnsignedRangeMax(rounds).getActiveBits() <= narrow)
        return {true, false};
      result = {true, true};
      continue;
    }
    if (Halving(loop, *branch).ends())
      return {true, false};
    Limits limits(loop, dominators, aliases, synchronizes);
    Limit end = limits.of(branch->getCondition());
    if (end.kind != Limit::constant || loop.contains(branch->getSuccessor(end.value.isZero())))
      continue;
    if (!limits.has_distant_bound())
      return {true, false};
    result = {true, true};
  }
  return result;
}

} // namespace lockstep::compiler
