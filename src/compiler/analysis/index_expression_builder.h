// Decomposes one value into its affine expression; see index_expressions.h.
#pragma once

#include "compiler/analysis/index_expressions.h"

#include "llvm/Analysis/SimplifyQuery.h"

#include <cstdint>
#include <optional>

namespace llvm {
class APInt;
class BinaryOperator;
class CastInst;
class Constant;
class GEPOperator;
class TruncInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Whether the value is an integer of at most 64 bits, an address, or a vector of these.
bool has_expression(const llvm::Value &value);

// Computes one expression; the recursion fills the tables of the analysis.
class ExpressionBuilder {
public:
  ExpressionBuilder(IndexExpressions &tables, Depth depth)
      : tables_(tables), depth_(depth), query_(*tables.layout_) {}

  // `element`: of a vector, or IndexSymbol::whole.
  const IndexExpression &of(const llvm::Value &value, unsigned element);

private:
  bool ignores_wraps() const { return depth_ == Depth::estimate || depth_ == Depth::address; }
  bool ignores_wraps_of(unsigned bits) const {
    return depth_ == Depth::estimate || (depth_ == Depth::address && bits >= 32);
  }
  unsigned width(const llvm::Value &value) const;
  IndexExpression symbol(const llvm::Value *value, unsigned element, unsigned bits,
                         Extension extension = Extension::none);
  IndexExpression compute(const llvm::Value &value, unsigned element);
  std::optional<IndexExpression> constant(const llvm::Constant &value, unsigned element);
  std::optional<IndexExpression> lanes(const llvm::Constant &value);
  std::optional<IndexExpression> element_of(const llvm::Value &value, unsigned element);
  std::optional<IndexExpression> binary(const llvm::BinaryOperator &value, unsigned element);
  struct Division {
    IndexExpression quotient, remainder;
  };
  std::optional<Division> divided(const IndexExpression &sum, int64_t divisor) const;
  std::optional<uint64_t> greatest(const IndexSymbol &symbol) const;
  std::optional<IndexExpression> quotient(const llvm::BinaryOperator &value, unsigned element,
                                          int64_t divisor);
  std::optional<IndexExpression> remainder(const llvm::BinaryOperator &value, unsigned element,
                                           int64_t divisor);
  std::optional<IndexExpression> masked(const llvm::BinaryOperator &value, unsigned element,
                                        const llvm::APInt &mask);
  std::optional<IndexExpression> field(IndexExpression sum, unsigned from, unsigned to,
                                       unsigned bits) const;
  std::optional<IndexExpression> part(const llvm::BinaryOperator &value, unsigned element);
  bool is_exact(const llvm::BinaryOperator &value, const IndexExpression &sum) const;
  std::optional<IndexExpression> cast(const llvm::CastInst &value, unsigned element);
  std::optional<IndexExpression> truncated(const llvm::TruncInst &value, unsigned element);
  IndexExpression extended(const llvm::Value &narrow, unsigned element, Extension extension,
                           bool is_non_negative);
  std::optional<IndexExpression> widen(IndexExpression sum, Extension extension);
  IndexExpression address(const llvm::GEPOperator &value, unsigned element);
  bool never_wraps(const llvm::BinaryOperator &value, bool is_signed) const;
  bool fits(const llvm::Value &value, unsigned bits) const;

  IndexExpressions &tables_;
  const Depth depth_;
  const llvm::SimplifyQuery query_;
  unsigned nesting_ = 0;
};

} // namespace lockstep::compiler
