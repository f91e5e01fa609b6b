// Which loads and stores with constant distances between lanes can be done as one wide access with
// shuffles.
//
// An access whose lanes lie `stride` bytes apart touches one slot of each stride; `float4` data,
// structures and a[2*i], a[2*i+1] give several accesses to neighbouring slots. All of a group
// become one wide load (or store) and a shuffle for each member. A contiguous access is a group of
// one whose shuffle does nothing.
//
// Members of a group stand in one block, with the same distances and addresses that differ by a
// constant, and nothing between them may touch the same memory: loads move up to the first member,
// stores down to the last.
//
// Windows in local memory begin at a multiple of the stride, where what lies before the first slot
// is known to belong to the same variable. So the steps of a scan or a transform, whose strides
// grow, cut the memory into the same vectors, and a load finds what it wants in one earlier store;
// the CPU can hand it on from there before it reaches the cache.
#pragma once

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class DataLayout;
class Function;
class Instruction;
class Type;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// A pointer as base + sum(index * scale) + constant, so that neighbours can be recognised. Indices
// are taken apart as well, those that are widened only where nothing wraps before: the address of
// `a[2 * i + 1]` is that of `a[2 * i]` and 4 for any `uint i`, since 2 * i is even.
struct DecomposedAddress {
  enum class Widening { none, zero, sign };
  struct Index {
    llvm::Value *value;
    Widening widening; // to 64 bits
    int64_t scale;
    auto operator<=>(const Index &) const = default;
  };
  llvm::Value *base = nullptr;
  llvm::SmallVector<Index, 4> indices; // sorted
  int64_t constant = 0;

  DecomposedAddress(llvm::Value *pointer, const llvm::DataLayout &layout);
  bool differs_by_constant(const DecomposedAddress &other) const {
    return base == other.base && indices == other.indices;
  }

private:
  void add(llvm::Value *value, Widening widening, uint64_t scale, unsigned depth);
};

struct AccessGroup {
  bool is_load = true;
  llvm::Type *element = nullptr;
  int64_t size = 0;                        // of the element in bytes
  DecomposedAddress address;               // of the first member
  llvm::SmallVector<int64_t, 0> distances; // of the lanes, in bytes
  int64_t stride = 0;                      // of neighbouring lanes if the same for all, else 0
  llvm::MapVector<int64_t, llvm::Instruction *>
      slots;                             // constant offset -> member, in program order
  llvm::SmallVector<int64_t, 4> blocked; // offsets that others have touched since
  // Where lane 0's stride begins, if the lanes' strides may be accessed as wholes: see above.
  std::optional<int64_t> whole_strides_from;

  void find_whole_strides();
  llvm::Instruction *first() const { return slots.front().second; }
  llvm::Instruction *last() const { return slots.back().second; }
  int64_t lowest() const;  // offset of the lowest element that any lane touches
  int64_t highest() const; // and of the highest
  // The element of the wide access that belongs to a lane of the member at `offset`.
  int64_t index(int64_t offset, unsigned lane) const {
    return (offset + distances[lane] - lowest()) / size;
  }
  int64_t length() const { return (highest() - lowest()) / size + 1; }
};

class AccessGroups {
public:
  AccessGroups(llvm::Function &function, const LaneShapes &shapes);
  // The group of a load or store, or null if a wide access would not do.
  const AccessGroup *of(const llvm::Instruction &access) const {
    return member_of_.lookup(&access);
  }

private:
  void scan(llvm::BasicBlock &block, const LaneShapes &shapes);
  // A group of which `access` is the only member; null if a wide access would not do.
  std::unique_ptr<AccessGroup> make(llvm::Instruction &access, const LaneShapes &shapes) const;

  std::vector<std::unique_ptr<AccessGroup>> groups_;
  llvm::DenseMap<const llvm::Instruction *, AccessGroup *> member_of_;
};

} // namespace lockstep::compiler
