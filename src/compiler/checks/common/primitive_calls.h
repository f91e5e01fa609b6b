// Helpers that insert calls of primitives into a checked kernel.
#pragma once

#include "kernel_ir/primitives.h"

#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

llvm::CallInst *call_named(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments);
llvm::CallInst *call_primitive(llvm::IRBuilder<> &builder, Primitive primitive, llvm::Type *result,
                               llvm::ArrayRef<llvm::Value *> arguments);

// Queries a 64-bit value that does not change while the work-item runs.
llvm::CallInst *query_constant(llvm::IRBuilder<> &builder, Primitive primitive,
                               llvm::ArrayRef<llvm::Value *> arguments);

// The work-item's linear local id.
llvm::Value *linear_local_id(llvm::IRBuilder<> &builder);

} // namespace lockstep::compiler
