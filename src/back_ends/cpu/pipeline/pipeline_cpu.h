// The CPU pipeline: lists all stages from a kernel to its work-group function.
#pragma once

#include "abi/assumptions.h"
#include "abi/pointer_members.h"
#include "abi/privatized_reductions.h"
#include "abi/resumable_abi.h"
#include "compiler/pipelines/pipeline.h"
#include "compiler/pipelines/stage_listener.h"
#include "support/result.h"

namespace lockstep::compiler {

struct WorkGroupResult {
  uint64_t stack_size = 0; // bytes the function may need
  uint32_t sub_group_size = 1;
  bool size_is_free = false; // the kernel would also work with another sub-group size
  std::array<uint32_t, 3> groups_at_once = single_group, calls_per_group{1, 1, 1};
  // Traversal order: consecutive groups of this dimension run one after the other.
  uint32_t first_dimension = 0;
  uint64_t local_memory_size = 0; // of variables, bytes
  bool is_resumable = false;      // then the module has the functions of resumable_abi.h instead
  ResumableCode resumable;        // without the functions
  std::vector<std::string> remarks;
  std::vector<int64_t> suppositions; // of checked code (abi/assumptions.h)
  std::vector<WorkerCopy> worker_copies;
  PointerMembers pointer_members; // of code that tracks undefined values
};

Pipeline cpu_pipeline();

// Transforms `module` (a whole program) in place into a module with `void @lockstep.workgroup(ptr
// launch, ptr group)`.
Result<WorkGroupResult> build_work_group_function(llvm::Module &module, llvm::TargetMachine &target,
                                                  const WorkGroupOptions &options,
                                                  const StageListener *listener);

} // namespace lockstep::compiler
