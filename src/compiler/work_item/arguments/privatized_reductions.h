// Finds pointers through which the kernel only updates, so that each worker can have a private copy
// of their memory (abi/privatized_reductions.h).
//
// Requires: the kernel of one work-item, after mark-waits.
// Ensures: the updates through such pointers have the metadata `lockstep.privatized` with the
// pointer's argument and member, and the module's `lockstep.privatized.arguments` lists the
// pointers. They point to the worker's memory at run time, so lower-group-atomics makes the marked
// updates plain.
//
// The pointer is an argument for global memory, or a member of a struct argument. All its uses are
// atomic updates of one kind and size with unused results, comparisons with null, and accesses to
// its shadow bits. Updates that only the work-group can observe (atomic_scope.h) are plain without
// a copy. The list says which bytes the updates reach, if their indices have known bounds.
//
// Updates may be delayed for a finite time, since this launch cannot observe them, but their order
// must stay. Kernels that wait are excluded, and those with fences or orders stronger than relaxed,
// unless only the updates have them (docs/decisions/0016-worker-copies.md).
//
// Position: after mark-waits, which selects the form; before lanes, which combines or repeats
// marked updates.
#pragma once

#include "abi/privatized_reductions.h"

#include "llvm/IR/PassManager.h"

#include <vector>

namespace lockstep::compiler {

class PrivatizedReductionsPass : public llvm::PassInfoMixin<PrivatizedReductionsPass> {
public:
  // `unprivatized`: the bits (PrivatizedReduction::bit) of pointers that the launch does not
  // privatize. Only pointers with bits below `most_arguments` are privatized, and only arguments
  // unless `has_members`.
  explicit PrivatizedReductionsPass(uint64_t unprivatized = 0,
                                    uint32_t most_arguments = most_privatized_arguments,
                                    bool has_members = true)
      : unprivatized_(unprivatized), most_arguments_(most_arguments), has_members_(has_members) {}
  llvm::PreservedAnalyses run(llvm::Function &kernel, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  uint64_t unprivatized_;
  uint32_t most_arguments_;
  bool has_members_;
};

// The privatized pointers: arguments in their order, then members.
std::vector<PrivatizedReduction> privatized_reductions(const llvm::Module &module);

} // namespace lockstep::compiler
