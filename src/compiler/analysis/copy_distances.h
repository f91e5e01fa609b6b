// Computes by how much a value differs between one sub-group (or work-group) and the next, where
// that difference is a constant.
//
// A transformation that repeats code for several sub-groups or work-groups uses this. A copy with a
// constant distance needs no register of its own: the constant is folded into an address.
#pragma once

#include "compiler/analysis/index_expressions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Function;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class CopyDistances {
public:
  // An extension of a value that may wrap has no known distance, unless it is part of an address
  // that all copies access (Depth::address). Callers that only estimate a cost may ignore wrapping
  // and divergent control flow.
  enum class Wraps { may_happen, not_in_addresses, are_ignored };

  // `repeated`: the values that exist once per sub-group or work-group. `step`: the difference of
  // the ids between two copies.
  CopyDistances(IndexExpressions &expressions,
                const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated, unsigned step,
                Wraps wraps = Wraps::may_happen)
      : expressions_(expressions), repeated_(repeated), step_(step), wraps_(wraps) {}

  // The distance of an integer, modulo 2^bits, or of an address in bytes. For a vector, the
  // distance is the same in all lanes. Returns nullopt if it is not constant.
  std::optional<int64_t> of(const llvm::Value &value);

private:
  Depth depth() const {
    return wraps_ == Wraps::are_ignored        ? Depth::estimate
           : wraps_ == Wraps::not_in_addresses ? Depth::address
                                               : Depth::exact;
  }
  std::optional<int64_t> of_terms(const IndexExpression &expression);
  std::optional<int64_t> of_symbol(const IndexSymbol &symbol);
  std::optional<int64_t> of_repeated(const llvm::Value &value);
  std::optional<int64_t> of_phi(const llvm::PHINode &phi);
  std::optional<int64_t> of_incoming_values(const llvm::PHINode &phi);
  bool runs_alike(const llvm::Value &value) const;

  IndexExpressions &expressions_;
  const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated_;
  unsigned step_;
  Wraps wraps_;
  llvm::DenseMap<const llvm::Value *, std::optional<int64_t>> known_; // of symbols
};

// All values that depend on the group id in one dimension.
llvm::SmallPtrSet<const llvm::Value *, 32> values_of_group(llvm::Function &function,
                                                           unsigned dimension);

} // namespace lockstep::compiler
