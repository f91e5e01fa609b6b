// Turns memory that is copied, moved or filled as a whole into loads and stores of words, which the
// passes behind it turn into vectors over the lanes like all others.
//
// Input:  the kernel of one work-item, in which structures are copied by llvm.memcpy or memmove,
//         between any two address spaces, and loops have become llvm.memset.
// Output: none of these intrinsics; where the size is a small constant, no new control flow.
//
// A word is as large as what else is loaded from and stored to the memory, as far as that can be
// seen: a private array whose elements all have one size is interleaved, and the fields of
// structures that lie next to each other in several lanes become wide accesses with shuffles. So it
// is not LLVM's expansion, which goes byte by byte here, and which refuses to move between address
// spaces.
//
// Before split-vectors. Does nothing where the sub-group has one lane: the code generator knows the
// intrinsics.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ExpandCopiesPass : public llvm::PassInfoMixin<ExpandCopiesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
