#include "compiler/analysis/index_expression_builder.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

namespace lockstep::compiler {

namespace {

constexpr unsigned most_bits = 61; // of a divisor or mask

unsigned bits_of(const llvm::Value &value) {
  llvm::Type *type = value.getType()->getScalarType();
  return type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
}

// Reduces the numbers modulo 2^bits. A number that changes is not the one of an exact sum.
void reduce(IndexExpression &expression) {
  auto fit = [&](int64_t &number) {
    const int64_t fitting = llvm::SignExtend64(uint64_t(number), expression.bits);
    if (fitting != number)
      expression.no_unsigned_wrap = expression.no_signed_wrap = false;
    number = fitting;
  };
  fit(expression.constant);
  for (IndexExpression::Term &term : expression.terms)
    fit(term.coefficient);
  llvm::erase_if(expression.terms, [](const auto &term) { return term.coefficient == 0; });
}

bool comes_before(const IndexSymbol &one, const IndexSymbol &other) {
  return std::tuple(one.order, one.extension, one.element) <
         std::tuple(other.order, other.extension, other.element);
}

IndexExpression number(int64_t constant, unsigned bits) {
  return {bits, {}, constant, /*no_unsigned_wrap=*/constant >= 0, /*no_signed_wrap=*/true};
}

} // namespace

bool has_expression(const llvm::Value &value) {
  llvm::Type *type = value.getType()->getScalarType();
  return type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

IndexExpression add(const IndexExpression &one, const IndexExpression &other, int64_t factor) {
  IndexExpression sum = one;
  bool overflows = false;
  auto add_product = [&](int64_t &number, int64_t more) {
    int64_t product;
    overflows |= llvm::MulOverflow(more, factor, product);
    product = int64_t(uint64_t(more) * uint64_t(factor));
    overflows |= llvm::AddOverflow(number, product, product);
    number = product;
  };
  add_product(sum.constant, other.constant);
  for (const IndexExpression::Term &term : other.terms) {
    auto *at =
        llvm::find_if(sum.terms, [&](const auto &known) { return known.symbol == term.symbol; });
    if (at == sum.terms.end()) {
      at = llvm::find_if(
          sum.terms, [&](const auto &known) { return comes_before(term.symbol, known.symbol); });
      at = sum.terms.insert(at, {term.symbol, 0});
    }
    add_product(at->coefficient, term.coefficient);
  }
  sum.no_unsigned_wrap &= other.no_unsigned_wrap && !overflows;
  sum.no_signed_wrap &= other.no_signed_wrap && !overflows;
  reduce(sum);
  return sum;
}

unsigned ExpressionBuilder::width(const llvm::Value &value) const {
  return ignores_wraps() ? 64 : bits_of(value);
}

IndexExpression ExpressionBuilder::symbol(const llvm::Value *value, unsigned element, unsigned bits,
                                          Extension extension) {
  if (value && !value->getType()->isVectorTy())
    element = IndexSymbol::whole;
  const unsigned order =
      value ? tables_.order_.try_emplace(value, unsigned(tables_.order_.size()) + 1).first->second
            : 0;
  return {bits, {{{value, extension, element, order}, 1}}};
}

const IndexExpression &ExpressionBuilder::of(const llvm::Value &value, unsigned element) {
  if (!value.getType()->isVectorTy())
    element = IndexSymbol::whole;
  const IndexExpressions::Key key{&value, {element, unsigned(depth_)}};
  if (const auto known = tables_.known_.find(key); known != tables_.known_.end())
    return *known->second;
  ++nesting_;
  const bool is_wanted = depth_ != Depth::vectors || value.getType()->isVectorTy() ||
                         llvm::isa<llvm::ConstantInt>(value);
  IndexExpression result = is_wanted && nesting_ < limits::search_steps && has_expression(value)
                               ? compute(value, element)
                               : symbol(&value, element, width(value));
  --nesting_;
  if (result.terms.size() > limits::sum_terms) // it is a symbol
    result = symbol(&value, element, width(value));
  auto &kept = tables_.known_[key];
  kept = std::make_unique<IndexExpression>(std::move(result));
  return *kept;
}

IndexExpression ExpressionBuilder::compute(const llvm::Value &value, unsigned element) {
  std::optional<IndexExpression> found;
  const bool is_vector = value.getType()->isVectorTy() && element == IndexSymbol::whole;
  if (auto *known = llvm::dyn_cast<llvm::Constant>(&value))
    found = constant(*known, element);
  if (!found && is_vector)
    if (const llvm::Value *same = llvm::getSplatValue(&value))
      return of(*same, IndexSymbol::whole);
  if (!found && element != IndexSymbol::whole)
    found = element_of(value, element);
  if (found)
    return *found;
  if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value))
    found = binary(*operation, element);
  else if (auto *conversion = llvm::dyn_cast<llvm::CastInst>(&value))
    found = cast(*conversion, element);
  else if (auto *gep = llvm::dyn_cast<llvm::GEPOperator>(&value))
    found = address(*gep, element);
  else if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&value)) {
    if (auto *index = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()))
      found = of(*extract->getVectorOperand(), unsigned(index->getZExtValue()));
  } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value); phi && phi->getNumOperands() == 1) {
    found = of(*phi->getOperand(0), element);
  }
  return found ? *found : symbol(&value, element, width(value));
}

