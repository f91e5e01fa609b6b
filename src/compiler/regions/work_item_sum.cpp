#include "compiler/regions/work_item_sum.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/regions/region_path.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

namespace lockstep::compiler {

namespace {

IndexExpression zero(unsigned bits) {
  return {.bits = bits, .terms = {}};
}

class Finder {
public:
  Finder(RegionPath &path, IndexExpressions &expressions)
      : path_(path), expressions_(expressions) {}

  // The low `bits` of the value. Nullopt: the id is in none of the terms, or in more than one.
  std::optional<WorkItemSum> find(llvm::Value &value, unsigned bits);

private:
  std::optional<WorkItemSum> find_in(const IndexSymbol &symbol, const llvm::Value &sum,
                                     unsigned bits);

  RegionPath &path_;
  IndexExpressions &expressions_;
  unsigned steps_ = 0;
};

std::optional<WorkItemSum> Finder::find(llvm::Value &value, unsigned bits) {
  llvm::Value &here = *path_.resolve(&value);
  if (called_primitive(here) == Primitive::local_id) {
    const unsigned dimension = constant_dimension(llvm::cast<llvm::CallInst>(here)).value_or(3);
    return dimension < 3 ? std::optional<WorkItemSum>({dimension, 1, 0, {{.uniform = zero(bits)}}})
                         : std::nullopt;
  }
  if (++steps_ > limits::search_steps)
    return std::nullopt;
  const IndexExpression sum = add(zero(bits), expressions_.of(here));
  IndexExpression uniform = sum;
  uniform.terms.clear();
  std::optional<WorkItemSum> found;
  IndexExpression::Term with_id{};
  int64_t lanes = 0;
  for (const IndexExpression::Term &term : sum.terms) {
    auto inner = term.symbol.value ? find_in(term.symbol, here, bits) : std::nullopt;
    if (inner && found)
      return std::nullopt;
    if (inner) {
      found = std::move(inner);
      with_id = term;
    } else if (term.symbol.value) {
      uniform.terms.push_back(term);
    } else {
      lanes = term.coefficient;
    }
  }
  const int64_t factor = with_id.coefficient;
  const bool is_extended = with_id.symbol.extension != Extension::none;
  // With its lanes, an extended sum grows as far as its ids.
  if (found && is_extended && found->lanes != 0 && found->lanes != found->factor)
    return std::nullopt;
  if (!found || llvm::MulOverflow(found->factor, factor, found->factor) ||
      llvm::MulOverflow(found->lanes, factor, found->lanes) ||
      llvm::AddOverflow(found->lanes, lanes, found->lanes))
    return std::nullopt;
  if (is_extended) {
    found->levels.push_back({uniform, factor, with_id.symbol.extension});
  } else {
    WorkItemSum::Level &level = found->levels.back();
    level.uniform = add(uniform, level.uniform, factor);
    level.factor *= factor;
  }
  return found;
}

// A symbol is a narrower sum that may wrap before it is extended, a truncation, or a phi or variable
// that has another value on the path.
std::optional<WorkItemSum> Finder::find_in(const IndexSymbol &symbol, const llvm::Value &sum,
                                           unsigned bits) {
  auto *value = const_cast<llvm::Value *>(symbol.value);
  if (symbol.element != IndexSymbol::whole || !value->getType()->isIntOrIntVectorTy())
    return std::nullopt;
  if (symbol.extension != Extension::none)
    return find(*value, value->getType()->getScalarSizeInBits());
  if (value != &sum)
    return find(*value, bits);
  auto *truncation = llvm::dyn_cast<llvm::TruncInst>(value);
  return truncation ? find(*truncation->getOperand(0), bits) : std::nullopt;
}

} // namespace

std::optional<WorkItemSum> find_work_item_sum(RegionPath &path, IndexExpressions &expressions,
                                              llvm::Value *value, unsigned lanes) {
  const unsigned bits = value->getType()->getScalarSizeInBits();
  auto sum = bits <= 64 ? Finder(path, expressions).find(*value, bits) : std::nullopt;
  if (!sum || sum->factor < 1 || sum->factor > INT32_MAX)
    return std::nullopt;
  const bool wants_lanes = lanes > 1 && sum->dimension == 0;
  return sum->lanes == (wants_lanes ? sum->factor : 0) ? sum : std::nullopt;
}

std::optional<FirstOfSum> emit_first(const WorkItemSum &sum, RegionPath &path,
                                     llvm::IRBuilderBase &builder, uint32_t size, bool is_signed) {
  FirstOfSum first{nullptr, builder.getTrue()};
  int64_t growth = size - 1; // from the first id to the last
  // False if not even the growth fits.
  auto demand_no_wrap = [&](bool of_signed) {
    unsigned bits = first.value->getType()->getScalarSizeInBits();
    llvm::APInt most =
        of_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    if (most.ult(uint64_t(growth)))
      return false;
    llvm::Value *limit = llvm::ConstantInt::get(first.value->getType(), most - uint64_t(growth));
    llvm::Value *fits = of_signed ? builder.CreateICmpSLE(first.value, limit)
                                  : builder.CreateICmpULE(first.value, limit);
    first.wraps_not = builder.CreateAnd(first.wraps_not, fits);
    return true;
  };
  for (const WorkItemSum::Level &level : sum.levels) {
    const bool is_signed_level = level.extension == Extension::sign;
    if (first.value && !demand_no_wrap(is_signed_level))
      return std::nullopt;
    llvm::Value *uniform =
        emit_sum(builder, level.uniform, 1, [&](const IndexSymbol &symbol) -> llvm::Value * {
          return path.evaluate(const_cast<llvm::Value *>(symbol.value), builder);
        });
    if (!uniform)
      return std::nullopt;
    llvm::Type *type = uniform->getType();
    if (first.value) {
      first.value = is_signed_level ? builder.CreateSExt(first.value, type)
                                    : builder.CreateZExt(first.value, type);
      first.value = builder.CreateAdd(
          uniform,
          builder.CreateMul(first.value, llvm::ConstantInt::getSigned(type, level.factor)));
    } else {
      first.value = uniform;
    }
    growth *= level.factor;
  }
  if (!demand_no_wrap(is_signed))
    return std::nullopt;
  return first;
}

} // namespace lockstep::compiler
