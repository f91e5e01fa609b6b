// Lets many lanes be a few at a time: arithmetic of wide vectors becomes loops over parts of them.
//
// A vector of 64 doubles is 32 registers on a processor that has 16. The code generator writes each operation 32 times and
// keeps what is between two of them on the stack; a kernel of 16,000 instructions became 800,000, more than half of which
// were moves, and its register allocation and selection took half a minute. Kernels that may choose their size get
// fewer lanes then (compile.cpp). Those that require it had nothing.
//
// Input:  any function of vector code. Only kernels that must keep their lanes are changed, and only functions of them
//         whose arithmetic costs more than `most_in_line`, as LLVM counts.
// Output: element-wise operations of a block that belong together are a loop over as many lanes at a time as a register
//         holds floats. What goes in and comes out lies in variables, where it would have been spilt. Nothing that touches
//         memory or looks across lanes changes its place; an operation may move down to where its result is needed.
//
// After the passes that look for patterns in straight code, before outline-lane-code, which counts what is left for it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LoopOverLanesPass : public llvm::PassInfoMixin<LoopOverLanesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
