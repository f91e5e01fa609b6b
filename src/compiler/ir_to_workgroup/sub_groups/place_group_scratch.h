// Gives work-group collectives their scratch memory.
//
// Input:  the kernel with its device library linked; collectives ask `__lockstep_group_scratch`.
// Output: the answer is a local variable of its own, the last one of the module, large enough for a
//         partial result of each sub-group of the largest work-group. KernelInfo::local_memory_size
//         has counted it where the kernel calls a collective (source_to_ir).
//
// Before pin-local-memory, which treats it like the kernel's own local variables; local memory and
// not the stack, because in the resumable form each sub-group has a stack of its own.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PlaceGroupScratchPass : public llvm::PassInfoMixin<PlaceGroupScratchPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
