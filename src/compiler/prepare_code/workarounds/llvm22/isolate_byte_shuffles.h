// Separates shuffles of 64 bytes from the operations that compute the bytes.
//
// LLVM 22's code generator for AVX-512 does not terminate on a shuffle that takes only a part of
// the bytes of one <64 x i8>, if arithmetic, a select or a minimum computed that vector.
// `shufflevector (x & 1), 0 0 1 1 2 2 ...` is an example (in plain C as well). Empty inline
// assembly, which emits no instruction, separates the two.
//
// Requires: any function.
// Ensures: the operands of shuffles of i8 whose length is a multiple of 64 pass through assembly,
// 64 bytes at a time, unless they are loaded.
//
// Position: last, since earlier passes can look through shuffles.
//
// Upstream: perhaps llvm/llvm-project#224266;
// tests/passes/isolate-byte-shuffles/llvm_still_needs_it.ll holds the text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class IsolateByteShufflesPass : public llvm::PassInfoMixin<IsolateByteShufflesPass> {
public:
  explicit IsolateByteShufflesPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
