// Replaces gathers (or scatters) of consecutive elements by loads (or stores) of each lane's row.
//
//     for (k = 0; k < 16; k++) sum += a[row * 16 + k]; // unrolled
//
// transpose_columns.cpp says why. This is the case without a loop.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

class IndexExpressions;

// Replaces at least four unmasked accesses of one block, if nothing between them could access the
// same memory. Returns whether the function changed.
bool transpose_straight_columns(llvm::Function &function, IndexExpressions &expressions);

} // namespace lockstep::compiler
