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

static Pipeline::iterator find_stage(Pipeline &pipeline, std::string_view name) {
  auto found = llvm::find_if(pipeline, [&](const Stage &each) { return each.name == name; });
  assert(found != pipeline.end() && "the pipeline does not have the stage");
  return found;
}

void insert_after(Pipeline &pipeline, std::string_view name, Stage stage) {
  pipeline.insert(std::next(find_stage(pipeline, name)), std::move(stage));
}

void insert(Pipeline &pipeline, std::string_view stage, InsertedPasses passes) {
  find_stage(pipeline, stage)->inserted.push_back(std::move(passes));
}

// ---- the passes of a stage

PassList::PassList(llvm::ModulePassManager &manager, const std::vector<InsertedPasses> &inserted,
                   Insert insert)
    : manager_(manager), inserted_(inserted), insert_(std::move(insert)),
      is_inserted_(inserted.size()) {
  this->insert(InsertedPasses::Where::first, {});
}

// Each one is inserted once, at the first pass of that name.
void PassList::insert(InsertedPasses::Where where, std::string_view pass) {
  for (std::size_t i = 0; i != inserted_.size(); ++i)
    if (!is_inserted_[i] && inserted_[i].where == where && inserted_[i].pass == pass) {
      is_inserted_[i] = true;
      insert_(inserted_[i]);
    }
}

std::string_view PassList::end() {
  insert(InsertedPasses::Where::last, {});
  for (std::size_t i = 0; i != inserted_.size(); ++i)
    if (!is_inserted_[i])
      return inserted_[i].pass;
  return {};
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
    std::string_view missing;
    auto fill = [&](llvm::ModulePassManager &manager, llvm::PassBuilder &builder) {
      PassList passes(manager, stage.inserted, [&](const InsertedPasses &inserted) {
        inserted.fill(manager, builder, target, options);
      });
      stage.fill(passes, builder, target, options);
      missing = passes.end();
    };
    LOCKSTEP_TRY(runner.run(stage.name, stage.holds_after, fill));
    if (!missing.empty())
      return Error{ErrorKind::internal,
                   std::string("stage '") + stage.name + "' has no pass " + std::string(missing)};
  }
  return runner.remarks();
}

} // namespace lockstep::compiler