std::optional<IndexExpression> ExpressionBuilder::constant(const llvm::Constant &value,
                                                           unsigned element) {
  const llvm::Constant *one = &value;
  if (value.getType()->isVectorTy())
    one =
        element == IndexSymbol::whole ? value.getSplatValue() : value.getAggregateElement(element);
  if (auto *integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(one))
    return number(integer->getSExtValue(), width(value));
  return value.getType()->isVectorTy() && element == IndexSymbol::whole ? lanes(value)
                                                                        : std::nullopt;
}

// A constant vector whose elements grow by the same number from lane to lane.
std::optional<IndexExpression> ExpressionBuilder::lanes(const llvm::Constant &value) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
  llvm::SmallVector<int64_t> elements;
  for (unsigned lane = 0; type && lane != type->getNumElements(); ++lane) {
    auto *element = llvm::dyn_cast_or_null<llvm::ConstantInt>(value.getAggregateElement(lane));
    if (!element)
      return std::nullopt;
    elements.push_back(element->getSExtValue());
  }
  if (elements.size() < 2)
    return std::nullopt;
  const auto step = int64_t(uint64_t(elements[1]) - uint64_t(elements[0]));
  for (unsigned lane = 1; lane != elements.size(); ++lane)
    if (elements[lane] != int64_t(uint64_t(elements[0]) + uint64_t(step) * lane))
      return std::nullopt;
  IndexExpression lane = symbol(nullptr, IndexSymbol::whole, width(value));
  return add(number(elements[0], width(value)), lane, step);
}

std::optional<IndexExpression> ExpressionBuilder::element_of(const llvm::Value &value,
                                                             unsigned element) {
  if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&value)) {
    auto *index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (!index)
      return std::nullopt;
    return index->getValue() == element ? of(*insert->getOperand(1), IndexSymbol::whole)
                                        : of(*insert->getOperand(0), element);
  }
  auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&value);
  auto *from =
      shuffle ? llvm::dyn_cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType()) : nullptr;
  if (!from || element >= shuffle->getShuffleMask().size())
    return std::nullopt;
  const int source = shuffle->getMaskValue(element);
  if (source < 0)
    return std::nullopt;
  const unsigned count = from->getNumElements();
  return unsigned(source) < count ? of(*shuffle->getOperand(0), unsigned(source))
                                  : of(*shuffle->getOperand(1), unsigned(source) - count);
}

// ---- integer arithmetic

