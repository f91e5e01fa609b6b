#include "compiler/ir_to_workgroup/check/launch_sums.h"

#include "compiler/image_descriptor.h"
#include "compiler/ir_to_workgroup/check/argument_members.h"
#include "compiler/ir_to_workgroup/check/image_texels.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

using Sum = LaunchSums::Sum;
using Result = LaunchSums::Result;
using namespace llvm::PatternMatch;

constexpr size_t most_terms = 32, most_atoms = 4, most_divisions = 8;

Sum constant(int64_t value) {
  return value ? Sum{{{}, value}} : Sum{};
}

Sum atom(LaunchNumber number, uint32_t index, uint32_t shift = 0) {
  return {{{LaunchAtom{number, index, shift}}, 1}};
}

bool add_to(Sum &sum, const Sum &other, int64_t times) {
  for (const auto &[atoms, factor] : other) {
    int64_t scaled = 0;
    int64_t &mine = sum[atoms];
    if (__builtin_mul_overflow(factor, times, &scaled) ||
        __builtin_add_overflow(mine, scaled, &mine))
      return false;
    if (mine == 0)
      sum.erase(atoms);
  }
  return sum.size() <= most_terms;
}

std::optional<Sum> product(const Sum &one, const Sum &other) {
  Sum result;
  for (const auto &[atoms, factor] : one)
    for (const auto &[more, times] : other) {
      std::vector<LaunchAtom> all = atoms;
      all.insert(all.end(), more.begin(), more.end());
      std::sort(all.begin(), all.end());
      int64_t both = 0;
      if (all.size() > most_atoms || __builtin_mul_overflow(factor, times, &both) ||
          !add_to(result, {{all, both}}, 1))
        return std::nullopt;
    }
  return result;
}

std::optional<Result> combine(const std::optional<Result> &one, const std::optional<Result> &other,
                              unsigned opcode) {
  if (!one || !other)
    return std::nullopt;
  Result result{one->sum, one->fitting};
  result.fitting.insert(result.fitting.end(), other->fitting.begin(), other->fitting.end());
  if (opcode == llvm::Instruction::Mul) {
    auto both = product(one->sum, other->sum);
    if (!both)
      return std::nullopt;
    result.sum = std::move(*both);
  } else if (!add_to(result.sum, other->sum, opcode == llvm::Instruction::Sub ? -1 : 1)) {
    return std::nullopt;
  }
  return result;
}

void suppose_fits(Result &result, unsigned bits, bool is_signed) {
  if (result.sum.size() > 1 || (!result.sum.empty() && !result.sum.begin()->first.empty()))
    result.fitting.push_back({to_list(result.sum), bits, is_signed});
}

std::optional<Sum> divided(const Sum &sum, unsigned shift) {
  Sum result;
  for (const auto &[atoms, factor] : sum) {
    if (factor & ((int64_t{1} << shift) - 1))
      return std::nullopt;
    result[atoms] = factor >> shift;
  }
  return result;
}

// Without what is 0 when this argument is.
Sum without(const Sum &sum, LaunchAtom argument) {
  Sum result;
  for (const auto &[atoms, factor] : sum)
    if (std::none_of(atoms.begin(), atoms.end(), [&](const LaunchAtom &each) {
          return each.number == argument.number && each.index == argument.index &&
                 each.byte == argument.byte;
        }))
      result[atoms] = factor;
  return result;
}

bool is_image(const llvm::Argument &argument) {
  const llvm::MDNode *types = argument.getParent()->getMetadata("kernel_arg_base_type");
  if (!types || argument.getArgNo() >= types->getNumOperands())
    return false;
  auto *type = llvm::dyn_cast<llvm::MDString>(types->getOperand(argument.getArgNo()));
  return type && type->getString().starts_with("image");
}

bool is_of_launch(const Sum &sum) {
  return std::all_of(sum.begin(), sum.end(), [](const auto &term) {
    return std::none_of(term.first.begin(), term.first.end(),
                        [](const LaunchAtom &each) { return each.differs(); });
  });
}

