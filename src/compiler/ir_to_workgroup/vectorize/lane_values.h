// The values of a kernel during packetise: for each scalar of one work-item, the vector over all
// lanes, or the scalar from which all lanes follow.
#pragma once

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

class LaneValues {
public:
  explicit LaneValues(const LaneShapes &shapes) : shapes_(shapes) {}

  unsigned width() const { return shapes_.width(); }
  const LaneShape &shape(const llvm::Value &value) const { return shapes_.of(value); }

  // T becomes <W x T>; a structure becomes one of vectors.
  llvm::Type *vector_type(llvm::Type *type) const;

  // All lanes as a vector. Made where the value is defined, so it is there for every user.
  llvm::Value *vector(llvm::Value *scalar);
  void set_vector(llvm::Value *scalar, llvm::Value *twin) { vectors_[scalar] = twin; }
  bool has_vector(llvm::Value *scalar) const { return vectors_.contains(scalar); }

  // Lane 0's value of something that has distances; the value itself where uniform.
  llvm::Value *base(llvm::Value *scalar);

  // Phis that base() copied get their operands when all other values exist.
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

// A builder just after a value's definition (in the entry block for arguments).
llvm::IRBuilder<> builder_after(llvm::Value &value, llvm::Function &function);

// <0, d, 2d, ...> and the like: `distances` as a constant vector of `type`'s scalars.
llvm::Constant *constant_lanes(llvm::Type *scalar, llvm::ArrayRef<int64_t> lanes);

} // namespace lockstep::compiler
