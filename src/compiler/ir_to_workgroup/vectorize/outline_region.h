// Moves a part of the control flow into a function of its own, which packetize calls for one active
// lane after the other.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class BasicBlock;
} // namespace llvm

namespace lockstep::compiler {

// `blocks`: entered from `before` only, at blocks.front(), and left to `after` only, which has one
// predecessor. `before` ends with a plain branch there. `reason`: for the remark on the call.
void outline_region(llvm::BasicBlock &before, llvm::ArrayRef<llvm::BasicBlock *> blocks,
                    llvm::BasicBlock &after, llvm::StringRef reason);

} // namespace lockstep::compiler