bool ExpressionBuilder::never_wraps(const llvm::BinaryOperator &value, bool is_signed) const {
  using llvm::OverflowResult;
  if (auto *operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&value))
    if (is_signed ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap())
      return true;
  const llvm::Value *one = value.getOperand(0), *other = value.getOperand(1);
  OverflowResult result = OverflowResult::MayOverflow;
  switch (value.getOpcode()) {
  case llvm::Instruction::Or: // disjoint
    return true;
  case llvm::Instruction::Add:
    result = is_signed ? llvm::computeOverflowForSignedAdd(one, other, query_)
                       : llvm::computeOverflowForUnsignedAdd(one, other, query_);
    break;
  case llvm::Instruction::Sub:
    result = is_signed ? llvm::computeOverflowForSignedSub(one, other, query_)
                       : llvm::computeOverflowForUnsignedSub(one, other, query_);
    break;
  case llvm::Instruction::Mul:
    result = is_signed ? llvm::computeOverflowForSignedMul(one, other, query_)
                       : llvm::computeOverflowForUnsignedMul(one, other, query_);
    break;
  case llvm::Instruction::Shl: {
    const llvm::KnownBits bits = llvm::computeKnownBits(one, query_);
    const llvm::KnownBits shift = llvm::computeKnownBits(other, query_);
    const unsigned zeros = bits.countMinLeadingZeros();
    return is_signed ? shift.getMaxValue().ult(zeros) : shift.getMaxValue().ule(zeros);
  }
  default:
    break;
  }
  return result == OverflowResult::NeverOverflows;
}

std::optional<IndexExpression> ExpressionBuilder::binary(const llvm::BinaryOperator &value,
                                                         unsigned element) {
  using namespace llvm::PatternMatch;
  const unsigned bits = width(value);
  std::optional<IndexExpression> result;
  const auto opcode = value.getOpcode();
  if (auto found = part(value, element))
    return found;
  if (opcode == llvm::Instruction::Xor && match(&value, m_Not(m_Value()))) {
    result = add(number(-1, bits), of(*value.getOperand(0), element), -1);
    result->no_unsigned_wrap = false;
    return result;
  }
  const bool is_sum =
      opcode == llvm::Instruction::Add || match(&value, m_DisjointOr(m_Value(), m_Value()));
  if (!is_sum && opcode != llvm::Instruction::Sub && opcode != llvm::Instruction::Mul &&
      opcode != llvm::Instruction::Shl)
    return std::nullopt;
  const IndexExpression &one = of(*value.getOperand(0), element);
  const IndexExpression &other = of(*value.getOperand(1), element);
  if (is_sum) {
    result = add(one, other);
  } else if (opcode == llvm::Instruction::Sub) {
    result = add(one, other, -1);
  } else if (opcode == llvm::Instruction::Shl) {
    if (!other.terms.empty() || other.constant < 0 ||
        other.constant >= std::min(bits_of(value), 63U))
      return std::nullopt;
    result = add(number(0, bits), one, int64_t(1) << other.constant);
  } else {
    const bool is_constant = other.terms.empty();
    if (!is_constant && !one.terms.empty())
      return std::nullopt;
    const int64_t factor = is_constant ? other.constant : one.constant;
    result = add(number(0, bits), is_constant ? one : other, factor);
    result->no_unsigned_wrap &= factor >= 0;
  }
  if (result->no_unsigned_wrap && !never_wraps(value, false))
    result->no_unsigned_wrap = false;
  if (result->no_signed_wrap && !never_wraps(value, true))
    result->no_signed_wrap = false;
  return result;
}

// ---- parts of sums: quotients, remainders, shifts and masks

// The greatest value of a symbol that is never negative.
std::optional<uint64_t> ExpressionBuilder::greatest(const IndexSymbol &symbol) const {
  if (!symbol.value || !symbol.value->getType()->isIntOrIntVectorTy() ||
      (symbol.extension == Extension::sign && !llvm::isKnownNonNegative(symbol.value, query_)))
    return std::nullopt;
  const llvm::ConstantRange range =
      llvm::computeConstantRangeIncludingKnownBits(symbol.value, /*ForSigned=*/false, query_);
  return range.getUnsignedMax().getLimitedValue();
}

