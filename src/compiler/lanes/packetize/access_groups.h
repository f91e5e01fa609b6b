// Groups loads and stores with constant distances between lanes into wide accesses with shuffles.
//
// An access whose lanes are `stride` bytes apart touches one slot per stride. `float4` data,
// structures, and the pair a[2*i], a[2*i+1] give several accesses to neighboring slots. A group of
// these becomes one wide load or store and one shuffle per member. A contiguous access is a group
// of one whose shuffle is the identity.
//
// Members of a group are in one block, have the same distances between lanes, and have addresses
// that differ by a constant (index_expressions.h). No access between them may touch the same
// memory: loads move up to the first member, stores down to the last.
//
// In local memory, a wide access starts at a multiple of the stride if everything before the first
// slot belongs to the same variable. The steps of a scan or transform, with their growing strides,
// then divide memory into the same vectors. A load finds its data in one earlier store, and the CPU
// can forward the store.
#pragma once

#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/lane_shapes.h"

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

struct AccessGroup {
  bool is_load = true;
  llvm::Type *element = nullptr;
  int64_t size = 0;                        // of the element in bytes
  IndexExpression address;                 // of the first member
  IndexExpression exact;                   // the same, with narrow sums that may wrap as symbols
  llvm::SmallVector<int64_t, 0> distances; // from lane 0 to each lane, in bytes
  int64_t stride = 0;                      // between neighboring lanes if always the same, else 0
  llvm::MapVector<int64_t, llvm::Instruction *>
      slots;                             // constant offset -> member, in program order
  llvm::SmallVector<int64_t, 4> blocked; // offsets that conflicting accesses have touched since
  // The offset where lane 0's stride begins, if whole strides may be accessed (see the file
  // comment).
  std::optional<int64_t> whole_strides_from;

  void find_whole_strides();
  llvm::Instruction *first() const { return slots.front().second; }
  llvm::Instruction *last() const { return slots.back().second; }
  int64_t lowest() const;  // offset of the lowest element of any lane
  int64_t highest() const; // offset of the highest element of any lane
  // The index in the wide access of a lane's element of the member at `offset`.
  int64_t index(int64_t offset, unsigned lane) const {
    return (offset + distances[lane] - lowest()) / size;
  }
  int64_t length() const { return (highest() - lowest()) / size + 1; }
};

class AccessGroups {
public:
  AccessGroups(llvm::Function &function, const LaneShapes &shapes, IndexExpressions &expressions);
  // Returns the group of a load or store, or null if a wide access does not pay.
  const AccessGroup *of(const llvm::Instruction &access) const {
    return member_of_.lookup(&access);
  }

private:
  void scan(llvm::BasicBlock &block, const LaneShapes &shapes, IndexExpressions &expressions);
  // Returns a group with `access` as its only member, or null if a wide access does not pay.
  std::unique_ptr<AccessGroup> make(llvm::Instruction &access, const LaneShapes &shapes,
                                    const IndexExpression &address,
                                    const IndexExpression &exact) const;

  std::vector<std::unique_ptr<AccessGroup>> groups_;
  llvm::DenseMap<const llvm::Instruction *, AccessGroup *> member_of_;
};

} // namespace lockstep::compiler
