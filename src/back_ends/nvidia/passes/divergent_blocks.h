// Finds the blocks that some lanes of a warp may execute without the others.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
} // namespace llvm

namespace lockstep::compiler {

llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_blocks(llvm::Function &function);

} // namespace lockstep::compiler
