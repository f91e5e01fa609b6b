// Maps the values of one work-item to those of a sub-group during packetize: a vector over all
// lanes, or a scalar from which all lanes follow.
#pragma once

#include "compiler/analysis/lane_shapes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

class LaneValues {
public:
  explicit LaneValues(const LaneShapes &shapes) : shapes_(shapes) {}

  unsigned width() const { return shapes_.width(); }
  const LaneShape &shape(const llvm::Value &value) const { return shapes_.of(value); }

  // T becomes <W x T>; a structure becomes a structure of vectors.
  llvm::Type *vector_type(llvm::Type *type) const;

  // The value of all lanes as a vector. It is created at the definition, so that it dominates all
  // uses.
  llvm::Value *vector(llvm::Value *scalar);
  void set_vector(llvm::Value *scalar, llvm::Value *widened) { vectors_[scalar] = widened; }
  bool has_vector(llvm::Value *scalar) const { return vectors_.contains(scalar); }

  // Lane 0's value if the shape has distances; the value itself if it is uniform.
  llvm::Value *base(llvm::Value *scalar);

  // Adds the operands of phis that base() copied, when all other values exist.
  void finish();

private:
  llvm::Value *make_vector(llvm::Value *scalar);
  llvm::Constant *splat_constant(llvm::Constant &constant) const;
  llvm::Value *make_splat(llvm::IRBuilderBase &builder, llvm::Value *scalar);
  llvm::Value *make_assumed_base(llvm::Instruction &instruction);

  const LaneShapes &shapes_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> vectors_, bases_;
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>> open_phis_; // original, copy
};

// Returns a builder directly after the value's definition (in the entry block for arguments).
llvm::IRBuilder<> builder_after(llvm::Value &value, llvm::Function &function);

// Returns a constant vector of `lanes`, such as <0, d, 2d, ...>.
llvm::Constant *constant_lanes(llvm::Type *scalar, llvm::ArrayRef<int64_t> lanes);

} // namespace lockstep::compiler