// Divides each coefficient. The remainders of the terms must add up to less than the divisor; then
// they are the remainder of the sum.
std::optional<ExpressionBuilder::Division> ExpressionBuilder::divided(const IndexExpression &sum,
                                                                      int64_t divisor) const {
  Division parts{number(llvm::divideFloorSigned(sum.constant, divisor), sum.bits),
                 number(llvm::mod(sum.constant, divisor), sum.bits)};
  auto most = uint64_t(parts.remainder.constant);
  for (const IndexExpression::Term &term : sum.terms) {
    const int64_t whole = llvm::divideFloorSigned(term.coefficient, divisor);
    const auto rest = int64_t(uint64_t(term.coefficient) - uint64_t(whole) * uint64_t(divisor));
    if (whole != 0)
      parts.quotient.terms.push_back({term.symbol, whole});
    if (rest == 0)
      continue;
    parts.remainder.terms.push_back({term.symbol, rest});
    const auto limit = greatest(term.symbol);
    if (!limit || *limit > uint64_t(divisor) / uint64_t(rest))
      return std::nullopt;
    most += *limit * uint64_t(rest);
    if (most >= uint64_t(divisor))
      return std::nullopt;
  }
  return parts;
}

// Whether the operand's sum is exact in the sense of the operation.
bool ExpressionBuilder::is_exact(const llvm::BinaryOperator &value,
                                 const IndexExpression &sum) const {
  const unsigned bits = bits_of(value);
  switch (value.getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::LShr:
    return sum.no_unsigned_wrap || ignores_wraps_of(bits);
  case llvm::Instruction::AShr:
    return sum.no_signed_wrap || ignores_wraps_of(bits);
  default: // rounded towards zero
    return (sum.no_signed_wrap || ignores_wraps_of(bits)) &&
           llvm::isKnownNonNegative(value.getOperand(0), query_);
  }
}

std::optional<IndexExpression> ExpressionBuilder::quotient(const llvm::BinaryOperator &value,
                                                           unsigned element, int64_t divisor) {
  const IndexExpression &sum = of(*value.getOperand(0), element);
  auto parts = divided(sum, divisor);
  if (!parts)
    return std::nullopt;
  IndexExpression result = parts->quotient;
  if (is_exact(value, sum)) {
    const bool both = sum.no_unsigned_wrap && sum.no_signed_wrap &&
                      llvm::isKnownNonNegative(value.getOperand(0), query_);
    const bool is_signed = value.getOpcode() == llvm::Instruction::AShr ||
                           value.getOpcode() == llvm::Instruction::SDiv;
    result.no_unsigned_wrap = both || !is_signed;
    result.no_signed_wrap = both || is_signed;
    return result;
  }
  // `(x << 32) >> 32` is an extension of the low bits of x.
  const auto narrow = unsigned(bits_of(value) - llvm::Log2_64(uint64_t(divisor)));
  if (!value.isShift() || !parts->remainder.terms.empty() || parts->remainder.constant != 0 ||
      !ignores_wraps_of(narrow))
    return std::nullopt;
  result.no_unsigned_wrap = result.no_signed_wrap = false;
  return result;
}

std::optional<IndexExpression> ExpressionBuilder::remainder(const llvm::BinaryOperator &value,
                                                            unsigned element, int64_t divisor) {
  const IndexExpression &sum = of(*value.getOperand(0), element);
  auto parts = is_exact(value, sum) ? divided(sum, divisor) : std::nullopt;
  if (!parts)
    return std::nullopt;
  parts->remainder.no_unsigned_wrap = parts->remainder.no_signed_wrap = true;
  return parts->remainder;
}

