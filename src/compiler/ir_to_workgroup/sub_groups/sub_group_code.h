// The code of sub-group operations: vectors over the lanes in, vectors or one scalar for all lanes
// out.
//
// Lanes that are not active hold anything, poison included. Reductions, scans and ballots give them
// the operation's identity first; so they need no branch and no loop over lanes, and are right in
// divergent code and in a sub-group that is not full. A scan is defined in these lanes as well (the
// device library reads a sub-group's total from the last one).
#pragma once

#include "compiler/kernel_ir/primitives.h"

#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

// The value that changes nothing.
llvm::Constant *identity_of(CombineOperation operation, llvm::Type *scalar);

// Of two scalars or two vectors.
llvm::Value *combine(llvm::IRBuilderBase &builder, CombineOperation operation, llvm::Value *one,
                     llvm::Value *other);

class SubGroupCode {
public:
  // `mask`: <W x i1>, or null if all lanes are active. `register_bits`: of the widest vector
  // register.
  SubGroupCode(llvm::IRBuilderBase &builder, unsigned width, llvm::Value *mask,
               unsigned register_bits)
      : builder_(builder), width_(width), mask_(mask), register_bits_(register_bits) {}

  // i64: bit l is lane l's condition, 0 where the lane is not active.
  llvm::Value *ballot(llvm::Value *condition);
  // A scalar. `lane` is one, i32; only its low bits count, so that no lane is out of range.
  llvm::Value *element(llvm::Value *lanes, llvm::Value *lane);
  llvm::Value *shuffle(llvm::Value *lanes, llvm::Value *from);
  llvm::Value *shuffle(llvm::Value *lanes, llvm::ArrayRef<int64_t> from);
  llvm::Value *reduce(CombineOperation operation, llvm::Value *lanes); // a scalar
  // Each cluster of `size` neighbours (a power of two) by itself.
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

// What a sub-group operation gives where a sub-group is one work-item; null if it has no result.
llvm::Value *emit_for_one_lane(llvm::IRBuilderBase &builder, llvm::CallInst &call);

// The constant argument that says which operation.
CombineOperation operation_of(const llvm::CallInst &call);

} // namespace lockstep::compiler