// What the launch knows, and ids, are no negative numbers.
bool has_no_negative(const Sum &sum) {
  return std::all_of(sum.begin(), sum.end(), [](const auto &term) { return term.second > 0; });
}

// A number among the arguments, or in one that is a structure.
std::optional<LaunchAtom> number_of_launch(const llvm::Value &value) {
  if (!value.getType()->isIntegerTy())
    return std::nullopt;
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&value))
    return LaunchAtom{LaunchNumber::argument, argument->getArgNo()};
  const unsigned bits = value.getType()->getIntegerBitWidth();
  const auto member = bits % 8 == 0 && bits <= 64 ? member_of(value) : std::nullopt;
  if (!member || member->byte > UINT32_MAX)
    return std::nullopt;
  return LaunchAtom{.number = LaunchNumber::member,
                    .index = member->argument->getArgNo(),
                    .byte = static_cast<uint32_t>(member->byte),
                    .size = bits / 8};
}

// The one that is 0 if `to` is reached directly from `from`.
std::optional<LaunchAtom> zero_on_edge(const llvm::BasicBlock *from, const llvm::BasicBlock *to) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  if (!branch || !branch->isConditional()) { // an edge that was split
    const llvm::BasicBlock *before = from->getSinglePredecessor();
    return before && before != from && from->size() <= 16 && before->getTerminator() &&
                   llvm::isa<llvm::BranchInst>(before->getTerminator()) &&
                   llvm::cast<llvm::BranchInst>(before->getTerminator())->isConditional()
               ? zero_on_edge(before, from)
               : std::nullopt;
  }
  llvm::Value *compared = nullptr;
  const bool on_true = branch->getSuccessor(0) == to;
  if (branch->getSuccessor(0) == branch->getSuccessor(1) ||
      !match(branch->getCondition(),
             m_SpecificICmp(on_true ? llvm::ICmpInst::ICMP_EQ : llvm::ICmpInst::ICMP_NE,
                            m_Value(compared), m_Zero())))
    return std::nullopt;
  return number_of_launch(*compared);
}

} // namespace

LaunchSum to_list(const Sum &sum) {
  LaunchSum list;
  for (const auto &[atoms, factor] : sum)
    list.push_back({factor, atoms});
  return list;
}

std::optional<Result> LaunchSums::of(const llvm::Value *value) {
  auto [entry, is_new] = known_.try_emplace(value, std::nullopt); // nothing while it is asked
  if (!is_new)
    return entry->second;
  auto result = compute(value);
  if (result && result->fitting.size() > most_terms)
    result = std::nullopt;
  known_[value] = result;
  return result;
}

std::optional<Result> LaunchSums::compute(const llvm::Value *value) {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(value))
    return Result{constant(number->getSExtValue()), {}};
  if (const auto number = number_of_launch(*value))
    return Result{{{{*number}, 1}}, {}};
  if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value))
    return of_instruction(*instruction);
  return std::nullopt;
}

std::optional<Result> LaunchSums::of_instruction(const llvm::Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Or:
    if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint())
      return std::nullopt;
    [[fallthrough]];
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Mul:
    return combine(of(instruction.getOperand(0)), of(instruction.getOperand(1)),
                   instruction.getOpcode());
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
  case llvm::Instruction::And:
    return of_shifted(instruction);
  case llvm::Instruction::UDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::SRem:
    return of_division(instruction);
  case llvm::Instruction::Trunc:
  case llvm::Instruction::Freeze:
    return of(instruction.getOperand(0));
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt: {
    auto result = of(instruction.getOperand(0));
    if (result)
      suppose_fits(*result, instruction.getOperand(0)->getType()->getIntegerBitWidth(),
                   instruction.getOpcode() == llvm::Instruction::SExt);
    return result;
  }
  case llvm::Instruction::Call:
    return of_call(instruction);
  case llvm::Instruction::Load:
    return of_image(llvm::cast<llvm::LoadInst>(instruction));
  case llvm::Instruction::PHI: {
    auto &phi = llvm::cast<llvm::PHINode>(instruction);
    llvm::Loop *loop = loops_.getLoopFor(phi.getParent());
    return loop && loop->getHeader() == phi.getParent() ? of_loop_variable(phi, *loop)
                                                        : of_join(phi);
  }
  default:
    return std::nullopt;
  }
}

