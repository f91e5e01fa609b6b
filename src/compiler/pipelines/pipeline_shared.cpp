// Creates the stages that every target begins with. They compile a program in kernel IR to one
// optimized kernel of one work-item and its out-of-line functions.
#include "compiler/pipelines/pipeline.h"

#include "abi/address_spaces.h"

#include "compiler/options/instrumentation_needs.h"
#include "compiler/options/target.h"
#include "compiler/pipelines/by_need.h"
#include "compiler/prepare_code/place_local_memory.h"
#include "compiler/prepare_code/workarounds/llvm22/passes.h"
#include "compiler/work_item/arguments/passes.h"
#include "compiler/work_item/hierarchical/passes.h"
#include "compiler/work_item/images/passes.h"
#include "compiler/work_item/inline/passes.h"
#include "compiler/work_item/link/link_device_library.h"
#include "compiler/work_item/link/passes.h"
#include "compiler/work_item/link/share_program_variables.h"
#include "compiler/work_item/passes.h"
#include "compiler/work_item/specialize/passes.h"
#include "device_lib/device_library.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"

namespace lockstep::compiler {

namespace {

// If the required sub-group size exceeds the lanes of a register, each instruction is lowered to
// several, so the limit shrinks.
uint64_t inline_limit(const WorkGroupOptions &options) {
  if (needs_of(options.code).single_function)
    return ~uint64_t{0};
  const uint32_t natural = options.code.target.vector_bits / 32;
  return options.code.inline_limit / std::max(1U, options.kernel.reqd_sub_group_size / natural);
}

std::string_view image_functions(const TargetInfo &target) {
  return target_kind(target) == TargetKind::cpu ? image_access_bitcode()
                                                : gpu_image_access_bitcode();
}

} // namespace

Pipeline shared_pipeline() {
  return {
      {"link", KernelIrStage::kernel,
       [](auto &manager, auto &, auto &target, const auto &options) {
         manager.addPass(
             ShareProgramVariablesPass()); // first: it numbers variables in program order
         manager.addPass(when(has_blocks, NameBlocksPass()));
         manager.addPass(when(has_approximate_calls,
                              RelaxMathPass(target_kind(options.code.target) == TargetKind::cpu)));
         manager.addPass(
             LinkDeviceLibraryPass(target, options.kernel.name, options.kernel.denorms_are_zero));
         manager.addPass(LowerImageTypesPass(needs_of(options.code).packet_reports));
         manager.addPass(when(module_calls<Primitive::group_scratch>, PlaceGroupScratchPass()));
         manager.addPass(PinLocalMemoryPass());
       }},
      {"inline", KernelIrStage::inlined,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(
             // Before inlining, so that the varargs call keeps the location of its format.
             when(has_printf, LowerPrintfPass()));
         manager.addPass(when(has_item_scopes, LowerItemScopesPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(when(has_halves, ClampConversionsToHalfPass()))));
         manager.addPass(KeepOutOfLinePass(inline_limit(options), options.optimize,
                                           needs_of(options.code).accesses_in_kernel));
         if (options.code.debugger)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(MarkCallLinesPass()));
         manager.addPass(InlineKernelPass());
         if (!options.code.debugger) // it shows variables in memory
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(
               llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
         manager.addPass(PrivatizeArgumentsPass(options.specialization.local_arguments));
         if (division_traps(options.code.target))
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(
               functions(when(has_divisions, GuardIntegerDivisionPass()))));
       }},
      {"specialize", KernelIrStage::inlined,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(SpecializePass(options.specialization));
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(functions(SpecializeLocalSizePass())));
         manager.addPass(when(has_out_of_line_functions, PlainSignaturesPass()));
       }},
      {"scalar-optimization", KernelIrStage::inlined,
       [](auto &manager, auto &builder, auto &, const auto &options) {
         // Barriers are convergent calls, so these passes do not move them. Fewer values afterwards
         // means fewer values live across a barrier. Loop vectorization and partial unrolling would
         // compete with lanes, so neither runs here.
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(when(has_volatile_accesses, VolatileConstantsPass()))));
         if (!options.code.debugger)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(
               llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(
             when(has_halves, ClampConversionsToHalfPass()),
             when(has_struct_arguments, ArgumentPointersPass()),
             llvm::InferAddressSpacesPass(generic_space), when(has_noalias, DropNoaliasPass()))));
         manager.addPass(
             SpecializeImagesPass(image_functions(options.code.target),
                                  /*keeps_functions=*/!needs_of(options.code).image_code_inlined));
         manager.addPass(when(has_out_of_line_functions, PlainSignaturesPass()));
         if (options.optimize) {
           manager.addPass(PinConvergentCallsPass());
           manager.addPass(
               llvm::createModuleToFunctionPassAdaptor(builder.buildFunctionSimplificationPipeline(
                   llvm::OptimizationLevel::O3, llvm::ThinOrFullLTOPhase::None)));
           manager.addPass(UnpinConvergentCallsPass());
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(
               functions(when(calls<Primitive::all_lanes>, MergeBoundsChecksPass()))));
         }
       }},
  };
}

} // namespace lockstep::compiler
