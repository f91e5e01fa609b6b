// Expands copies, moves and fills of private memory into loads and stores of words.
//
// Input:  the kernel of one work-item. Structures are copied by llvm.memcpy or memmove between any
//         two address spaces, and loops have become llvm.memset.
// Output: none of these intrinsics on a private variable that may be interleaved. A small constant
//         size adds no control flow.
//
// interleave-private spreads a private variable over the lanes if all its elements have one size,
// unless an operation needs it in one piece, as a copy does. So copies of such variables become
// words of that size. LLVM's expansion would copy bytes here and does not support moves between
// address spaces. Other copies remain: packetize makes one copy per lane, or a single one if the
// lanes' pieces are contiguous.
//
// Runs before split-vectors. Does nothing if the sub-group has one lane, since the code generator
// lowers the intrinsics.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ExpandCopiesPass : public llvm::PassInfoMixin<ExpandCopiesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
