// Inserts the passes of the checks into a pipeline. Order and reasons stand here; the pipelines
// name no check.
#include "abi/address_spaces.h"
#include "compiler/checks/bounds/passes.h"
#include "compiler/checks/common/separate_objects.h"
#include "compiler/checks/races/instrument_accesses.h"
#include "compiler/checks/races/passes.h"
#include "compiler/checks/races/pin_plain_waits.h"
#include "compiler/checks/races/record_arguments.h"
#include "compiler/checks/races/record_scopes.h"
#include "compiler/checks/undefined/passes.h"
#include "compiler/checks/undefined/used_members.h"
#include "compiler/options/instrumentation_needs.h"
#include "compiler/pipelines/by_need.h"
#include "compiler/pipelines/instrumentation.h"
#include "compiler/pipelines/on_kernel.h"
#include "compiler/work_item/arguments/passes.h"
#include "compiler/work_item/images/passes.h"
#include "compiler/work_item/inline/passes.h"
#include "compiler/work_item/link/passes.h"
#include "compiler/work_item/passes.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace lockstep::compiler {

namespace {

using Where = InsertedPasses::Where;

template <class... Passes> auto on_functions(Passes &&...passes) {
  return llvm::createModuleToFunctionPassAdaptor(functions(std::forward<Passes>(passes)...));
}

void in_link(Pipeline &pipeline) {
  // Builtins still have their names.
  insert(pipeline, "link",
         {Where::after, NameBlocksPass::name(),
          [](auto &manager, auto &, auto &, const auto &options) {
            if (options.code.check) {
              manager.addPass(RecordArgumentsPass());
              manager.addPass(ExposeScopesPass());
              manager.addPass(RecordScopesPass(options.code.check_strictly));
            }
            if (options.code.check_undefined)
              manager.addPass(MarkUserCodePass());
          }});
  insert(pipeline, "link",
         {Where::last, {}, [](auto &manager, auto &, auto &, const auto &options) {
            if (options.code.is_checked())
              manager.addPass(PinAccessesPass());
          }});
}

void in_inline(Pipeline &pipeline) {
  insert(pipeline, "inline",
         {Where::after, InlineKernelPass::name(),
          [](auto &manager, auto &, auto &, const auto &options) {
            if (!options.code.check_undefined)
              return;
            // clang writes one vector element by loading and storing the whole vector. LLVM must
            // narrow that before instructions that track undefined bits are inserted in between.
            manager.addPass(on_functions(llvm::VectorCombinePass(/*TryEarlyFoldsOnly=*/true)));
            if (options.optimize)
              manager.addPass(on_functions(
                  when(has_swaps, PromoteSwapVariablesPass()),
                  when(has_swaps, llvm::InferAddressSpacesPass(generic_space)),
                  when(has_swaps, UpdateLoopsPass(needs_of(options.code).exact_updates))));
            manager.addPass(TrackUndefinedPass());
          }});
  insert(pipeline, "inline", // after SROA
         {Where::before, PrivatizeArgumentsPass::name(),
          [](auto &manager, auto &, auto &, const auto &options) {
            if (options.code.check_undefined)
              manager.addPass(on_functions(DropPrivateShadowPass()));
          }});
}

void in_scalar_optimization(Pipeline &pipeline) {
  insert(pipeline, "scalar-optimization",
         {Where::first, {}, [](auto &manager, auto &, auto &, const auto &options) {
            // The check needs the members of function objects. If the object was copied, `this` is
            // a generic pointer to the copy, and SROA needs it to be a private pointer.
            if (options.code.check)
              manager.addPass(on_functions(llvm::InferAddressSpacesPass(generic_space),
                                           llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
          }});
  insert(pipeline, "scalar-optimization",
         {Where::before, SpecializeImagesPass::name(),
          [](auto &manager, auto &, auto &, const auto &options) {
            if (options.code.check)
              manager.addPass(on_functions(PinPlainWaitsPass()));
          }});
  insert(pipeline, "scalar-optimization",
         {Where::after, PlainSignaturesPass::name(),
          [](auto &manager, auto &, auto &, const auto &options) {
            if (options.code.check_memory)
              manager.addPass(on_functions(GuardOwnAccessesPass()));
          }});
  insert(pipeline, "scalar-optimization",
         {Where::last, {}, [](auto &manager, auto &, auto &, const auto &options) {
            if (options.code.check_undefined)
              manager.addPass(LowerUndefinedPass(options.specialization.defined_arguments,
                                                 options.specialization.defined_members));
          }});
}

// Empty unless the kernel is checked.
Stage checks() {
  return {"checks", KernelIrStage::inlined, [](auto &manager, auto &, auto &, const auto &options) {
            const uint64_t failed = options.specialization.failed_assumptions;
            if (options.code.check || options.code.check_memory)
              manager.addPass(on_kernel(SeparateObjectsPass()));
            if (options.code.check_memory)
              manager.addPass(on_kernel(GuardAccessesPass(failed)));
            if (options.code.check)
              manager.addPass(on_kernel(InstrumentAccessesPass(
                  failed, CheckedKinds{options.code.check_races, options.code.check_commands})));
          }};
}

} // namespace

void instrument(Pipeline &pipeline) {
  in_link(pipeline);
  in_inline(pipeline);
  in_scalar_optimization(pipeline);
  insert_after(pipeline, "waits", checks());
}

Assumptions recorded_assumptions(const llvm::Module &module) {
  return all_assumptions(module);
}

PointerMembers recorded_pointer_members(const llvm::Module &module) {
  return pointer_members(module);
}

void register_instrumentation(llvm::PassBuilder &builder, const WorkGroupOptions &options) {
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::ModulePassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define MODULE_PASS(pass, constructor)                                                             \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "compiler/checks/checks.def"
    return false;
  });
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::FunctionPassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define FUNCTION_PASS(pass, constructor)                                                           \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "compiler/checks/checks.def"
    return false;
  });
}

} // namespace lockstep::compiler
