// Values of a kernel that follow from the local id alone, for each work-item of a group: found by computing them.
//
// Addresses in local memory are made of local ids nearly always, and a group has few work-items, so to compute is to
// prove: no rule about trees, tiles, scans or guards like `item < step` is needed.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Instruction;
class PHINode;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class ItemValues {
public:
  using Column = std::vector<uint64_t>; // by linear local id; the low bits of the value

  // Of a function with a local size; without one nothing is known.
  ItemValues(const llvm::Function &function, const llvm::DominatorTree &dominators);

  size_t items() const { return items_; }
  std::array<uint64_t, 3> id_of(size_t item) const;

  // Null: it hangs on something else.
  const Column *of(const llvm::Value *value);
  // In bytes from the argument or variable that the pointer is of. What hangs on something else (the row of a tile in a
  // loop) adds a multiple of the modulus, another one for each work-item and each time; 0: nothing does.
  struct Offset {
    Column column;
    uint64_t modulus = 0;
  };
  const Offset *offset_of(const llvm::Value *pointer);
  // Those that may get there: 1.
  const Column &at(const llvm::BasicBlock *block);

private:
  std::optional<Column> compute(const llvm::Instruction &instruction);
  std::optional<Column> of_join(const llvm::PHINode &phi);
  std::optional<Offset> compute_offset(const llvm::Value *pointer);
  void add_index(const llvm::Value *index, uint64_t scale, Offset &sum);

  const llvm::Function &function_;
  const llvm::DominatorTree &dominators_;
  std::array<uint64_t, 3> size_{};
  size_t items_ = 0;
  llvm::DenseMap<const llvm::Value *, std::optional<Column>> known_;
  llvm::DenseMap<const llvm::Value *, std::optional<Offset>> offsets_;
  llvm::DenseMap<const llvm::BasicBlock *, Column> present_;
};

} // namespace lockstep::compiler
