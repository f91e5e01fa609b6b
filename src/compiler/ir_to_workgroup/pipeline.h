// A pipeline is a list of stages, made by functions: what every target shares (pipeline_shared.cpp), what a CPU adds
// (pipeline_cpu.cpp). Another target makes another list from the same parts; who instruments kernels puts a stage into
// one (insert_after).
#pragma once

#include "compiler/compile.h"
#include "compiler/kernel_ir/verify_kernel_ir.h"

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
  Specialisation specialisation;
  CodeOptions code;
  bool optimise = true;     // false for -cl-opt-disable
  bool lanes_alone = false; // where they can be: it would take too long to compile otherwise
};

// Which form of kernel a stage is for (form.h): all, one in which sub-groups run in loops, one that
// is suspended by sub-groups, or in any way.
enum class StageForm { all, in_loops, by_sub_groups, resumable };

struct Stage {
  const char *name;
  KernelIrStage holds_after; // the contract that the verifier checks after it
  std::function<void(llvm::ModulePassManager &, llvm::PassBuilder &, llvm::TargetMachine &,
                     const WorkGroupOptions &)>
      fill;
  StageForm form = StageForm::all;
};
using Pipeline = std::vector<Stage>;

// Kernel IR of a program to one optimised kernel function of one work-item: link, inline, specialise,
// scalar-optimisation.
Pipeline shared_pipeline();

Pipeline &append(Pipeline &pipeline, Pipeline more);

// `name` must be a stage of the pipeline.
void insert_after(Pipeline &pipeline, std::string_view name, Stage stage);

// "source", then the stages in order.
std::vector<std::string> stage_names(const Pipeline &pipeline);

// The remarks of the passes. Kernels of one form skip the stages that are for the other one; the form may be decided by
// a stage before.
Result<std::vector<std::string>> run_pipeline(const Pipeline &pipeline, llvm::Module &module,
                                              llvm::TargetMachine &target,
                                              const WorkGroupOptions &options,
                                              const StageListener *listener);

// Makes the passes of passes.def known to a textual pipeline ("barrier-regions"); for lockstep-opt. The references must
// outlive the builder.
void register_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                     const WorkGroupOptions &options);

// A function pass manager of these passes.
template <class... Passes> llvm::FunctionPassManager functions(Passes &&...passes) {
  llvm::FunctionPassManager manager;
  (manager.addPass(std::forward<Passes>(passes)), ...);
  return manager;
}

} // namespace lockstep::compiler
