#include "compiler/checks/expressions/launch_expressions.h"

#include "abi/image_descriptor.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/image_texels.h"
#include "compiler/checks/expressions/expression_terms.h"
#include "kernel_ir/primitives.h"

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

using namespace llvm::PatternMatch;
using namespace lockstep::compiler::sum_terms;

namespace {

bool is_image(const llvm::Argument &argument) {
  const llvm::MDNode *types = argument.getParent()->getMetadata("kernel_arg_base_type");
  if (!types || argument.getArgNo() >= types->getNumOperands())
    return false;
  auto *type = llvm::dyn_cast<llvm::MDString>(types->getOperand(argument.getArgNo()));
  return type && type->getString().starts_with("image");
}

// An integer argument, or an integer member of a structure argument.
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

// The number that is 0 whenever control passes from `from` directly to `to`.
std::optional<LaunchAtom> zero_on_edge(const llvm::BasicBlock *from, const llvm::BasicBlock *to) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
  if (!branch || !branch->isConditional()) { // Follows an edge that was split.
    const llvm::BasicBlock *before = from->getSinglePredecessor();
    return before && before != from && from->size() <= limits::search_steps &&
                   before->getTerminator() &&
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

void append(std::vector<FittingSum> &all, const std::vector<FittingSum> &more) {
  for (const FittingSum &each : more)
    if (std::find(all.begin(), all.end(), each) == all.end())
      all.push_back(each);
}

std::optional<Result> LaunchExpressions::of(const llvm::Value *value) {
  auto [entry, is_new] = known_.try_emplace(value, std::nullopt); // Ends recursion through cycles.
  if (!is_new)
    return entry->second;
  auto result = compute(value);
  if (result && result->fitting.size() > 2 * limits::sum_terms)
    result = std::nullopt;
  known_[value] = result;
  return result;
}

std::optional<Result> LaunchExpressions::compute(const llvm::Value *value) {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  if (const auto number = number_of_launch(*value))
    return Result{{{{*number}, 1}}, {}};
  const IndexExpression &sum = expressions_.of(*value);
  if (sum.terms.size() != 1 || sum.terms[0].symbol.value != value)
    return of_sum(sum);
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction ? of_instruction(*instruction) : std::nullopt;
}

std::optional<Result> LaunchExpressions::of_sum(const IndexExpression &sum) {
  Result result{constant(sum.constant), {}};
  for (const IndexExpression::Term &term : sum.terms) {
    const IndexSymbol &symbol = term.symbol;
    auto part = symbol.value ? of(symbol.value) : std::nullopt;
    if (part && symbol.extension != Extension::none)
      assume_fits(*part, symbol.value->getType()->getIntegerBitWidth(),
                  symbol.extension == Extension::sign);
    if (!part || !add_to(result.sum, part->sum, term.coefficient))
      return std::nullopt;
    append(result.fitting, part->fitting);
  }
  return result;
}

std::optional<Result> LaunchExpressions::of_instruction(const llvm::Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Mul:
    return combine(of(instruction.getOperand(0)), of(instruction.getOperand(1)),
                   instruction.getOpcode());
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

// Shifts and masks by constants. LLVM narrows and widens a value by shifting it left and right
// again.
std::optional<Result> LaunchExpressions::of_shifted(const llvm::Instruction &instruction) {
  llvm::Value *masked = nullptr, *power = nullptr;
  if (match(&instruction, m_c_And(m_Value(masked), m_Add(m_Value(power), m_AllOnes())))) {
    const auto dividend = of(masked);
    auto divisor = of(power);
    if (!dividend || !divisor)
      return std::nullopt;
    const unsigned width = instruction.getType()->getIntegerBitWidth();
    assume_fits(*divisor, width, /*is_signed=*/false);
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
    // The mask is a zero extension from 16 or 32 bits.
    assume_fits(*result, kept, /*is_signed=*/false);
    return result;
  }
  const uint64_t shift = by->getZExtValue();
  if (shift >= bits || shift >= 62)
    return std::nullopt;
  if (auto down = divided(result->sum, static_cast<unsigned>(shift))) {
    result->sum = std::move(*down);
    assume_fits(*result, bits - static_cast<unsigned>(shift),
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

// Divisors are uniform across work-items. guard-integer-division replaces a divisor 0 by 1; the
// launch rejects divisor 0, so the guard is ignored here.
std::optional<Result> LaunchExpressions::of_division(const llvm::Instruction &instruction) {
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
  assume_fits(*by, bits, /*is_signed=*/false);
  const bool is_quotient = instruction.getOpcode() == llvm::Instruction::SDiv ||
                           instruction.getOpcode() == llvm::Instruction::UDiv;
  return is_quotient ? quotient(*dividend, *by, {bits}) : remainder(*dividend, *by, {bits});
}

std::optional<Result> LaunchExpressions::remainder(const Result &dividend, const Result &divisor,
                                                   Kind kind) {
  return combine(dividend,
                 combine(divisor, quotient(dividend, divisor, kind), llvm::Instruction::Mul),
                 llvm::Instruction::Sub);
}

// A launch number divided by a power of two is a launch number too, and may be a factor of ids.
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
  assume_fits(whole, bits, /*is_signed=*/false);
  LaunchAtom shifted = number[0];
  shifted.shift += static_cast<uint32_t>(__builtin_ctzll(static_cast<uint64_t>(by)));
  if (shifted.shift >= 63)
    return std::nullopt;
  return Result{{{{shifted}, 1}}, std::move(whole.fitting)};
}

std::optional<Result> LaunchExpressions::quotient(const Result &dividend, const Result &divisor,
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
    if (divisions_.size() == limits::search_depth)
      return std::nullopt;
    number = divisions_.insert(number, division);
  }
  // merges the fitting requirements of both
  auto both = combine(dividend, divisor, llvm::Instruction::Add);
  if (both)
    both->sum = atom(LaunchNumber::quotient, static_cast<uint32_t>(number - divisions_.begin()));
  return both;
}

std::optional<Result> LaunchExpressions::of_call(const llvm::Instruction &call) {
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

// Image sizes are in the descriptor, which is never written.
std::optional<Result> LaunchExpressions::of_image(const llvm::LoadInst &load) {
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

// All incoming values are the same expression. An incoming value may also be 0 on an edge where the
// expression is 0 because an argument is.
std::optional<Result> LaunchExpressions::of_join(const llvm::PHINode &phi) {
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
  for (unsigned edge = 0; edge != phi.getNumIncomingValues(); ++edge) {
    auto other = of(phi.getIncomingValue(edge));
    append(result->fitting, other->fitting);
    if (other->sum == result->sum)
      continue;
    const auto zero = zero_on_edge(phi.getIncomingBlock(edge), phi.getParent());
    if (!zero || without(result->sum, *zero) != without(other->sum, *zero))
      return std::nullopt;
  }
  return result;
}

// ---- addresses

std::optional<Result> LaunchExpressions::offset_of(const llvm::Value *pointer) {
  IndexExpression address = expressions_.of(*pointer);
  auto *base = llvm::find_if(address.terms, [](const IndexExpression::Term &term) {
    return term.symbol.value && term.symbol.value->getType()->isPointerTy();
  });
  if (base == address.terms.end() || base->coefficient != 1)
    return std::nullopt;
  const llvm::Value &object = *base->symbol.value;
  address.terms.erase(base);
  auto result = of_sum(address);
  if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(&object))
    return combine(result, offset_of(cast->getPointerOperand()), llvm::Instruction::Add);
  return llvm::isa<llvm::Argument, llvm::GlobalVariable>(object) || member_of(object) ||
                 image_that_begins_at(object)
             ? result
             : std::nullopt;
}

} // namespace lockstep::compiler
