#include "compiler/ir_to_workgroup/pipeline.h"

#include "compiler/ir_to_workgroup/form.h"
#include "compiler/ir_to_workgroup/stage_runner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

#include <cassert>
#include <iterator>

namespace lockstep::compiler {

namespace {

bool is_for(const Stage &stage, llvm::Module &module) {
  if (stage.form == StageForm::both)
    return true;
  bool resumable =
      llvm::any_of(module, [](const llvm::Function &function) { return is_resumable(function); });
  return resumable == (stage.form == StageForm::resumable);
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
