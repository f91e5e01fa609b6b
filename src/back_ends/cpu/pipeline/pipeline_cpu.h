// The CPU pipeline: lists all stages from a kernel to its work-group function.
#pragma once

#include "abi/kernel_facts.h"
#include "compiler/pipelines/pipeline.h"
#include "compiler/pipelines/stage_listener.h"
#include "support/result.h"

namespace lockstep::compiler {

struct WorkGroupResult : KernelFacts {
  bool size_is_free = false; // the code is as right with another sub-group size
};

Pipeline cpu_pipeline();

// For CodeOptions::debugger.
Pipeline debugger_pipeline();

// Transforms `module` (a whole program) in place into a module with `void @lockstep.workgroup(ptr
// launch, ptr group)`.
Result<WorkGroupResult> build_work_group_function(llvm::Module &module, llvm::TargetMachine &target,
                                                  const WorkGroupOptions &options,
                                                  const StageListener *listener);

} // namespace lockstep::compiler
