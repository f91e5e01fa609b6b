// Registers the names of passes.def for textual pipelines, and the analyses of passes.
#include "compiler/pipelines/pipeline.h"

#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/lane_shapes.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/group_shape/passes.h"
#include "compiler/lanes/choose/choose_sub_group_size.h"
#include "compiler/lanes/functions/passes.h"
#include "compiler/lanes/ids/passes.h"
#include "compiler/lanes/linearize/passes.h"
#include "compiler/lanes/packetize/passes.h"
#include "compiler/lanes/serialize/passes.h"
#include "compiler/lanes/serialize/serialize_loops.h"
#include "compiler/lanes/split/passes.h"
#include "compiler/options/instrumentation_needs.h"
#include "compiler/options/target.h"
#include "compiler/pipelines/instrumentation.h"
#include "compiler/prepare_code/expand_masked_accesses.h"
#include "compiler/prepare_code/expand_permutations.h"
#include "compiler/prepare_code/lower_reciprocal_sqrt.h"
#include "compiler/prepare_code/outline_lane_code.h"
#include "compiler/prepare_code/passes.h"
#include "compiler/prepare_code/place_local_memory.h"
#include "compiler/prepare_code/workarounds/llvm22/passes.h"
#include "compiler/regions/barrier_regions.h"
#include "compiler/regions/passes.h"
#include "compiler/waits/suspension/finish_coroutine.h"
#include "compiler/waits/suspension/passes.h"
#include "compiler/waits/suspension/rematerialize.h"
#include "compiler/work_item/arguments/passes.h"
#include "compiler/work_item/arguments/privatized_reductions.h"
#include "compiler/work_item/hierarchical/passes.h"
#include "compiler/work_item/images/passes.h"
#include "compiler/work_item/inline/passes.h"
#include "compiler/work_item/link/link_device_library.h"
#include "compiler/work_item/link/passes.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "compiler/work_item/passes.h"
#include "compiler/work_item/specialize/passes.h"
#include "device_lib/device_library.h"
#include "kernel_ir/verify_kernel_ir.h"

#include "llvm/Passes/PassBuilder.h"

namespace lockstep::compiler {

void register_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                     const WorkGroupOptions &options) {
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::ModulePassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define MODULE_PASS(pass, constructor)                                                             \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "compiler/pipelines/passes.def"
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
#include "compiler/pipelines/passes.def"
    return false;
  });
  register_instrumentation(builder, options);
}

void register_analyses(llvm::FunctionAnalysisManager &manager) {
  manager.registerPass([] { return IndexExpressionsAnalysis(); });
}

} // namespace lockstep::compiler