// By a constant. What has been shifted up comes down again where LLVM narrows a value and widens it again.
std::optional<Result> LaunchSums::of_shifted(const llvm::Instruction &instruction) {
  llvm::Value *masked = nullptr, *power = nullptr;
  if (match(&instruction, m_c_And(m_Value(masked), m_Add(m_Value(power), m_AllOnes())))) {
    const auto dividend = of(masked);
    auto divisor = of(power);
    if (!dividend || !divisor)
      return std::nullopt;
    const unsigned width = instruction.getType()->getIntegerBitWidth();
    suppose_fits(*divisor, width, /*is_signed=*/false);
    return remainder(*dividend, *divisor, {width, /*is_by_power_of_two=*/true});
  }
  auto *by = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
  auto result = of(instruction.getOperand(0));
  const unsigned bits = instruction.getType()->getIntegerBitWidth();
  if (!by || !result)
    return std::nullopt;
  if (instruction.getOpcode() == llvm::Instruction::And) {
    unsigned zeros = 0, ones = 0;
    if (!by->getValue().isShiftedMask(zeros, ones) ||
        (zeros != 0 && !divided(result->sum, zeros))) // bits that are 0 anyway
      return std::nullopt;
    const unsigned kept = zeros + ones;
    if (kept != 16 && kept != 32 && kept < 62)
      return remainder(*result, Result{constant(int64_t{1} << kept), {}}, {bits});
    suppose_fits(*result, kept, /*is_signed=*/false); // of a narrower type
    return result;
  }
  const uint64_t shift = by->getZExtValue();
  if (shift >= bits || shift >= 62)
    return std::nullopt;
  if (instruction.getOpcode() == llvm::Instruction::Shl)
    return combine(result, Result{constant(int64_t{1} << shift), {}}, llvm::Instruction::Mul);
  if (auto down = divided(result->sum, static_cast<unsigned>(shift))) {
    result->sum = std::move(*down);
    suppose_fits(*result, bits - static_cast<unsigned>(shift),
                 instruction.getOpcode() == llvm::Instruction::AShr);
    return result;
  }
  auto number = number_of_launch(*instruction.getOperand(0));
  if (!number)
    return quotient(*result, Result{constant(int64_t{1} << shift), {}},
                    {bits - (instruction.getOpcode() == llvm::Instruction::AShr)});
  number->shift = static_cast<uint32_t>(shift);
  return Result{{{{*number}, 1}}, {}};
}

// By what is the same for all work-items. guard-integer-division makes a divisor of 0 to 1; the launch refuses 0.
std::optional<Result> LaunchSums::of_division(const llvm::Instruction &instruction) {
  const bool is_signed = instruction.getOpcode() == llvm::Instruction::SDiv ||
                         instruction.getOpcode() == llvm::Instruction::SRem;
  llvm::Value *divisor = instruction.getOperand(1), *guarded = nullptr;
  if (match(divisor, m_c_UMax(m_Value(guarded), m_One())) ||
      (instruction.hasMetadata("lockstep.guarded") &&
       match(divisor, m_Select(m_Value(), m_One(), m_Value(guarded)))))
    divisor = guarded;
  const auto dividend = of(instruction.getOperand(0));
  auto by = of(divisor);
  if (!dividend || !by)
    return std::nullopt;
  const unsigned bits = instruction.getType()->getIntegerBitWidth() - is_signed;
  suppose_fits(*by, bits, /*is_signed=*/false);
  const bool is_quotient = instruction.getOpcode() == llvm::Instruction::SDiv ||
                           instruction.getOpcode() == llvm::Instruction::UDiv;
  return is_quotient ? quotient(*dividend, *by, {bits}) : remainder(*dividend, *by, {bits});
}

