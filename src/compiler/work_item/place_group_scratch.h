// Allocates the scratch memory of work-group collectives.
//
// Requires: the kernel with its device library linked; collectives call `__lockstep_group_scratch`.
// Ensures: the result is the address of a local variable, the last one of the module. It is large
// enough for a partial result of each sub-group of the largest work-group.
// KernelInfo::local_memory_size includes it if the kernel calls a collective (front_ends).
//
// Position: before pin-local-memory, which treats it like the kernel's own local variables. It is
// not on the stack, because each sub-group has its own stack in the coroutine form.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PlaceGroupScratchPass : public llvm::PassInfoMixin<PlaceGroupScratchPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
