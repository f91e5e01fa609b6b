// Computes by how much a value differs between one sub-group (or work-group) and the next, where
// that difference is a constant.
//
// A transformation that repeats code for several sub-groups or work-groups uses this. A copy with a
// constant distance needs no register of its own: the constant is folded into an address.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class Function;
class Instruction;
class PHINode;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class CopyDistances {
public:
  // An extension of a value that may wrap has no known distance. Callers that only estimate a cost
  // may ignore wrapping.
  enum class Wraps { may_happen, are_ignored };

  // `repeated`: the values that exist once per sub-group or work-group. `step`: the difference of
  // the ids between two copies.
  CopyDistances(const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated, unsigned step,
                Wraps wraps = Wraps::may_happen)
      : repeated_(repeated), step_(step), wraps_(wraps) {}

  // The distance of an integer, modulo 2^bits; nullopt if it is not constant.
  std::optional<int64_t> of(const llvm::Value &value);
  // The distance of an address in bytes; nullopt if it is not constant.
  std::optional<int64_t> of_address(const llvm::Value &address, const llvm::DataLayout &layout);

private:
  std::optional<int64_t> of_instruction(const llvm::Instruction &instruction);
  std::optional<int64_t> of_element(const llvm::Value &vector, uint64_t number);
  std::optional<int64_t> of_phi(const llvm::PHINode &phi);

  const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated_;
  unsigned step_;
  Wraps wraps_;
  llvm::DenseMap<const llvm::PHINode *, std::optional<int64_t>> phis_; // known, or assumed
};

// All values that depend on the group id in one dimension.
llvm::SmallPtrSet<const llvm::Value *, 32> values_of_group(llvm::Function &function,
                                                           unsigned dimension);

} // namespace lockstep::compiler
