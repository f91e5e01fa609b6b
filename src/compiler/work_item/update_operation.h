// The operations of atomic updates: which instruction, intrinsic or comparison of an old value with
// another one is which update.
//
// Requires: instructions after scalar optimization.
// Ensures: a floating-point sum or product is an update only with `reassoc`, since updates are
// combined. LLVM has no atomic product; it is an operation of ours (kernel_ir/atomic_multiply.h).
#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

#include <optional>

namespace lockstep::compiler {

struct UpdateOperation {
  std::optional<llvm::AtomicRMWInst::BinOp> update; // null: a product
  llvm::Value *operand = nullptr;
};

// Without casts between integers and floating-point numbers of the same bits.
llvm::Value *bits_of(llvm::Value *value);

// The update that a minimum or maximum is; null for other intrinsics.
std::optional<llvm::AtomicRMWInst::BinOp> update_of(llvm::Intrinsic::ID intrinsic);

// The update that stores `value` if `value <predicate> old`.
std::optional<llvm::AtomicRMWInst::BinOp> update_if(llvm::CmpInst::Predicate predicate);

// The operation of a binary instruction whose operands may be exchanged.
std::optional<UpdateOperation> commutative_update(const llvm::Instruction &operation,
                                                  llvm::Value *operand);

// `old << bits` as a product.
UpdateOperation product_of_shift(const llvm::ConstantInt &bits);

} // namespace lockstep::compiler