// The bits from `from` to `to - 1` of the sum: `(sum - sum % 2^from) % 2^to`.
std::optional<IndexExpression> ExpressionBuilder::field(IndexExpression sum, unsigned from,
                                                        unsigned to, unsigned bits) const {
  if (from != 0) {
    const auto parts = divided(sum, int64_t(1) << from);
    if (!parts)
      return std::nullopt;
    const IndexExpression high = add(sum, parts->remainder, -1);
    sum.terms = high.terms;
    sum.constant = high.constant;
  }
  if (to == bits || (from == 0 && to >= 32 && ignores_wraps()))
    return sum;
  auto parts = divided(sum, int64_t(1) << to);
  if (!parts)
    return std::nullopt;
  parts->remainder.no_unsigned_wrap = parts->remainder.no_signed_wrap = true;
  return parts->remainder;
}

std::optional<IndexExpression> ExpressionBuilder::masked(const llvm::BinaryOperator &value,
                                                         unsigned element,
                                                         const llvm::APInt &mask) {
  using namespace llvm::PatternMatch;
  unsigned from = 0, length = 0;
  const unsigned bits = bits_of(value);
  if (!mask.isShiftedMask(from, length))
    return std::nullopt;
  const unsigned to = from + length;
  if (from > most_bits || (to != bits && to > most_bits))
    return std::nullopt;
  if (auto found = field(of(*value.getOperand(0), element), from, to, bits))
    return found;
  // `(sum >> shift) & mask` has the bits of the mask only.
  llvm::Value *inner = nullptr;
  const llvm::APInt *shift = nullptr;
  if (!match(value.getOperand(0), m_LShr(m_Value(inner), m_APInt(shift))) || shift->uge(bits) ||
      to + shift->getZExtValue() >= std::min(bits, most_bits))
    return std::nullopt;
  const auto by = unsigned(shift->getZExtValue());
  const auto found = field(of(*inner, element), from + by, to + by, bits);
  return found ? std::optional(divided(*found, int64_t(1) << by)->quotient) : std::nullopt;
}

// Returns nullopt for other operations.
std::optional<IndexExpression> ExpressionBuilder::part(const llvm::BinaryOperator &value,
                                                       unsigned element) {
  using namespace llvm::PatternMatch;
  const llvm::APInt *constant = nullptr;
  if (!match(value.getOperand(1), m_APInt(constant)))
    return std::nullopt;
  const bool is_divisor = constant->isStrictlyPositive() && constant->getActiveBits() <= most_bits;
  switch (value.getOpcode()) {
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    return constant->ult(std::min(bits_of(value), most_bits))
               ? quotient(value, element, int64_t(1) << constant->getZExtValue())
               : std::nullopt;
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
    return is_divisor ? quotient(value, element, constant->getSExtValue()) : std::nullopt;
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
    return is_divisor ? remainder(value, element, constant->getSExtValue()) : std::nullopt;
  case llvm::Instruction::And:
    return masked(value, element, *constant);
  default:
    return std::nullopt;
  }
}

// ---- casts

// Whether the value is not negative and less than 2^(bits - 1).
bool ExpressionBuilder::fits(const llvm::Value &value, unsigned bits) const {
  return llvm::computeKnownBits(&value, query_).countMaxActiveBits() < bits;
}

std::optional<IndexExpression> ExpressionBuilder::cast(const llvm::CastInst &value,
                                                       unsigned element) {
  const llvm::Value &from = *value.getOperand(0);
  if (!has_expression(from))
    return std::nullopt;
  switch (value.getOpcode()) {
  case llvm::Instruction::Trunc:
    return ignores_wraps() ? of(from, element)
                           : truncated(llvm::cast<llvm::TruncInst>(value), element);
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt: {
    const bool is_signed = value.getOpcode() == llvm::Instruction::SExt;
    IndexExpression result =
        extended(from, element, is_signed ? Extension::sign : Extension::zero,
                 !is_signed && llvm::cast<llvm::PossiblyNonNegInst>(value).hasNonNeg());
    result.bits = width(value);
    return result;
  }
  default:
    return std::nullopt;
  }
}

