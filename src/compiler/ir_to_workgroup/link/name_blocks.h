// Gives blocks that are enqueued their names in place of their addresses.
//
// Input:  a program in kernel IR. clang passes the address of a block's kernel to what enqueues it.
// Output: a constant with the kernel's name stands in its place, by which the launch finds it (device_enqueue_abi.h). What a
//         block has captured is known to stay as it is.
//
// Each kernel is compiled by itself, so the block has no address in the code of those that enqueue it. Before what is not
// used is dropped: a block is not part of a kernel that enqueues it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NameBlocksPass : public llvm::PassInfoMixin<NameBlocksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
