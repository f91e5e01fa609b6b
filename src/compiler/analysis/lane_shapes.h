// Computes how a value differs between the lanes of a sub-group.
//
//   uniform     the same in all lanes: one scalar is enough
//   constants   known at compile time for each lane (the lane's number, its row, ...)
//   offsets     lane 0's value plus a distance known at compile time for each lane; an address of
//               this kind is a contiguous or strided access, and its arithmetic stays scalar
//   varying     anything else
//
// Input:  a function without divergent branches (after linearize), so control flow is ignored.
//
// Distances are modulo 2^bits of the value's type, so additions and multiplications by constants
// keep them exact. Widening an integer does not: a 32-bit index in lane 5 may have wrapped where
// lane 0 has not. Most kernels compute indices in `int` or `uint`. A widened index is therefore
// `assumed` to keep its distances, but only as part of an address; as a value it is varying. The
// assumption fails only if lanes of one sub-group access elements 2^32 - 1 and 0 of one object.
// Narrower integers do wrap, and are varying after widening. The index of an inactive lane may have
// wrapped (`a[i - 1]` in the first lane, guarded by i > 0): see `base_lane`.
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
  bool assumed = false; // offsets: valid only as part of an address
  llvm::SmallVector<int64_t, 0>
      // Constants: the values. Offsets: the distances from lane 0, sign-extended.
      lanes;

  bool operator==(const LaneShape &) const = default;
  bool is_uniform() const { return kind == Kind::uniform; }
  // The distance of a lane from lane 0; zero for uniform values. Requires has_distances().
  int64_t distance(unsigned lane) const {
    return kind == Kind::uniform ? 0 : lanes[lane] - lanes[0];
  }
  bool has_distances() const {
    return kind == Kind::uniform || kind == Kind::constants || kind == Kind::offsets;
  }
  // True if the value must be computed as a vector.
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

// The lane whose narrow index is widened for an unsigned access: the lane with the largest index.
// In practice only indices below 0 wrap, and only in inactive lanes.
unsigned base_lane(const LaneShape &shape, unsigned width);

class LaneShapesPrinterPass : public llvm::PassInfoMixin<LaneShapesPrinterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
