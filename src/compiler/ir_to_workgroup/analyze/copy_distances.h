// By how much a value of the next sub-group, or work-group, differs from this one's, where that is a constant.
//
// Then a copy of it needs no register, since the constant becomes part of an address, and what all
// copies are compared with can be asked of the last one.
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
  // Of what may wrap, an extension differs by any number; who only estimates can suppose that nothing does.
  enum class Wraps { may_happen, are_ignored };

  // `repeated`: what there is one of for each sub-group or work-group; `step`: of the ids among it.
  CopyDistances(const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated, unsigned step,
                Wraps wraps = Wraps::may_happen)
      : repeated_(repeated), step_(step), wraps_(wraps) {}

  // Of an integer, modulo 2^bits.
  std::optional<int64_t> of(const llvm::Value &value);
  // Of an address, in bytes.
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

// All that is computed of the group's number in one dimension.
llvm::SmallPtrSet<const llvm::Value *, 32> values_of_group(llvm::Function &function,
                                                           unsigned dimension);

} // namespace lockstep::compiler
