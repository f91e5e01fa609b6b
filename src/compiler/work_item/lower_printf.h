// Replaces calls of printf by calls of the primitive __lockstep_printf.
//
// Requires: kernel IR with variadic calls `i32 @printf(ptr addrspace(2) format, ...)`.
// Ensures: no call of printf is left. Arguments are stored in a block on the stack, each at the
// next multiple of its packed size; the call passes a pointer to the block and its size.
//
// Machine code cannot call a variadic function with OpenCL's vectors; the block has the same layout
// everywhere. A constant format determines the size of each argument, since device_printf.h reads
// by the format. Arguments of another integer or floating-point size are converted. So `%d` with a
// size_t, undefined but common, corrupts neither itself nor later arguments.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerPrintfPass : public llvm::PassInfoMixin<LowerPrintfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
