// The page that lists what happens to a kernel on its way to a work-group function for the CPU.
#pragma once

#include "compiler/ir_to_workgroup/pipeline.h"

namespace lockstep::compiler {

struct WorkGroupResult {
  uint64_t stack_size = 0; // bytes the function may need
  uint32_t sub_group_size = 1;
  bool size_is_free = false; // another sub-group size would do
  std::array<uint32_t, 3> groups_at_once = single_group, calls_per_group{1, 1, 1};
  uint32_t first_dimension = 0;   // in which groups run one after the other
  uint64_t local_memory_size = 0; // of variables, bytes
  bool is_resumable = false;      // then the module has the functions of resumable_abi.h instead
  ResumableCode resumable;        // but for the functions
  std::vector<std::string> remarks;
  std::vector<int64_t> suppositions; // of checked code (suppositions.h)
  std::vector<WorkerCopy> worker_copies;
  PointerMembers pointer_members; // of code that follows undefined values
};

Pipeline cpu_pipeline();

// Transforms `module` (a whole program) in place into one with `void @lockstep.workgroup(ptr launch, ptr group)`.
Result<WorkGroupResult> build_work_group_function(llvm::Module &module, llvm::TargetMachine &target,
                                                  const WorkGroupOptions &options,
                                                  const StageListener *listener);

} // namespace lockstep::compiler
