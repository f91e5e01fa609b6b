// Assigns each local variable its offset in the group's local memory.
//
// Requires: @lockstep.workgroup; local variables are addrspace(3) globals.
// Ensures: no addrspace(3) global is left; uses address GroupInfo::local_memory plus an offset. The
// layout is in module order, each variable at its own alignment. It fits in
// KernelInfo::local_memory_size, which also counts variables that optimization removed, unless
// coalesce-work-groups made copies. A function attribute records the size.
//
// Position: last, after optimization: two globals are known not to alias, two offsets from one
// pointer often are not.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Keeps optimization from raising the alignment of local variables, which would break the layout
// above.
class PinLocalMemoryPass : public llvm::PassInfoMixin<PinLocalMemoryPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// The bytes of local variables in the layout of place-local-memory.
uint64_t local_memory_size(const llvm::Function &function);

class PlaceLocalMemoryPass : public llvm::PassInfoMixin<PlaceLocalMemoryPass> {
public:
  // `with_out_of_line_functions`: runs before optimization, only in modules with out-of-line functions.
  // Optimization would propagate the variables into these functions as constants, but only the
  // kernel knows the variables' addresses.
  enum class When { always, with_out_of_line_functions };
  explicit PlaceLocalMemoryPass(When when = When::always) : when_(when) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  When when_;
};

} // namespace lockstep::compiler
