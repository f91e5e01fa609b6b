#include "compiler/ir_to_workgroup/analyze/counted_loops.h"

#include "compiler/ir_to_workgroup/analyze/loop_slice.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

// What a value is after many rounds.
struct Limit {
  enum Kind { unknown, up, down, constant };
  Limit(Kind kind = unknown, llvm::APInt value = llvm::APInt()) : kind(kind), value(value) {}
  static Limit of(bool value) { return {constant, llvm::APInt(1, value)}; }

  bool runs() const { return kind == up || kind == down; }
  bool operator==(const Limit &other) const {
    return kind == other.kind &&
           (kind != constant ||
            (value.getBitWidth() == other.value.getBitWidth() && value == other.value));
  }
  Limit reversed() const { return kind == up ? down : kind == down ? up : unknown; }

  Kind kind;
  llvm::APInt value; // of a constant
};

class Limits {
public:
  Limits(const llvm::Loop &loop, const llvm::DominatorTree &dominators, llvm::AAResults &aliases,
         llvm::function_ref<bool(const llvm::Instruction &)> synchronises)
      : loop_(loop), dominators_(dominators), aliases_(aliases), synchronises_(synchronises),
        layout_(loop.getHeader()->getModule()->getDataLayout()) {}

  Limit of(const llvm::Value *value) {
    if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value))
      return {Limit::constant, number->getValue()};
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !loop_.contains(instruction))
      return {};
    auto [entry, is_new] = known_.try_emplace(instruction, Limit{}); // unknown while it is asked
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
      return load->isSimple() ? of_told(*load) : Limit{};
    if (llvm::isa<llvm::CastInst, llvm::FreezeInst>(instruction))
      return of_cast(instruction);
    if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
      return of_operation(*operation);
    if (called_primitive(instruction) == Primitive::sub_group_broadcast)
      return of(instruction.getOperand(0));
    return {};
  }

  bool is_fixed(const llvm::Value *value) const { return loop_.isLoopInvariant(value); }

  // All ways within the loop.
  Limit of_all(const llvm::PHINode &phi) {
    Limit limit;
    for (unsigned way = 0; way != phi.getNumIncomingValues(); ++way) {
      Limit other = of(phi.getIncomingValue(way));
      if (way != 0 && !(other == limit))
        return {};
      limit = other;
    }
    return limit;
  }

  // Of a variable that each round moves by something, in one direction.
  Limit of_variable(const llvm::PHINode &phi) {
    if (!phi.getType()->isIntegerTy())
      return {};
    auto steps = steps_between(phi, phi.getIncomingValueForBlock(loop_.getLoopLatch()), 0);
    if (!steps)
      return {};
    if (steps->first.isStrictlyPositive())
      return {Limit::up};
    return steps->second.isNegative() ? Limit{Limit::down} : Limit{};
  }

  using Steps = std::pair<llvm::APInt, llvm::APInt>; // the least and the most
  std::optional<Steps> steps_between(const llvm::PHINode &phi, const llvm::Value *next,
                                     unsigned depth) {
    const unsigned bits = phi.getType()->getIntegerBitWidth();
    if (next == &phi)
      return Steps{llvm::APInt(bits, 0), llvm::APInt(bits, 0)};
    constexpr unsigned deepest = 6;
    const llvm::Value *before;
    const llvm::APInt *step;
    if (depth == deepest)
      return std::nullopt;
    if (match(next, m_Add(m_Value(before), m_APInt(step)))) {
      auto steps = steps_between(phi, before, depth + 1);
      if (!steps)
        return std::nullopt;
      return Steps{steps->first + *step, steps->second + *step};
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
      all = all ? Steps{llvm::APIntOps::smin(all->first, steps->first),
                        llvm::APIntOps::smax(all->second, steps->second)}
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
    if ((!is_positive && !is_negative) || !is_done_each_round(*update.getParent()))
      return {};
    bool goes_up = is_positive == adds;
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &other : *block)
        if (&other != &update && may_turn_back(other, update, goes_up))
          return {};
    return {goes_up ? Limit::up : Limit::down};
  }

  // In each round, by this work-item or by one that its number chooses.
  bool is_done_each_round(const llvm::BasicBlock &block) const {
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
          !leaves_otherwise(*above, *node->getBlock()))
        return false;
    }
    return true;
  }

  // Whoever does not go to `next` leaves the loop.
  bool leaves_otherwise(const llvm::BasicBlock &block, const llvm::BasicBlock &next) const {
    return llvm::all_of(llvm::successors(&block), [&](const llvm::BasicBlock *to) {
      return to == &next || !loop_.contains(to);
    });
  }

  bool may_turn_back(const llvm::Instruction &other, const llvm::AtomicRMWInst &counter,
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
    // A plain store to what others count at the same time is a race.
    return !is_plain || synchronises_(counter) ||
           llvm::getUnderlyingObject(pointer) == llvm::getUnderlyingObject(*written);
  }

  // A variable by which one work-item tells the others: everything that the loop writes there has
  // one limit.
  Limit of_told(const llvm::LoadInst &load) {
    const llvm::Value *object = llvm::getUnderlyingObject(load.getPointerOperand());
    if (!llvm::isIdentifiedObject(object) ||
        !(is_private(load.getPointerOperand()) || is_local(load.getPointerOperand())))
      return {};
    Limit limit;
    bool is_told = false;
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &instruction : *block) {
        auto written = written_by(instruction);
        if (!written || (*written && !may_meet(object, *written)))
          continue;
        auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (!store || store->getPointerOperand() != load.getPointerOperand() ||
            store->getValueOperand()->getType() != load.getType() || !is_done_each_round(*block))
          return {};
        Limit other = of(store->getValueOperand());
        if (is_told && !(other == limit))
          return {};
        limit = other;
        is_told = true;
      }
    return limit;
  }

  Limit of_select(const llvm::SelectInst &select) {
    Limit condition = of(select.getCondition()), yes = of(select.getTrueValue()),
          no = of(select.getFalseValue());
    if (condition.kind == Limit::constant)
      return condition.value.isZero() ? no : yes;
    return yes == no ? yes : Limit{};
  }

  Limit of_cast(const llvm::Instruction &cast) {
    Limit limit = of(cast.getOperand(0));
    if (!cast.getType()->isIntegerTy() || !cast.getOperand(0)->getType()->isIntegerTy())
      return {};
    if (limit.kind == Limit::constant) {
      unsigned bits = cast.getType()->getIntegerBitWidth();
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
      if (a.runs() && (is_fixed(right) || a == b))
        return a;
      return b.runs() && is_fixed(left) ? b : Limit{};
    case Instruction::Sub:
      if (a.runs() && is_fixed(right))
        return a;
      return b.runs() && is_fixed(left) ? b.reversed() : Limit{};
    case Instruction::Mul:
      return a.runs() && b.kind == Limit::constant && b.value.isStrictlyPositive() ? a : Limit{};
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
      return a.runs() && b.kind == Limit::constant ? a : Limit{};
    default:
      return {};
    }
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
    auto predicate = a.runs() ? compare.getPredicate() : compare.getSwappedPredicate();
    has_distant_bound_ |= !is_fixed(bound) && !is_narrow(*bound);
    bool is_greater = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
    return Limit::of(is_greater == ((a.runs() ? a : b).kind == Limit::up));
  }

  // As wide as what counts to its end in seconds.
  bool is_narrow(const llvm::Value &bound) const {
    constexpr unsigned narrow = 32;
    const unsigned bits = bound.getType()->getIntegerBitWidth();
    return bits <= narrow || llvm::ComputeMaxSignificantBits(&bound, layout_) <= narrow ||
           llvm::computeKnownBits(&bound, layout_).countMaxActiveBits() <= narrow;
  }

  const llvm::Loop &loop_;
  const llvm::DominatorTree &dominators_;
  llvm::AAResults &aliases_;
  llvm::function_ref<bool(const llvm::Instruction &)> synchronises_;
  const llvm::DataLayout &layout_;
  llvm::DenseMap<const llvm::Instruction *, Limit> known_;
  bool has_distant_bound_ = false;
};

} // namespace

CountedLoop examine_count(const llvm::Loop &loop, const llvm::DominatorTree &dominators,
                          llvm::ScalarEvolution &evolution, llvm::AAResults &aliases,
                          llvm::function_ref<bool(const llvm::Instruction &)> synchronises) {
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
    if (!llvm::isa<llvm::SCEVCouldNotCompute>(evolution.getExitCount(&loop, block)))
      return {true, false};
    Limits limits(loop, dominators, aliases, synchronises);
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
