// The stages that every target begins with: a program in kernel IR becomes one optimised kernel of one work-item, with the
// functions that are kept beside it.
#include "compiler/ir_to_workgroup/pipeline.h"

#include "compiler/ir_to_workgroup/arguments/argument_pointers.h"
#include "compiler/ir_to_workgroup/arguments/privatise_arguments.h"
#include "compiler/ir_to_workgroup/barriers/forget_restrict.h"
#include "compiler/ir_to_workgroup/check/expose_scopes.h"
#include "compiler/ir_to_workgroup/check/forget_private_bits.h"
#include "compiler/ir_to_workgroup/check/guard_accesses.h"
#include "compiler/ir_to_workgroup/check/hold_accesses.h"
#include "compiler/ir_to_workgroup/check/hold_plain_waits.h"
#include "compiler/ir_to_workgroup/check/lower_undefined.h"
#include "compiler/ir_to_workgroup/check/mark_user_code.h"
#include "compiler/ir_to_workgroup/check/note_scopes.h"
#include "compiler/ir_to_workgroup/check/tell_arguments.h"
#include "compiler/ir_to_workgroup/check/track_undefined.h"
#include "compiler/ir_to_workgroup/hierarchical/lower_item_scopes.h"
#include "compiler/ir_to_workgroup/images/ask_once.h"
#include "compiler/ir_to_workgroup/images/lower_image_types.h"
#include "compiler/ir_to_workgroup/images/specialise_images.h"
#include "compiler/ir_to_workgroup/inline/guard_integer_division.h"
#include "compiler/ir_to_workgroup/inline/inline_kernel.h"
#include "compiler/ir_to_workgroup/inline/keep_functions.h"
#include "compiler/ir_to_workgroup/inline/plain_signatures.h"
#include "compiler/ir_to_workgroup/inline/volatile_constants.h"
#include "compiler/ir_to_workgroup/launch/place_local_memory.h"
#include "compiler/ir_to_workgroup/launch/specialise.h"
#include "compiler/ir_to_workgroup/launch/specialise_local_size.h"
#include "compiler/ir_to_workgroup/link/link_device_library.h"
#include "compiler/ir_to_workgroup/link/name_blocks.h"
#include "compiler/ir_to_workgroup/link/relax_maths.h"
#include "compiler/ir_to_workgroup/link/share_program_variables.h"
#include "compiler/ir_to_workgroup/llvm_detours/clamp_conversions_to_half.h"
#include "compiler/ir_to_workgroup/llvm_detours/extend_early.h"
#include "compiler/ir_to_workgroup/llvm_detours/hold_convergent_calls.h"
#include "compiler/ir_to_workgroup/lower_printf.h"
#include "compiler/ir_to_workgroup/sub_groups/place_group_scratch.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned generic_space = 4;

// What is checked for memory is one function: each access must know what it may reach, private memory's too. In a kernel that
// requires more lanes than a register has, each instruction is several.
uint64_t inline_limit(const WorkGroupOptions &options) {
  if (options.code.check_memory || options.code.check_undefined)
    return ~uint64_t{0};
  const uint32_t natural = options.code.target.vector_bits / 32;
  return options.code.inline_limit / std::max(1U, options.kernel.reqd_sub_group_size / natural);
}

} // namespace

Pipeline shared_pipeline() {
  return {
      {"link", KernelIrStage::kernel,
       [](auto &manager, auto &, auto &target, const auto &options) {
         manager.addPass(
             ShareProgramVariablesPass()); // first: it counts variables in the program's order
         manager.addPass(NameBlocksPass());
         if (options.code.check) { // while builtins have their names
           manager.addPass(TellArgumentsPass());
           manager.addPass(ExposeScopesPass());
           manager.addPass(NoteScopesPass(options.code.check_strictly));
         }
         if (options.code.check_undefined)
           manager.addPass(MarkUserCodePass());
         manager.addPass(RelaxMathsPass());
         manager.addPass(LinkDeviceLibraryPass(target, options.kernel.name));
         manager.addPass(LowerImageTypesPass(options.code.check));
         manager.addPass(PlaceGroupScratchPass());
         manager.addPass(PinLocalMemoryPass());
         if (options.code.is_checked())
           manager.addPass(HoldAccessesPass());
       }},
      {"inline", KernelIrStage::inlined,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(
             LowerPrintfPass()); // before inlining: a varargs call keeps its format's place
         manager.addPass(LowerItemScopesPass());
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(functions(ClampConversionsToHalfPass())));
         manager.addPass(
             KeepFunctionsPass(inline_limit(options), options.optimise, options.code.check));
         manager.addPass(InlineKernelPass());
         if (options.code.check_undefined) {
           // clang writes one element of a vector by reading and writing all of it. LLVM would narrow that, unless what is told of
           // the bits stands between.
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(
               functions(llvm::VectorCombinePass(/*TryEarlyFoldsOnly=*/true))));
           manager.addPass(TrackUndefinedPass());
         }
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
         if (options.code.check_undefined)
           manager.addPass(
               llvm::createModuleToFunctionPassAdaptor(functions(ForgetPrivateBitsPass())));
         manager.addPass(PrivatiseArgumentsPass(options.specialisation.local_arguments));
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(functions(GuardIntegerDivisionPass())));
       }},
      {"specialise", KernelIrStage::inlined,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(SpecialisePass(options.specialisation));
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(functions(SpecialiseLocalSizePass())));
         manager.addPass(PlainSignaturesPass());
       }},
      {"scalar-optimisation", KernelIrStage::inlined,
       [](auto &manager, auto &builder, auto &, const auto &options) {
         // Barriers are convergent calls, so these passes keep their place. Fewer values afterwards
         // means fewer that cross a barrier. No loop vectoriser and no unrolling by a factor here:
         // lanes come first.
         // The check asks for members of function objects: where the object has been copied, `this` is a generic pointer
         // to the copy, which SROA follows as a private one.
         if (options.code.check)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(
               functions(llvm::InferAddressSpacesPass(generic_space),
                         llvm::SROAPass(llvm::SROAOptions::ModifyCFG))));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(VolatileConstantsPass(), llvm::SROAPass(llvm::SROAOptions::ModifyCFG),
                       ClampConversionsToHalfPass(), ExtendEarlyPass(), ArgumentPointersPass(),
                       llvm::InferAddressSpacesPass(generic_space), ForgetRestrictPass())));
         if (options.code.check)
           manager.addPass(
               llvm::createModuleToFunctionPassAdaptor(functions(HoldPlainWaitsPass())));
         manager.addPass(SpecialiseImagesPass(/*keeps_functions=*/!options.code.is_checked()));
         manager.addPass(PlainSignaturesPass());
         if (options.code.check_memory)
           manager.addPass(
               llvm::createModuleToFunctionPassAdaptor(functions(GuardOwnAccessesPass())));
         if (options.optimise) {
           manager.addPass(HoldConvergentCallsPass());
           manager.addPass(
               llvm::createModuleToFunctionPassAdaptor(builder.buildFunctionSimplificationPipeline(
                   llvm::OptimizationLevel::O3, llvm::ThinOrFullLTOPhase::None)));
           manager.addPass(ReleaseConvergentCallsPass());
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(AskOncePass())));
         }
         if (options.code.check_undefined)
           manager.addPass(LowerUndefinedPass(options.specialisation.defined_arguments,
                                              options.specialisation.defined_members));
       }},
  };
}

} // namespace lockstep::compiler
