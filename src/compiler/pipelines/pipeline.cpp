#include "compiler/pipelines/pipeline.h"

#include "compiler/pipelines/stage_runner.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

#include <cassert>
#include <iterator>

namespace lockstep::compiler {

namespace {

bool is_for(const Stage &stage, llvm::Module &module) {
  const bool resumable = llvm::any_of(module, is_resumable);
  const bool by_groups = llvm::any_of(module, is_resumable_by_group);
  switch (stage.form) {
  case StageForm::all:
    return true;
  case StageForm::in_loops:
    return !resumable || by_groups;
  case StageForm::by_sub_groups:
    return resumable && !by_groups;
  case StageForm::resumable:
    return resumable;
  }
  return true;
}

} // namespace

Pipeline &append(Pipeline &pipeline, Pipeline more) {
  llvm::move(more, std::back_inserter(pipeline));
  return pipeline;
}

void insert_after(Pipeline &pipeline, std::string_view name, Stage stage) {
  auto place = llvm::find_if(pipeline, [&](const Stage &each) { return each.name == name; });
  assert(place != pipeline.end() && "insert_after names a stage that the pipeline does not have");
  pipeline.insert(std::next(place), std::move(stage));
}

std::vector<std::string> stage_names(const Pipeline &pipeline) {
  std::vector<std::string> names = {"source"};
  for (const Stage &stage : pipeline)
    names.emplace_back(stage.name);
  return names;
}

Result<std::vector<std::string>> run_pipeline(const Pipeline &pipeline, llvm::Module &module,
                                              llvm::TargetMachine &target,
                                              const WorkGroupOptions &options,
                                              const StageListener *listener) {
  set_primitives(module);
  StageRunner runner(module, target, options.code.verify, listener);
  LOCKSTEP_TRY(runner.start("source"));
  for (const Stage &stage : pipeline) {
    if (!is_for(stage, module))
      continue;
    LOCKSTEP_TRY(runner.run(stage.name, stage.holds_after,
                            [&](llvm::ModulePassManager &manager, llvm::PassBuilder &builder) {
                              stage.fill(manager, builder, target, options);
                            }));
  }
  return runner.remarks();
}

} // namespace lockstep::compiler
