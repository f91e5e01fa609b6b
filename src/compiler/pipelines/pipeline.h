// Defines a pipeline as a list of stages, and runs it.
//
// Functions create the stages: those that all targets share (pipeline_shared.cpp) and those of a
// CPU (pipeline_cpu.cpp). Another target builds another list from the same parts. An
// instrumentation inserts a stage with insert_after.
#pragma once

#include "abi/assumptions.h"
#include "compiler/options/code_options.h"
#include "compiler/pipelines/stage_listener.h"
#include "kernel_ir/kernel_info.h"
#include "kernel_ir/specialization.h"
#include "kernel_ir/verify_kernel_ir.h"
#include "support/result.h"

#include "llvm/IR/PassManager.h"

#include <functional>
#include <string_view>
#include <vector>

namespace llvm {
class Module;
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace lockstep::compiler {

struct WorkGroupOptions {
  KernelInfo kernel;
  Specialization specialization;
  CodeOptions code;
  bool optimize = true; // false for -cl-opt-disable
  // Serialize code lane by lane where possible (serialize-regions): vector code compiles too
  // slowly.
  bool lanes_alone = false;
};

// The kernel form that a stage applies to (form.h): all forms, the loop form, coroutines per
// sub-group, or any coroutine form.
enum class StageForm { all, in_loops, by_sub_groups, resumable };

struct Stage {
  const char *name;
  KernelIrStage holds_after; // the contract that the verifier checks after the stage
  std::function<void(llvm::ModulePassManager &, llvm::PassBuilder &, llvm::TargetMachine &,
                     const WorkGroupOptions &)>
      fill;
  StageForm form = StageForm::all;
};
using Pipeline = std::vector<Stage>;

// Compiles the kernel IR of a program to one optimized kernel function of one work-item: link,
// inline, specialize, scalar-optimization.
Pipeline shared_pipeline();

Pipeline &append(Pipeline &pipeline, Pipeline more);

// Requires that the pipeline has a stage `name`.
void insert_after(Pipeline &pipeline, std::string_view name, Stage stage);

// Returns "source", followed by the stages in order.
std::vector<std::string> stage_names(const Pipeline &pipeline);

// Returns the remarks of the passes. Skips the stages of other kernel forms; an earlier stage may
// decide the form.
Result<std::vector<std::string>> run_pipeline(const Pipeline &pipeline, llvm::Module &module,
                                              llvm::TargetMachine &target,
                                              const WorkGroupOptions &options,
                                              const StageListener *listener);

// Registers the passes of passes.def for textual pipelines ("barrier-regions") in lockstep-opt. The
// references must outlive the builder.
void register_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                     const WorkGroupOptions &options);

// Returns a function pass manager that runs these passes.
template <class... Passes> llvm::FunctionPassManager functions(Passes &&...passes) {
  llvm::FunctionPassManager manager;
  (manager.addPass(std::forward<Passes>(passes)), ...);
  return manager;
}

} // namespace lockstep::compiler