// A truncation that may change the value is a symbol: sums of it can then be extended.
std::optional<IndexExpression> ExpressionBuilder::truncated(const llvm::TruncInst &value,
                                                            unsigned element) {
  const llvm::Value &from = *value.getOperand(0);
  IndexExpression sum = of(from, element);
  sum.bits = bits_of(value);
  if (!sum.terms.empty() &&
      ((!sum.no_unsigned_wrap && !sum.no_signed_wrap) || !fits(from, sum.bits)))
    return std::nullopt;
  for (IndexExpression::Term &term : sum.terms) {
    IndexSymbol &symbol = term.symbol;
    if (!symbol.value || bits_of(*symbol.value) < sum.bits)
      continue;
    if (!fits(*symbol.value, sum.bits))
      return std::nullopt;
    symbol.extension = Extension::none;
  }
  reduce(sum);
  return sum;
}

IndexExpression ExpressionBuilder::extended(const llvm::Value &narrow, unsigned element,
                                            Extension extension, bool is_non_negative) {
  const IndexExpression &sum = of(narrow, element);
  if (ignores_wraps_of(bits_of(narrow)))
    return sum;
  if (ignores_wraps() && !sum.terms.empty())
    return symbol(&narrow, element, sum.bits, extension);
  if (depth_ == Depth::exact || sum.terms.empty()) {
    if (auto wide = widen(sum, extension))
      return *wide;
    if (is_non_negative)
      if (auto wide = widen(sum, Extension::sign))
        return *wide;
  }
  if (is_non_negative && depth_ == Depth::vectors)
    extension = Extension::sign; // x86 extends 32-bit indices so
  return symbol(&narrow, element, sum.bits, extension);
}

// The sum of the extended symbols, if it is the extended sum. The caller sets the new width.
std::optional<IndexExpression> ExpressionBuilder::widen(IndexExpression sum, Extension extension) {
  const bool is_signed = extension == Extension::sign;
  if (!(is_signed ? sum.no_signed_wrap : sum.no_unsigned_wrap))
    return std::nullopt;
  for (IndexExpression::Term &term : sum.terms) {
    IndexSymbol &symbol = term.symbol;
    if (!symbol.value || bits_of(*symbol.value) > sum.bits) // fits: see truncated()
      continue;
    if (symbol.extension == Extension::sign && !is_signed)
      return std::nullopt;
    if (symbol.extension != Extension::none)
      continue;
    symbol.extension =
        is_signed && llvm::isKnownNonNegative(symbol.value, query_) ? Extension::zero : extension;
  }
  sum.no_unsigned_wrap = !is_signed;
  sum.no_signed_wrap = true;
  return sum;
}

// ---- addresses

IndexExpression ExpressionBuilder::address(const llvm::GEPOperator &value, unsigned element) {
  const llvm::DataLayout &layout = *tables_.layout_;
  IndexExpression sum = of(*value.getPointerOperand(), element);
  for (auto step = llvm::gep_type_begin(value); step != llvm::gep_type_end(value); ++step) {
    const llvm::Value &index = *step.getOperand();
    if (llvm::StructType *type = step.getStructTypeOrNull()) {
      auto *field = llvm::cast<llvm::Constant>(&index);
      if (field->getType()->isVectorTy())
        field = field->getSplatValue();
      const auto number = unsigned(llvm::cast<llvm::ConstantInt>(field)->getZExtValue());
      sum.constant +=
          int64_t(layout.getStructLayout(type)->getElementOffset(number).getFixedValue());
      continue;
    }
    IndexExpression more =
        bits_of(index) < 64 ? extended(index, element, Extension::sign, false) : of(index, element);
    more.bits = 64;
    sum = add(sum, more, int64_t(step.getSequentialElementStride(layout).getFixedValue()));
  }
  sum.no_unsigned_wrap = sum.no_signed_wrap = false;
  return sum;
}

} // namespace lockstep::compiler
