// Divides vectors of integers in floating point, as the supported CPUs have no integer vector
// division.
//
// LLVM would divide element by element instead. 32-bit integers are exact as double. A correctly
// rounded quotient is never rounded up to the next integer: it is at least 1/divisor below it, and
// rounding moves it by less than dividend * 2^-53 / divisor. The same holds for 16-bit integers as
// float.
//
// For a uniform divisor, the code multiplies by a reciprocal that is one unit in the last place too
// large. Exact quotients then do not fall below their value, and the others (dividend * 2^-51 < 1)
// still do not reach the next integer.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

// Returns the quotient or remainder (UDiv, SDiv, URem, SRem) of integer vectors, or null for
// elements of more than 32 bits. A divisor of 0, or -1 for the least integer, gives poison in its
// lane and does not trap. `divisor_of_all`: the scalar divisor if it is uniform, else null.
llvm::Value *divide_by_floats(llvm::IRBuilderBase &builder, llvm::Instruction::BinaryOps operation,
                              llvm::Value *dividend, llvm::Value *divisor,
                              llvm::Value *divisor_of_all);

} // namespace lockstep::compiler
