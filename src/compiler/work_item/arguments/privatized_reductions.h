// Finds arguments that the kernel only updates, so that each worker can have a private copy
// (abi/privatized_reductions.h).
//
// Requires: the kernel of one work-item, after mark-waits.
// Ensures: the updates of such arguments have the metadata `lockstep.privatized` with the
// argument's number, and the module's `lockstep.privatized.arguments` lists the arguments. They
// point to the worker's memory at run time, so lower-group-atomics makes the marked updates plain.
//
// The argument is a pointer to global memory. All its uses are atomic updates of one kind and size
// with unused results, comparisons with null, and accesses to its shadow bits. Updates that only
// the work-group can observe (atomic_scope.h) are plain without a copy.
//
// So this launch cannot observe when an update reaches memory. Other kernels can, but updates may
// be delayed for a finite time. Therefore the pass excludes kernels that wait, whose end may depend
// on an update. It also excludes kernels with fences or orders stronger than relaxed, unless only
// the updates have them: a thread that sees a later write must see the updates before it. The
// worker adds its copy last, by ordered updates.
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
  // `unprivatized`: bit i is set if the launch does not privatize argument i. Only the first arguments
  // can be privatized.
  explicit PrivatizedReductionsPass(uint64_t unprivatized = 0,
                                    uint32_t most_arguments = most_privatized_arguments)
      : unprivatized_(unprivatized), most_arguments_(most_arguments) {}
  llvm::PreservedAnalyses run(llvm::Function &kernel, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  uint64_t unprivatized_;
  uint32_t most_arguments_;
};

// The privatized arguments, ordered by argument.
std::vector<PrivatizedReduction> privatized_reductions(const llvm::Module &module);

} // namespace lockstep::compiler
