// Replaces the addresses of enqueued blocks by their names.
//
// Requires: a program in kernel IR. clang passes the address of a block's kernel to the function
// that enqueues it.
// Ensures: a constant with the kernel's name replaces the address; the launch finds the kernel by
// it (device_enqueue_abi.h). The captures of a block are marked as read-only.
//
// Each kernel is compiled separately, so a block has no address in the code of the kernels that
// enqueue it.
//
// Position: before unused code is dropped: a block is not part of a kernel that enqueues it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NameBlocksPass : public llvm::PassInfoMixin<NameBlocksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
