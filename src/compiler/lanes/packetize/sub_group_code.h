// Emits sub-group operations: the input is a vector over the lanes, the result a vector or a
// uniform scalar.
//
// Inactive lanes hold any value, poison included. Reductions, scans and ballots first replace it by
// the operation's identity. They need no branch and no loop over lanes, and are correct in
// divergent code and in partial sub-groups. The result of a scan is defined in inactive lanes as
// well: the device library reads a sub-group's total from the last lane.
#pragma once

#include "kernel_ir/primitives.h"

#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

// The identity element of the operation.
llvm::Constant *identity_of(CombineOperation operation, llvm::Type *scalar);

// Combines two scalars or two vectors.
llvm::Value *combine(llvm::IRBuilderBase &builder, CombineOperation operation, llvm::Value *one,
                     llvm::Value *other);

class SubGroupCode {
public:
  // `mask`: <W x i1>, or null if all lanes are active. `register_bits`: width of the largest vector
  // register.
  SubGroupCode(llvm::IRBuilderBase &builder, unsigned width, llvm::Value *mask,
               unsigned register_bits)
      : builder_(builder), width_(width), mask_(mask), register_bits_(register_bits) {}

  // Returns an i64: bit l is lane l's condition, 0 where the lane is inactive.
  llvm::Value *ballot(llvm::Value *condition);
  // Returns the scalar value of `lane` (i32). Only its low bits count, so that it is always in
  // range.
  llvm::Value *element(llvm::Value *lanes, llvm::Value *lane);
  llvm::Value *shuffle(llvm::Value *lanes, llvm::Value *from);
  llvm::Value *shuffle(llvm::Value *lanes, llvm::ArrayRef<int64_t> from);
  llvm::Value *reduce(CombineOperation operation, llvm::Value *lanes); // returns a scalar
  // Reduces each cluster of `size` neighboring lanes (a power of two) separately.
  llvm::Value *reduce_clusters(CombineOperation operation, llvm::Value *lanes, unsigned size);
  llvm::Value *scan(CombineOperation operation, llvm::Value *lanes, bool is_exclusive);

private:
  llvm::Value *fill_inactive(CombineOperation operation, llvm::Value *lanes);
  llvm::Value *settled(llvm::Value *lanes);
  llvm::Value *slice(llvm::Value *lanes, unsigned first, unsigned length);

  llvm::IRBuilderBase &builder_;
  unsigned width_;
  llvm::Value *mask_;
  unsigned register_bits_;
};

// Returns the result of a sub-group operation in a sub-group of one work-item; null if it has none.
llvm::Value *emit_for_one_lane(llvm::IRBuilderBase &builder, llvm::CallInst &call);

// The constant argument that selects the operation.
CombineOperation operation_of(const llvm::CallInst &call);

} // namespace lockstep::compiler
