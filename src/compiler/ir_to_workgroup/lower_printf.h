// Replaces calls of printf by calls of the primitive __lockstep_printf.
//
// Input:  kernel IR with variadic calls `i32 @printf(ptr addrspace(2) format, ...)`.
// Output: no call of printf; arguments are stored into a block on the stack, each at the next
//         multiple of its packed size, and a pointer to the block and its size are passed.
//
// No machine code could call a variadic function with OpenCL's vectors; the block has one layout
// for all. Where the format is a constant it decides the size of each argument (device_printf.h
// reads by the format): an argument of another integer or floating-point size is converted, so that
// `%d` with a size_t, undefined but common, spoils neither itself nor what follows.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerPrintfPass : public llvm::PassInfoMixin<LowerPrintfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
