// Finds arguments that the kernel only updates, of which each worker may have a copy (compiler/worker_copies.h).
//
// Input:  the kernel of one work-item, after mark-waits.
// Output: the updates of such arguments have the metadata `lockstep.worker.copy`, with the argument's number, and the arguments stand in the module's
//         `lockstep.worker.copies`; the memory that the argument points to will be the worker's, so
//         lower-group-atomics makes plain operations of what is marked. Without marks nothing is said and all stays.
//
// What must be true of the argument: it is a pointer to global memory, and all that is done with it, at whatever distance,
// are atomic updates of one kind and size that are relaxed, not volatile by themselves (those of OpenCL C 1.x are for the
// sake of their type), and whose results nobody uses; or it is compared with null, or beside it lies what is known of its bits. What only the work-group may look at
// (atomic_scope.h) is plain without a copy. So nothing in this launch can tell
// when an update gets to memory. Others can (kernels of other queues), but relaxed updates may take their time, as long as
// that ends: so not in a kernel that waits, in which the end may hang on them. Nor may the kernel have a fence or an access
// that orders more: who sees what comes behind it must see the updates before it.
//
// After mark-waits, which decides about the form; before lanes, which are to combine or repeat what is marked as it is.
#pragma once

#include "compiler/worker_copies.h"

#include "llvm/IR/PassManager.h"

#include <vector>

namespace lockstep::compiler {

class WorkerCopiesPass : public llvm::PassInfoMixin<WorkerCopiesPass> {
public:
  // A bit for each argument that the launch makes no copies of; of the first ones alone there are any.
  explicit WorkerCopiesPass(uint64_t refused = 0, uint32_t most_arguments = most_copied_arguments)
      : refused_(refused), most_arguments_(most_arguments) {}
  llvm::PreservedAnalyses run(llvm::Function &kernel, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  uint64_t refused_;
  uint32_t most_arguments_;
};

// Those that were found and not refused, by argument.
std::vector<WorkerCopy> worker_copies(const llvm::Module &module);

} // namespace lockstep::compiler
