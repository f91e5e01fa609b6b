// Keeps loads of 8 and 16 bits from being merged into the lower part of a register.
//
// For `(x & ~255) | zext (load i8)`, LLVM 22's code generator for x86 loads the byte into the
// register of x, in 32 bits and in 64. If the 32 bits are then extended to 64, LLVM assumes that an
// instruction which clears the upper half produced them. But x may be a truncated 64-bit value
// whose upper half is still there (in plain C++ as well). If the merge sees the load only through a
// freeze, the load is a separate instruction. That costs nothing, as it avoids a partial register
// merge.
//
// Position: last, since earlier passes create such merges from shifts, structures and conversions.
//
// Upstream: llvm/llvm-project#205291, fixed by #205600.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class KeepLoadsOutOfMergesPass : public llvm::PassInfoMixin<KeepLoadsOutOfMergesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
