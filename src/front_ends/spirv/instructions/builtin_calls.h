// Calls of OpenCL C builtins for instructions. A combination of types for which there is no such
// builtin is an error of the program, and found here.
#pragma once

#include "front_ends/spirv/function_reader.h"

namespace lockstep::compiler::spirv {

// A number, vector or opaque type as an argument. If builtins have no parameters of its type, the
// call fails.
BuiltinArgument argument(llvm::Value *value, bool is_signed = true);
BuiltinArgument operand_argument(FunctionReader &reader, const Instruction &i, size_t operand,
                                 bool is_signed = true);
// A pointer; `pointee` is what it points to in the builtin's declaration.
BuiltinArgument pointer_argument(llvm::Value *pointer, const ParameterType &pointee,
                                 unsigned qualifiers = unqualified);

// ErrorKind::build_failure: the device library has no builtin of this name for such arguments.
Result<llvm::Value *> call_checked(FunctionReader &reader, const Instruction &i,
                                   std::string_view name, llvm::Type *result,
                                   llvm::ArrayRef<BuiltinArgument> arguments,
                                   bool is_convergent = false);
// The same for functions without mangled names (pipes, queues), with the types of the arguments.
llvm::Value *call_plain(FunctionReader &reader, std::string_view name, llvm::Type *result,
                        llvm::ArrayRef<llvm::Value *> arguments, bool is_convergent = false);

// ---- conversions that builtins need ----

llvm::Value *to_width(Builder &builder, llvm::Value *integer, unsigned bits); // unsigned
inline llvm::Value *to_32(Builder &builder, llvm::Value *integer) {
  return to_width(builder, integer, 32);
}
inline llvm::Value *to_64(Builder &builder, llvm::Value *integer) {
  return to_width(builder, integer, 64);
}
// Predicates are bool in SPIR-V and int in OpenCL C.
llvm::Value *bool_to_int(Builder &builder, llvm::Value *predicate);
llvm::Value *int_to_bool(Builder &builder, llvm::Value *integer);
llvm::Value *to_generic(Builder &builder, llvm::Value *pointer);

// Applies `operation` to each component and puts the results together as `result`. A scalar is its
// only component.
Result<llvm::Value *>
by_components(Builder &builder, llvm::ArrayRef<llvm::Value *> operands,
              llvm::function_ref<Result<llvm::Value *>(llvm::ArrayRef<llvm::Value *>)> operation);

} // namespace lockstep::compiler::spirv
