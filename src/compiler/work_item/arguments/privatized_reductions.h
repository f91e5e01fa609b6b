// Finds arguments that the kernel only updates, so that each worker can have a private copy
// (abi/privatized_reductions.h).
//
// Requires: the kernel of one work-item, after mark-waits.
// Ensures: the updates of such arguments have the metadata `lockstep.privatized` with the
// argument's number, and the module's `lockstep.privatized.arguments` lists the arguments. At run time
// these arguments point to memory of the worker, so lower-group-atomics makes the marked updates
// plain. Other kernels do not change.
//
// The argument is a pointer to global memory. Its uses, at any offset, are atomic updates of one kind
// and size, whose results are unused and which are volatile only by their OpenCL C 1.x
// type. Comparisons with null and accesses to its shadow bits are allowed, too. Updates that only
// the work-group can observe (atomic_scope.h) are plain without a copy.
//
// So nothing in this launch can observe when an update reaches memory. Other queues' kernels can,
// but updates may be delayed for a finite time. The pass therefore excludes kernels that wait, whose
// end may depend on an update. It also excludes kernels with fences or orders stronger than relaxed:
// a thread that sees a later write must see the updates before it. The updates of one argument may
// have such orders if nothing else does. No work-item can conclude anything from an update whose
// result is unused. A thread that sees the updates of a worker sees all that the worker wrote before
// them, since the worker adds its copy last, by ordered updates.
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
  // `refused`: bit i is set if the launch does not privatize argument i. Only the first arguments
  // can be privatized.
  explicit PrivatizedReductionsPass(uint64_t refused = 0,
                                    uint32_t most_arguments = most_privatized_arguments)
      : refused_(refused), most_arguments_(most_arguments) {}
  llvm::PreservedAnalyses run(llvm::Function &kernel, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  uint64_t refused_;
  uint32_t most_arguments_;
};

// The privatized arguments, ordered by argument.
std::vector<PrivatizedReduction> privatized_reductions(const llvm::Module &module);

} // namespace lockstep::compiler
