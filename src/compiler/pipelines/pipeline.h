// Defines a pipeline as a list of stages, and runs it.
//
// Functions create the stages: those that all targets share (pipeline_shared.cpp) and those of a
// CPU (pipeline_cpu.cpp). Another target builds another list from the same parts. No pipeline names
// an instrumentation, which inserts stages, and passes into stages (instrumentation.h).
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
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

// Adds passes to a list of type List.
template <class List>
using Fill = std::function<void(List &, llvm::PassBuilder &, llvm::TargetMachine &,
                                const WorkGroupOptions &)>;

// Passes that an instrumentation inserts between those of a stage.
struct InsertedPasses {
  enum class Where { first, before, after, last };
  Where where;
  std::string_view pass; // Pass::name() of a pass of the stage; empty for `first` and `last`
  Fill<llvm::ModulePassManager> fill;
};

// Receives the passes of a stage in their order, and adds those that are inserted between them.
class PassList {
public:
  using Insert = std::function<void(const InsertedPasses &)>;
  PassList(llvm::ModulePassManager &manager, const std::vector<InsertedPasses> &inserted,
           Insert insert);
  template <class Pass> void addPass(Pass &&pass) {
    const std::string_view name = name_of<std::remove_cvref_t<Pass>>();
    insert(InsertedPasses::Where::before, name);
    manager_.addPass(std::forward<Pass>(pass));
    insert(InsertedPasses::Where::after, name);
  }
  // Called after the last pass. Returns the name of a pass that the stage does not have, although
  // others are to be inserted beside it; empty: there is none.
  std::string_view end();

private:
  // A pass that runs by need (by_need.h) has the name of the pass that it runs.
  template <class Pass> static std::string_view name_of() {
    if constexpr (requires { typename Pass::Anchor; })
      return Pass::Anchor::name();
    else
      return Pass::name();
  }
  void insert(InsertedPasses::Where where, std::string_view pass);
  llvm::ModulePassManager &manager_;
  const std::vector<InsertedPasses> &inserted_;
  Insert insert_;
  std::vector<bool> is_inserted_;
};

struct Stage {
  const char *name;
  KernelIrStage holds_after; // the contract that the verifier checks after the stage
  Fill<PassList> fill;
  StageForm form = StageForm::all;
  std::vector<InsertedPasses> inserted{};
};
using Pipeline = std::vector<Stage>;

// Compiles the kernel IR of a program to one optimized kernel function of one work-item: link,
// inline, specialize, scalar-optimization.
Pipeline shared_pipeline();

Pipeline &append(Pipeline &pipeline, Pipeline more);

// Requires that the pipeline has a stage `name`.
void insert_after(Pipeline &pipeline, std::string_view name, Stage stage);
// Requires that the pipeline has the stage. If the stage lacks the pass, run_pipeline fails.
void insert(Pipeline &pipeline, std::string_view stage, InsertedPasses passes);

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

// Registers the analyses that passes get from the manager.
void register_analyses(llvm::FunctionAnalysisManager &manager);

// Returns a function pass manager that runs these passes.
template <class... Passes> llvm::FunctionPassManager functions(Passes &&...passes) {
  llvm::FunctionPassManager manager;
  (manager.addPass(std::forward<Passes>(passes)), ...);
  return manager;
}

} // namespace lockstep::compiler
