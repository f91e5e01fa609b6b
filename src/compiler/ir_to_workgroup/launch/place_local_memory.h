// Gives each local variable its place in the group's local memory.
//
// Input:  @lockstep.workgroup; local variables are addrspace(3) globals.
// Output: no addrspace(3) global is left; uses address GroupInfo::local_memory plus an offset. The
//         layout (module order, each variable at its own alignment) stays within
//         KernelInfo::local_memory_size, which counts all variables, also those that optimisation
//         removed, unless join-work-groups made copies. How much it is stands in a function
//         attribute.
//
// Last, after optimisation: two globals are known not to alias, two offsets from one pointer often
// are not.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Keeps optimisation from raising the alignment of local variables, which would break the layout
// promise above.
class PinLocalMemoryPass : public llvm::PassInfoMixin<PinLocalMemoryPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// Bytes of local variables, as place-local-memory laid them out.
uint64_t local_memory_size(const llvm::Function &function);

class PlaceLocalMemoryPass : public llvm::PassInfoMixin<PlaceLocalMemoryPass> {
public:
  // Beside functions that are kept it has to be before optimisation, which would give them the variables as constants:
  // only the kernel knows where they are.
  enum class When { always, beside_kept_functions };
  explicit PlaceLocalMemoryPass(When when = When::always) : when_(when) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  When when_;
};

} // namespace lockstep::compiler