std::optional<Result> LaunchSums::remainder(const Result &dividend, const Result &divisor,
                                            Kind kind) {
  return combine(dividend,
                 combine(divisor, quotient(dividend, divisor, kind), llvm::Instruction::Mul),
                 llvm::Instruction::Sub);
}

// A number of the launch by a power of two is one as well, and may be a factor of ids.
static std::optional<Result> quotient_of_launch(const Result &dividend, const Result &divisor,
                                                unsigned bits) {
  if (dividend.sum.size() != 1 || divisor.sum.size() != 1)
    return std::nullopt;
  const auto &[number, factor] = *dividend.sum.begin();
  const auto &[nothing, by] = *divisor.sum.begin();
  if (factor != 1 || number.size() != 1 || !nothing.empty() || by < 1 || (by & (by - 1)) != 0 ||
      (number[0].number != LaunchNumber::argument && number[0].number != LaunchNumber::member))
    return std::nullopt;
  Result whole = dividend;
  suppose_fits(whole, bits, /*is_signed=*/false);
  LaunchAtom shifted = number[0];
  shifted.shift += static_cast<uint32_t>(__builtin_ctzll(static_cast<uint64_t>(by)));
  if (shifted.shift >= 63)
    return std::nullopt;
  return Result{{{{shifted}, 1}}, std::move(whole.fitting)};
}

std::optional<Result> LaunchSums::quotient(const Result &dividend, const Result &divisor,
                                           Kind kind) {
  for (const auto &[atoms, factor] : divisor.sum)
    if (std::any_of(atoms.begin(), atoms.end(),
                    [](const LaunchAtom &each) { return each.differs(); }))
      return std::nullopt;
  if (auto known = quotient_of_launch(dividend, divisor, kind.bits))
    return known;
  const Division division{to_list(dividend.sum), to_list(divisor.sum), kind.bits,
                          kind.is_by_power_of_two};
  auto number = std::find(divisions_.begin(), divisions_.end(), division);
  if (number == divisions_.end()) {
    if (divisions_.size() == most_divisions)
      return std::nullopt;
    number = divisions_.insert(number, division);
  }
  auto both = combine(dividend, divisor, llvm::Instruction::Add); // what must fit
  if (both)
    both->sum = atom(LaunchNumber::quotient, static_cast<uint32_t>(number - divisions_.begin()));
  return both;
}

std::optional<Result> LaunchSums::of_call(const llvm::Instruction &call) {
  const auto primitive = called_primitive(call);
  if (!primitive || !is_of_work_item(*primitive))
    return std::nullopt;
  const auto dimension = constant_dimension(llvm::cast<llvm::CallInst>(call));
  if (!dimension || *dimension > 2)
    return std::nullopt;
  switch (*primitive) {
  case Primitive::local_id:
    return Result{atom(LaunchNumber::local_id, *dimension), {}};
  case Primitive::group_id:
    return Result{atom(LaunchNumber::group_id, *dimension), {}};
  case Primitive::enqueued_local_size:
    return Result{atom(LaunchNumber::local_size, *dimension), {}};
  case Primitive::global_size:
    return Result{atom(LaunchNumber::global_size, *dimension), {}};
  case Primitive::num_groups:
    return Result{atom(LaunchNumber::num_groups, *dimension), {}};
  case Primitive::global_offset:
    return Result{atom(LaunchNumber::global_offset, *dimension), {}};
  default: // the size of a group at an edge is its own
    return std::nullopt;
  }
}

// Its sizes are in its descriptor, which nobody writes.
std::optional<Result> LaunchSums::of_image(const llvm::LoadInst &load) {
  int64_t offset = 0;
  const llvm::Value *base = llvm::GetPointerBaseWithConstantOffset(
      load.getPointerOperand(), offset, function_.getParent()->getDataLayout());
  auto *argument = llvm::dyn_cast<llvm::Argument>(base);
  const auto byte = static_cast<uint32_t>(offset);
  if (!argument || !is_image(*argument) || offset < 0 ||
      offset >= static_cast<int64_t>(sizeof(ImageDescriptor)) ||
      size_of_image_word(byte) * 8 != load.getType()->getPrimitiveSizeInBits())
    return std::nullopt;
  return Result{atom(LaunchNumber::image, argument->getArgNo(), byte), {}};
}

