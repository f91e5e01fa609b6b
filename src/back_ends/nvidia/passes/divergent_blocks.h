// Finds the blocks that some work-items of a set may execute without the others.
#pragma once

#include "compiler/analysis/uniformity.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
} // namespace llvm

namespace lockstep::compiler {

llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_blocks(llvm::Function &function,
                                                                 UniformityLevel level);

} // namespace lockstep::compiler
