// Writes integers and addresses as affine expressions.
//
//   value = sum(coefficient * symbol) + constant        modulo 2^bits
//
// A symbol is a value that has no such expression itself: an argument, a load, an id, a product of
// two variables, the phi of a loop. `in[y * n + x + 1]` is in + 4 * (y * n) + 4 * x + 4. The
// elements of a vector have one expression, whose symbols are scalars, uniform vectors, and the
// lane number.
//
// Requires: any function. The analysis reads only definitions, so an expression holds wherever the
// value is defined.
// Ensures: an expression for each integer of at most 64 bits, each address, and each vector of
// these.
//
// No-wrap. Arithmetic of a 32-bit index is modulo 2^32, and the extension to 64 bits is not. So an
// expression also says whether its sum is exact as a sum of integers. That follows from nuw and nsw
// and from known bits, such as the range of a local id. An extension of an exact sum is the sum of
// the extended symbols; any other extension is a symbol.
//
// Loops. The phi of an induction variable is a symbol; induction() returns its start and its step.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace llvm {
class DataLayout;
class IRBuilderBase;
class Loop;
class LoopInfo;
class PHINode;
class Value;
class raw_ostream;
} // namespace llvm

namespace lockstep::compiler {

// How a symbol with fewer bits than its expression is extended.
enum class Extension : uint8_t { none, zero, sign };

struct IndexSymbol {
  static constexpr unsigned whole = ~0U;

  const llvm::Value *value = nullptr; // null: the number of the lane
  Extension extension = Extension::none;
  unsigned element = whole; // of a vector, for a scalar expression
  unsigned order = 0; // of the analysis's first use of `value`, which makes sums deterministic

  bool operator==(const IndexSymbol &other) const {
    return value == other.value && extension == other.extension && element == other.element;
  }
};

struct IndexExpression {
  struct Term {
    IndexSymbol symbol;
    int64_t coefficient;
    bool operator==(const Term &) const = default;
  };

  unsigned bits = 64;
  llvm::SmallVector<Term, 4> terms; // sorted by the order of the symbols; no coefficient is 0
  int64_t constant = 0;
  // The sum of the integers is the value, if value and symbols are read as unsigned or as signed.
  bool no_unsigned_wrap = true, no_signed_wrap = true;

  // Whether `*this - other` is a constant.
  bool differs_by_constant(const IndexExpression &other) const {
    return bits == other.bits && terms == other.terms;
  }
  void print(llvm::raw_ostream &stream) const;
};

// Both require the same width. `add` computes `one + factor * other`; 64-bit numbers may wrap as the
// values do.
IndexExpression add(const IndexExpression &one, const IndexExpression &other, int64_t factor = 1);
IndexExpression difference(const IndexExpression &one, const IndexExpression &other);

// Whether the next row of work-items accesses the next elements in memory.
bool is_of_column(const IndexExpression &address, uint64_t element_size);

// The phi of a loop header that changes by `step` in each iteration.
struct Induction {
  const llvm::Loop *loop = nullptr;
  const llvm::Value *start = nullptr;
  IndexExpression step; // of loop-invariant symbols
};

// How far a value is decomposed.
enum class Depth : uint8_t {
  exact,   // through extensions if the narrow sum does not wrap
  vectors, // only vectors, up to their extensions: what remains is cheap to emit
  // As part of an address, a sum of 32 bits does not wrap: no object is accessed at the elements
  // 2^32 - 1 and 0 by neighbors (lane_shapes.h assumes the same). All expressions have 64 bits.
  address,
  estimate // wrapping is ignored; all expressions have 64 bits
};

class IndexExpressions {
public:
  IndexExpressions(const llvm::Function &function, const llvm::LoopInfo &loops);

  const IndexExpression &of(const llvm::Value &value, Depth depth = Depth::exact);
  std::optional<Induction> induction(const llvm::PHINode &phi, Depth depth = Depth::exact);
  const llvm::LoopInfo &loops() const { return *loops_; }
  bool invalidate(llvm::Function &function, const llvm::PreservedAnalyses &preserved,
                  llvm::FunctionAnalysisManager::Invalidator &invalidator);

private:
  friend class ExpressionBuilder;
  using Key = std::pair<const llvm::Value *, std::pair<unsigned, unsigned>>;

  const llvm::DataLayout *layout_;
  const llvm::LoopInfo *loops_;
  llvm::DenseMap<const llvm::Value *, unsigned> order_;
  llvm::DenseMap<Key, std::unique_ptr<IndexExpression>> known_;
};

// Emits the sum: a vector of `lanes` elements if a symbol is one. `value_of` returns the value of a
// symbol before its extension, or null, which ends in null.
llvm::Value *emit_sum(llvm::IRBuilderBase &builder, const IndexExpression &expression,
                      unsigned lanes,
                      llvm::function_ref<llvm::Value *(const IndexSymbol &)> value_of);

class IndexExpressionsAnalysis : public llvm::AnalysisInfoMixin<IndexExpressionsAnalysis> {
public:
  using Result = IndexExpressions;
  Result run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  friend llvm::AnalysisInfoMixin<IndexExpressionsAnalysis>;
  inline static constinit llvm::AnalysisKey Key;
};

class IndexExpressionsPrinterPass : public llvm::PassInfoMixin<IndexExpressionsPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