// All ways have the same, or 0 where it is 0 because an argument is.
std::optional<Result> LaunchSums::of_join(const llvm::PHINode &phi) {
  std::optional<Result> result;
  for (const llvm::Value *incoming : phi.incoming_values()) {
    auto other = of(incoming);
    if (!other)
      return std::nullopt;
    if (!result || result->sum.empty())
      result = other;
  }
  if (!result)
    return std::nullopt;
  for (unsigned way = 0; way != phi.getNumIncomingValues(); ++way) {
    auto other = of(phi.getIncomingValue(way));
    if (other->sum == result->sum)
      continue;
    const auto zero = zero_on_edge(phi.getIncomingBlock(way), phi.getParent());
    if (!zero || without(result->sum, *zero) != without(other->sum, *zero))
      return std::nullopt;
  }
  return result;
}

// ---- loops

std::optional<Result> LaunchSums::of_loop_variable(const llvm::PHINode &phi, llvm::Loop &loop) {
  auto *moving =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(const_cast<llvm::PHINode *>(&phi)));
  llvm::BasicBlock *before = loop.getLoopPredecessor();
  if (!moving || !moving->isAffine() || moving->getLoop() != &loop || !before)
    return std::nullopt;
  auto start = of(phi.getIncomingValueForBlock(before));
  auto step = of_evolution(moving->getStepRecurrence(evolution_));
  if (!start || !step)
    return std::nullopt;
  for (const auto &[atoms, factor] : *step)
    for (const LaunchAtom &each : atoms)
      if (each.differs())
        return std::nullopt;
  const auto [known, is_new] =
      counter_of_.try_emplace(&loop, static_cast<uint32_t>(counters_.size()));
  const uint32_t counter = known->second;
  if (is_new) {
    counters_.emplace_back(); // others may come meanwhile
    steps_.push_back(1);
    int64_t step = 1;
    counters_[counter] = rounds_of(loop, step);
    steps_[counter] = step;
  }
  auto moved = product(*step, atom(LaunchNumber::counter, counter));
  if (!moved)
    return std::nullopt;
  return combine(start, Result{std::move(*moved), {}}, llvm::Instruction::Add);
}

