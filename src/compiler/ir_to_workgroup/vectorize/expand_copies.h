// Turns private memory that is copied, moved or filled as a whole into loads and stores of words.
//
// Input:  the kernel of one work-item, in which structures are copied by llvm.memcpy or memmove,
//         between any two address spaces, and loops have become llvm.memset.
// Output: none of these intrinsics on a private variable that may be interleaved; where the size is
//         a small constant, no new control flow.
//
// Elsewhere a structure lies in one piece, and nothing moves it faster than a copy for each lane, or
// one for all where they are neighbours; packetize does that. A private variable of which all
// elements have one size is spread over the lanes (interleave-private), unless something needs it in
// one piece, as a copy does. So copies of those become words of that size. It is not LLVM's
// expansion, which goes byte by byte here, and which refuses to move between address spaces.
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
