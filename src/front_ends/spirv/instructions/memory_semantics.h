// Scopes and memory semantics as the arguments that OpenCL C's functions have for them: memory_scope,
// memory_order and cl_mem_fence_flags. All are ids in SPIR-V, and kernels may compute them.
//
// The scope of memory: LLVM 22 writes scope Workgroup for atomic_fetch_add(p, 1) and for the atomics
// of OpenCL C 1.x, Khronos's translator for the latter and for mem_fence. In OpenCL C these are not
// limited to the work-group. So a scope below Device counts for local memory only.
#pragma once

#include "front_ends/spirv/instructions/builtin_calls.h"

namespace lockstep::compiler::spirv {

enum class Access : uint8_t {
  load,
  store,
  any
}; // a load does not release, a store does not acquire

// memory_scope of a scope, as it is.
BuiltinArgument scope_argument(FunctionReader &reader, const Instruction &i, size_t operand);
// memory_scope of an access through this pointer.
BuiltinArgument scope_for(FunctionReader &reader, const Instruction &i, size_t operand,
                          llvm::Value *pointer);
// memory_scope of a fence with these cl_mem_fence_flags.
BuiltinArgument scope_for_flags(FunctionReader &reader, const Instruction &i, size_t operand,
                                llvm::Value *flags);
// memory_order of memory semantics.
BuiltinArgument order_argument(FunctionReader &reader, const Instruction &i, size_t operand,
                               Access access);
// cl_mem_fence_flags of memory semantics.
BuiltinArgument flags_argument(FunctionReader &reader, const Instruction &i, size_t operand);

} // namespace lockstep::compiler::spirv
