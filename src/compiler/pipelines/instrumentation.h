// What an instrumentation adds to a pipeline: the checks (src/compiler/checks). Pipelines name none
// of its passes. src/compiler/checks/instrument_pipeline.cpp defines these functions; a build
// without the checker has no_instrumentation.cpp instead.
#pragma once

#include "abi/assumptions.h"
#include "abi/pointer_members.h"
#include "compiler/pipelines/pipeline.h"

namespace llvm {
class Module;
class PassBuilder;
} // namespace llvm

namespace lockstep::compiler {

// Inserts the stages and passes of all checks. Each does nothing unless CodeOptions requests it.
void instrument(Pipeline &pipeline);

// Registers the passes of checks.def, as register_passes() does.
void register_instrumentation(llvm::PassBuilder &builder, const WorkGroupOptions &options);

// What the passes have recorded of a kernel.
Assumptions recorded_assumptions(const llvm::Module &module);
PointerMembers recorded_pointer_members(const llvm::Module &module);

} // namespace lockstep::compiler
