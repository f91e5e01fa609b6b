// Keeps loads of 8 and 16 bits from being read straight into the lower part of a register.
//
// For `(x & ~255) | zext (load i8)` the code generator of LLVM 22 for x86 reads the byte into the register of x, in 32 bits
// and in 64. Where the 32 bits are extended to 64 behind it, it believes that they came from an instruction that clears
// the upper half, but x may have been cut out of 64 bits, and then that half is still there (in plain C++ as well). A load
// that the merge only sees through a freeze is an instruction of its own, which costs nothing: it spares the merge of
// registers.
//
// Last: what comes before makes such merges of shifts, structures and conversions.
//
// Upstream: llvm/llvm-project#205291, mended by #205600.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class KeepLoadsOutOfMergesPass : public llvm::PassInfoMixin<KeepLoadsOutOfMergesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
