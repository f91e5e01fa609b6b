// Computes values that depend only on the local id, for each work-item of a work-group.
//
// Requires a function that is specialized for a local size of at most 4096 work-items. Evaluation
// replaces a proof: addresses in local memory nearly always depend on the local id alone, and a
// work-group is small. So no rules about trees, tiles, scans or guards are needed.
#pragma once

#include "compiler/analysis/index_expressions.h"
#include "compiler/checks/expressions/loop_states.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class PHINode;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class ItemValues {
public:
  // one value per work-item, by linear local id, zero-extended
  using Column = std::vector<uint64_t>;

  // Knows nothing about a function without a fixed local size.
  ItemValues(const llvm::Function &function, const llvm::LoopInfo &loops);
  // The values while that loop is in one of its states, and behind the loop after its last
  // iteration in that state.
  ItemValues(const llvm::Function &function, const llvm::LoopInfo &loops, const llvm::Loop &loop,
             const LoopState &state);

  size_t items() const { return items_; }
  std::array<uint64_t, 3> id_of(size_t item) const;

  // Null: the value depends on something other than the local id.
  const Column *of(const llvm::Value *value);
  // Byte offset from the argument or variable that the pointer is based on. Other parts of the
  // address, such as the row of a tile in a loop, add an unknown multiple of `modulus`, which may
  // differ between work-items and iterations. `modulus` 0: the offset is exact.
  struct Offset {
    Column column;
    uint64_t modulus = 0;
  };
  const Offset *offset_of(const llvm::Value *pointer);
  // A bit for each work-item that may reach the block.
  const llvm::BitVector &at(const llvm::BasicBlock *block);

private:
  std::optional<Column> compute(const llvm::Instruction &instruction);
  std::optional<Column> of_join(const llvm::PHINode &phi);
  std::optional<Offset> compute_offset(const llvm::Value *pointer);
  void add(const IndexExpression &expression, uint64_t factor, Offset &sum);
  void add_symbol(const IndexSymbol &symbol, uint64_t scale, Offset &sum);
  struct Moving { // a value that changes by `step` in each iteration of a loop, modulo 2^bits
    const llvm::Value *start;
    IndexExpression step;
    unsigned bits;
  };
  std::optional<Moving> moving_by(const llvm::PHINode &phi);
  void set_size();
  void find_present();
  llvm::BitVector present_on_edge(const llvm::BasicBlock *from, const llvm::BasicBlock *to);

  const llvm::Function &function_;
  IndexExpressions expressions_;
  std::array<uint64_t, 3> size_{};
  unsigned nesting_ = 0; // of sums that differ by a multiple of a power of two
  size_t items_ = 0;
  LoopState assumed_;
  // Variables of the loop, and of those around it, which may have a value from another state.
  llvm::DenseSet<const llvm::Value *> unknown_;
  llvm::DenseMap<const llvm::Value *, std::optional<Column>> known_;
  llvm::DenseMap<const llvm::Value *, std::optional<Offset>> offsets_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> present_;
};

} // namespace lockstep::compiler
