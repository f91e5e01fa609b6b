// Atomic multiplications: calls of __lockstep_atomic_multiply_<T>(pointer, value, ordering), which
// multiply an element of global memory and return nothing. LLVM has no such update.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/AtomicOrdering.h"

#include <cstdint>
#include <optional>

namespace llvm {
class CallInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct AtomicMultiply {
  llvm::Value *pointer = nullptr, *value = nullptr; // an i32, i64, float or double
  llvm::AtomicOrdering ordering = llvm::AtomicOrdering::Monotonic;
  bool is_of_device = false; // the scope is "device" (atomic_scope.h), so it excludes the host

  // In the operand of the ordering.
  static constexpr uint64_t device_flag = 0x100;
  static constexpr unsigned pointer_operand = 0, value_operand = 1, ordering_operand = 2;
};

// The multiplication that the instruction is, if it is one.
std::optional<AtomicMultiply> atomic_multiply(const llvm::Instruction &instruction);

llvm::CallInst *create_atomic_multiply(llvm::IRBuilderBase &builder,
                                       const AtomicMultiply &multiply);

// Replaces the call by plain instructions. Only this thread may access the element meanwhile.
void lower_to_plain_multiply(llvm::CallInst &call);
// Replaces the call by a loop that swaps.
void lower_to_swap_loop(llvm::CallInst &call);

} // namespace lockstep::compiler
