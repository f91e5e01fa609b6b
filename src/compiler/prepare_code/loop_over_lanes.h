// Strip-mines arithmetic on very wide vectors into loops over register-sized slices.
//
// A vector of 64 doubles is 32 registers on a processor that has 16. The code generator emits each
// operation 32 times and spills what is live between two operations. A kernel of 16,000
// instructions became 800,000, more than half of them moves; its instruction selection and register
// allocation took half a minute. Kernels whose sub-group size is free get fewer lanes instead
// (compile.cpp). This pass handles those with a required size.
//
// Requires: any function of vector code. The pass changes only kernels that must keep their lanes,
// and only functions whose arithmetic costs more than `most_in_line` by LLVM's cost model.
// Ensures: groups of elementwise operations of a block become a loop over slices of as many lanes
// as a register holds floats. Their inputs and outputs are in memory, where they would have been
// spilled. Memory accesses and operations across lanes do not move; an elementwise operation may
// move down to the user of its result.
//
// Position: after the passes that match patterns in straight code; before outline-lane-code, which
// counts what is left.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LoopOverLanesPass : public llvm::PassInfoMixin<LoopOverLanesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
