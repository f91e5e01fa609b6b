// Evaluates an integer instruction whose operands are known. LLVM's constant folder needs the
// operands as constants of a context, which is slow for each work-item.
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace llvm {
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

// True if `evaluate` supports the instruction: operands and result are integers of at most 64 bits.
bool is_computable(const llvm::Instruction &instruction);
// The operands without the function that it calls.
unsigned operands_of(const llvm::Instruction &instruction);

// Nullopt: the result is poison or undefined behavior. Requires is_computable(). Of a call, the
// operands are the arguments.
std::optional<llvm::APInt> evaluate(const llvm::Instruction &instruction,
                                    llvm::ArrayRef<llvm::APInt> operands);

} // namespace lockstep::compiler
