// Whether a cycle has a path around one of its blocks.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
}

namespace lockstep::compiler {

// `cycle`: the blocks of a loop or of an irreducible cycle. Whether control flow can stay in them
// forever, and not pass `block`, which is one of them.
bool can_bypass(llvm::ArrayRef<llvm::BasicBlock *> cycle, const llvm::BasicBlock &block);

} // namespace lockstep::compiler
