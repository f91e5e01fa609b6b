// Division of vectors of integers, which no CPU of ours has: done in floating point.
//
// LLVM would take the vector apart and divide lane by lane. 32-bit numbers are exact as double, and
// a correctly rounded quotient of two of them is never rounded up to the next integer: below it, it
// is at least 1/divisor away, and rounding moves it by less than dividend * 2^-53 / divisor. The
// same holds for 16-bit numbers as float. Where the divisor is the same in all lanes, its
// reciprocal is multiplied, one unit in the last place too large: so exact quotients do not fall
// below themselves, and the others (dividend * 2^-51 < 1) still do not reach the next integer.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

// The quotient or remainder (UDiv, SDiv, URem, SRem) of vectors of integers; null where this way
// does not exist (more than 32 bits). A divisor of 0, or -1 under the least number, gives poison
// in its lane and no trap. `divisor_of_all`: the scalar divisor if all lanes have the same.
llvm::Value *divide_by_floats(llvm::IRBuilderBase &builder, llvm::Instruction::BinaryOps operation,
                              llvm::Value *dividend, llvm::Value *divisor,
                              llvm::Value *divisor_of_all);

} // namespace lockstep::compiler