// Without a term if they are not known. `for (i = 0; i < n; i += step)` has so many divided by the step.
LaunchSum LaunchSums::rounds_of(llvm::Loop &loop, int64_t &step) {
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

const llvm::Loop *LaunchSums::loop_of(uint32_t counter) const {
  for (const auto &[loop, number] : counter_of_)
    if (number == counter)
      return loop;
  return nullptr;
}

std::optional<LaunchSums::Rounds> LaunchSums::all_rounds_of(const llvm::Loop &loop) {
  const llvm::SCEV *back = evolution_.getBackedgeTakenCount(&loop);
  Rounds rounds;
  if (auto *divided = llvm::dyn_cast<llvm::SCEVUDivExpr>(back))
    if (auto *by = llvm::dyn_cast<llvm::SCEVConstant>(divided->getRHS());
        by && by->getAPInt().isStrictlyPositive() && by->getAPInt().getActiveBits() < 31) {
      rounds.step = by->getAPInt().getSExtValue();
      back = divided->getLHS();
    }
  if (llvm::isa<llvm::SCEVCouldNotCompute>(back))
    return rounds_below_bound(loop);
  auto sum = of_evolution(back, Narrowing::none, &rounds.fitting);
  if (!sum)
    return std::nullopt;
  rounds.fitting.push_back({to_list(*sum),
                            static_cast<int64_t>(evolution_.getTypeSizeInBits(back->getType())),
                            /*is_signed=*/false});
  if (!add_to(*sum, constant(rounds.step), 1) || !is_of_launch(*sum))
    return std::nullopt;
  rounds.sum = to_list(*sum);
  return rounds;
}

// `do ... while ((i += step) < n)`, of which LLVM knows nothing, since i may overflow: not if `n + step - 1` does not.
std::optional<LaunchSums::Rounds> LaunchSums::rounds_below_bound(const llvm::Loop &loop) {
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
  Rounds rounds;
  rounds.step = step->getAPInt().getSExtValue();
  const auto first = of_evolution(moving->getStart(), Narrowing::none, &rounds.fitting);
  auto bound = of_evolution(large, Narrowing::none, &rounds.fitting);
  if (!first || !bound)
    return std::nullopt;
  const auto bits = static_cast<int64_t>(evolution_.getTypeSizeInBits(small->getType()));
  const bool is_signed = llvm::ICmpInst::isSigned(predicate);
  rounds.fitting.push_back({to_list(*first), bits, is_signed});
  rounds.fitting.push_back({to_list(*bound), bits, is_signed});
  if (!add_to(*bound, constant(rounds.step - 1 + may_be_equal), 1))
    return std::nullopt;
  rounds.fitting.push_back({to_list(*bound), bits, is_signed}); // the last one
  if (!add_to(*bound, *first, -1) || !add_to(*bound, constant(rounds.step), 1) ||
      !is_of_launch(*bound))
    return std::nullopt;
  rounds.sum = to_list(*bound);
  return rounds;
}

// Rounds of a loop that goes back so often at most. A count that is as large as there are numbers would be one round more
// than none.
std::optional<Sum> LaunchSums::bound_of(const llvm::SCEV *back, llvm::Loop &loop) {
  if (llvm::isa<llvm::SCEVUMinExpr, llvm::SCEVSequentialUMinExpr>(back)) {
    for (const llvm::SCEV *count : llvm::cast<llvm::SCEVNAryExpr>(back)->operands())
      if (auto bound = bound_of(count, loop))
        return bound;
    return std::nullopt;
  }
  const llvm::SCEV *rounds = evolution_.getAddExpr(back, evolution_.getOne(back->getType()));
  auto sum = of_evolution(rounds);
  if (sum && is_of_launch(*sum) && has_no_negative(*sum) &&
      evolution_.isLoopEntryGuardedByCond(&loop, llvm::ICmpInst::ICMP_NE, rounds,
                                          evolution_.getZero(back->getType())))
    return sum;
  for (const llvm::PHINode &phi : loop.getHeader()->phis())
    if (auto bound = bound_from(phi, back, loop))
      return bound;
  return std::nullopt;
}

// From `first` up to the least of several numbers, of which one is `first` and so much more: if nothing overflows there. If
// it does, that number is less than it says here.
std::optional<Sum> LaunchSums::bound_from(const llvm::PHINode &phi, const llvm::SCEV *back,
                                          llvm::Loop &loop) {
  llvm::BasicBlock *before = loop.getLoopPredecessor();
  llvm::Type *type = back->getType();
  if (!before || !phi.getType()->isIntegerTy() ||
      evolution_.getTypeSizeInBits(phi.getType()) < evolution_.getTypeSizeInBits(type))
    return std::nullopt;
  llvm::Value *begin = phi.getIncomingValueForBlock(before);
  const auto start = of(begin);
  const llvm::SCEV *first = evolution_.getTruncateOrNoop(evolution_.getSCEV(begin), type),
                   *rounds = evolution_.getAddExpr(back, evolution_.getOne(type)),
                   *end = evolution_.getAddExpr(rounds, first);
  const auto is_signed = start ? is_entered_below(loop, *start, first, end) : std::nullopt;
  if (!is_signed)
    return std::nullopt;
  llvm::SmallVector<const llvm::SCEV *> ends = {end};
  if (llvm::isa<llvm::SCEVUMinExpr, llvm::SCEVSMinExpr, llvm::SCEVSequentialUMinExpr>(end))
    ends.assign(llvm::cast<llvm::SCEVNAryExpr>(end)->operands().begin(),
                llvm::cast<llvm::SCEVNAryExpr>(end)->operands().end());
  for (const llvm::SCEV *each : ends) {
    auto sum = of_evolution(each, *is_signed ? Narrowing::lessens : Narrowing::lessens_unsigned);
    if (sum && has_no_negative(*sum) && add_to(*sum, start->sum, -1) && is_of_launch(*sum) &&
        has_no_negative(*sum))
      return sum;
  }
  return std::nullopt;
}

// Of numbers as the end has them: with a sign if it is the least of such.
std::optional<bool> LaunchSums::is_entered_below(llvm::Loop &loop, const Result &start,
                                                 const llvm::SCEV *first, const llvm::SCEV *end) {
  for (const auto below : {llvm::ICmpInst::ICMP_ULT, llvm::ICmpInst::ICMP_SLT}) {
    const bool is_signed = below == llvm::ICmpInst::ICMP_SLT;
    if (is_signed ? llvm::isa<llvm::SCEVUMinExpr, llvm::SCEVSequentialUMinExpr>(end)
                  : llvm::isa<llvm::SCEVSMinExpr>(end))
      continue;
    if (evolution_.isLoopEntryGuardedByCond(&loop, below, first, end))
      return is_signed;
    // The same number may be there in other words.
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

// Of what is the same for all work-items; what does not fit makes a loop of other rounds, which the launch would see as
// more than there are bytes. What is narrowed is lessened at most, but what gets a sign meanwhile is large without one.
std::optional<Sum> LaunchSums::of_evolution(const llvm::SCEV *value, Narrowing narrowing,
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
          return narrowing == Narrowing::lessens ||
                 (narrowing == Narrowing::lessens_unsigned && !each.is_signed);
        });
    return is_it ? std::optional(result->sum) : std::nullopt;
  }
  if (auto *cast = llvm::dyn_cast<llvm::SCEVIntegralCastExpr>(value)) {
    if (llvm::isa<llvm::SCEVTruncateExpr>(cast)
            ? narrowing == Narrowing::none
            : llvm::isa<llvm::SCEVSignExtendExpr>(cast) && narrowing == Narrowing::lessens_unsigned)
      return std::nullopt;
    auto sum = of_evolution(cast->getOperand(), narrowing, fitting);
    if (sum && fitting)
      fitting->push_back(
          {to_list(*sum),
           static_cast<int64_t>(evolution_.getTypeSizeInBits(cast->getOperand()->getType())),
           llvm::isa<llvm::SCEVSignExtendExpr>(cast)});
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

// ---- addresses

std::optional<Result> LaunchSums::offset_of(const llvm::Value *pointer) {
  const llvm::DataLayout &layout = function_.getParent()->getDataLayout();
  Result result;
  while (true) {
    if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
      pointer = cast->getPointerOperand();
      continue;
    }
    auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
    if (!step)
      return llvm::isa<llvm::Argument, llvm::GlobalVariable>(pointer) || member_of(*pointer) ||
                     image_that_begins_at(*pointer)
                 ? std::optional(result)
                 : std::nullopt;
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> variable;
    llvm::APInt fixed(64, 0);
    if (step->getType()->isVectorTy() || !step->collectOffset(layout, 64, variable, fixed) ||
        !add_to(result.sum, constant(fixed.getSExtValue()), 1))
      return std::nullopt;
    for (const auto &[index, scale] : variable) {
      auto offset = of(index);
      if (!offset)
        return std::nullopt;
      if (index->getType()->getIntegerBitWidth() < 64)
        suppose_fits(*offset, index->getType()->getIntegerBitWidth(), /*is_signed=*/true);
      if (!add_to(result.sum, offset->sum, scale.getSExtValue()))
        return std::nullopt;
      result.fitting.insert(result.fitting.end(), offset->fitting.begin(), offset->fitting.end());
    }
    pointer = step->getPointerOperand();
  }
}

} // namespace lockstep::compiler
