// How a value differs between the lanes of a sub-group.
//
//   uniform     the same in all lanes: one scalar is enough
//   constants   known to the compiler for each lane (the lane's number, its row, ...)
//   offsets     lane 0's value plus a distance known to the compiler for each lane; addresses of
//               that kind are contiguous or strided accesses, and their arithmetic stays scalar
//   varying     anything else
//
// Distances are modulo 2^bits of the value's type, so additions and multiplications by constants
// keep them exactly. Widening an integer does not: lane 5 of a 32-bit index may have wrapped where
// lane 0 has not. Index arithmetic in `int` and `uint` is what most kernels have, so its widened
// form is `assumed` to keep its distances where it becomes part of an address, and only there: as a
// value it counts as varying and is computed lane by lane. For the assumption to be wrong, lanes of
// one sub-group would have to access elements 2^32 - 1 and 0 of one object. Narrower integers do
// wrap, and vary once they are widened. A lane that is not
// active may well have wrapped (`a[i - 1]` in the first lane, guarded by i > 0): see `base_lane`.
//
// Input:  a function without divergent branches, as linearise leaves it; control flow needs no
//         attention any more.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct LaneShape {
  enum class Kind : uint8_t { unknown, uniform, constants, offsets, varying };

  Kind kind = Kind::unknown;
  bool assumed = false; // offsets: only as part of an address
  llvm::SmallVector<int64_t, 0>
      lanes; // constants: the values; offsets: distances from lane 0, sign-extended

  bool operator==(const LaneShape &) const = default;
  bool is_uniform() const { return kind == Kind::uniform; }
  // The distance of each lane from lane 0; empty if varying. Zero for uniform values.
  int64_t distance(unsigned lane) const {
    return kind == Kind::uniform ? 0 : lanes[lane] - lanes[0];
  }
  bool has_distances() const {
    return kind == Kind::uniform || kind == Kind::constants || kind == Kind::offsets;
  }
  // True if a vector of the value must be computed as a vector.
  bool is_vector() const { return kind == Kind::varying || (kind == Kind::offsets && assumed); }

  static LaneShape uniform() { return {Kind::uniform, false, {}}; }
  static LaneShape varying() { return {Kind::varying, false, {}}; }
};

class LaneShapes {
public:
  LaneShapes(llvm::Function &function, unsigned width);

  const LaneShape &of(const llvm::Value &value) const;
  unsigned width() const { return width_; }

private:
  LaneShape compute(const llvm::Instruction &instruction) const;
  LaneShape compute_binary(const llvm::Instruction &instruction) const;
  LaneShape compute_address(const llvm::Instruction &instruction) const;
  LaneShape compute_cast(const llvm::Instruction &instruction) const;
  LaneShape compute_call(const llvm::Instruction &instruction) const;
  LaneShape fold_constants(const llvm::Instruction &instruction) const;
  LaneShape join(const LaneShape &one, const LaneShape &other) const;
  LaneShape offsets(llvm::SmallVector<int64_t, 0> lanes, bool assumed, unsigned bits) const;
  bool all_uniform(const llvm::Instruction &instruction) const;

  unsigned width_;
  LaneShape uniform_ = LaneShape::uniform(), unknown_;
  llvm::DenseMap<const llvm::Value *, LaneShape> shapes_;
};

// The lane whose narrow value is right when an unsigned index is widened: the largest one, since
// what wraps in practice is an index below 0 in a lane that is not active.
unsigned base_lane(const LaneShape &shape, unsigned width);

class LaneShapesPrinterPass : public llvm::PassInfoMixin<LaneShapesPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
