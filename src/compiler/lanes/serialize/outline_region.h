// Moves a region of the control flow into a function, which packetize calls for one active lane
// after the other.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class BasicBlock;
} // namespace llvm

namespace lockstep::compiler {

// `blocks` are entered only from `before`, at blocks.front(), and left only to `after`, which has
// one predecessor. `before` ends with an unconditional branch to blocks.front(). `reason` is for
// the remark on the call.
void outline_region(llvm::BasicBlock &before, llvm::ArrayRef<llvm::BasicBlock *> blocks,
                    llvm::BasicBlock &after, llvm::StringRef reason);

} // namespace lockstep::compiler
