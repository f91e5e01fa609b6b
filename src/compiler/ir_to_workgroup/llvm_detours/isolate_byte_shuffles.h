// Keeps shuffles of 64 bytes apart from what computes the bytes.
//
// The code generator of LLVM 22 for AVX-512 comes to no end over a shuffle of one <64 x i8> that
// arithmetic, a select or a minimum has made, where it takes only a part of the bytes, as
// `shufflevector (x & 1), 0 0 1 1 2 2 ...` does (in plain C as well). An empty piece of assembly,
// which has no instruction, stands between the two.
//
// Input:  any function.
// Output: the operands of shuffles with whole multiples of 64 elements of i8 went through assembly,
//         64 bytes at a time, unless they are read from memory.
//
// Last: what comes before can look through shuffles.
//
// Upstream: perhaps llvm/llvm-project#224266; tests/passes/isolate-byte-shuffles/llvm_still_needs_it.ll
// holds the text of a report.
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
