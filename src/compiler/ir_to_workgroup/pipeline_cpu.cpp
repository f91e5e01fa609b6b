#include "compiler/ir_to_workgroup/pipeline_cpu.h"

#include "compiler/check_abi.h"
#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"
#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/arguments/worker_copies.h"
#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"
#include "compiler/ir_to_workgroup/barriers/forget_restrict.h"
#include "compiler/ir_to_workgroup/barriers/isolate_group_operations.h"
#include "compiler/ir_to_workgroup/barriers/jam_sub_groups.h"
#include "compiler/ir_to_workgroup/barriers/join_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/limit_regions.h"
#include "compiler/ir_to_workgroup/barriers/order_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/turn_columns.h"
#include "compiler/ir_to_workgroup/barriers/widen_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/work_item_loops.h"
#include "compiler/ir_to_workgroup/check/guard_accesses.h"
#include "compiler/ir_to_workgroup/check/instrument_accesses.h"
#include "compiler/ir_to_workgroup/check/used_members.h"
#include "compiler/ir_to_workgroup/form.h"
#include "compiler/ir_to_workgroup/kernel_function.h"
#include "compiler/ir_to_workgroup/launch/lower_launch.h"
#include "compiler/ir_to_workgroup/launch/place_local_memory.h"
#include "compiler/ir_to_workgroup/linearize/canonicalise_flow.h"
#include "compiler/ir_to_workgroup/linearize/full_lane_loops.h"
#include "compiler/ir_to_workgroup/linearize/linearize.h"
#include "compiler/ir_to_workgroup/llvm_detours/break_long_sums.h"
#include "compiler/ir_to_workgroup/llvm_detours/compare_addresses.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_float_bits.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_half_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_low_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/hoist_invariant_divisions.h"
#include "compiler/ir_to_workgroup/llvm_detours/isolate_byte_shuffles.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_loads_out_of_logic.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_loads_out_of_merges.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_masked_loads.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_variables_in_frames.h"
#include "compiler/ir_to_workgroup/llvm_detours/select_by_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/widen_half_operations.h"
#include "compiler/ir_to_workgroup/passes.def"
#include "compiler/ir_to_workgroup/resumable/compute_anew.h"
#include "compiler/ir_to_workgroup/resumable/finish_coroutine.h"
#include "compiler/ir_to_workgroup/resumable/lower_group_suspensions.h"
#include "compiler/ir_to_workgroup/resumable/lower_suspensions.h"
#include "compiler/ir_to_workgroup/resumable/make_coroutine.h"
#include "compiler/ir_to_workgroup/resumable/mark_waits.h"
#include "compiler/ir_to_workgroup/resumable/share_frame_places.h"
#include "compiler/ir_to_workgroup/resumable/sub_group_ids.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/ir_to_workgroup/stack_size.h"
#include "compiler/ir_to_workgroup/sub_groups/answer_sub_group_queries.h"
#include "compiler/ir_to_workgroup/sub_groups/expand_permutations.h"
#include "compiler/ir_to_workgroup/sub_groups/lower_group_combine.h"
#include "compiler/ir_to_workgroup/vectorize/broadcast_operands.h"
#include "compiler/ir_to_workgroup/vectorize/choose_sub_group_size.h"
#include "compiler/ir_to_workgroup/vectorize/expand_copies.h"
#include "compiler/ir_to_workgroup/vectorize/forget_zero_signs.h"
#include "compiler/ir_to_workgroup/vectorize/interleave_private.h"
#include "compiler/ir_to_workgroup/vectorize/lane_functions.h"
#include "compiler/ir_to_workgroup/vectorize/lane_ids.h"
#include "compiler/ir_to_workgroup/vectorize/loop_over_lanes.h"
#include "compiler/ir_to_workgroup/vectorize/lower_group_atomics.h"
#include "compiler/ir_to_workgroup/vectorize/lower_reciprocal_sqrt.h"
#include "compiler/ir_to_workgroup/vectorize/narrow_gather_indices.h"
#include "compiler/ir_to_workgroup/vectorize/narrow_masked_accesses.h"
#include "compiler/ir_to_workgroup/vectorize/outline_lane_code.h"
#include "compiler/ir_to_workgroup/vectorize/packetize.h"
#include "compiler/ir_to_workgroup/vectorize/prefetch_groups.h"
#include "compiler/ir_to_workgroup/vectorize/prefetch_strides.h"
#include "compiler/ir_to_workgroup/vectorize/restore_casts.h"
#include "compiler/ir_to_workgroup/vectorize/serialise_loops.h"
#include "compiler/ir_to_workgroup/vectorize/serialise_regions.h"
#include "compiler/ir_to_workgroup/vectorize/share_private_arrays.h"
#include "compiler/ir_to_workgroup/vectorize/split_aggregates.h"
#include "compiler/ir_to_workgroup/vectorize/split_vectors.h"
#include "compiler/ir_to_workgroup/vectorize/used_bits.h"
#include "compiler/kernel_ir/verify_kernel_ir.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace lockstep::compiler {

namespace {

// Runs function passes on the kernel alone, where kept functions stand beside it.
class OnKernel : public llvm::PassInfoMixin<OnKernel> {
public:
  explicit OnKernel(llvm::FunctionPassManager passes) : passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses) {
    auto &functions =
        analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    llvm::Function &kernel = *kernel_function(module);
    functions.invalidate(kernel, passes_.run(kernel, functions));
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  llvm::FunctionPassManager passes_;
};

template <class... Passes> OnKernel on_kernel(Passes &&...passes) {
  return OnKernel(functions(std::forward<Passes>(passes)...));
}

// One kernel of one work-item to a work-group function of vector code.
// flat: a list of stages
Pipeline cpu_stages() {
  return {
      {"waits", KernelIrStage::inlined, // decides about the form
       [](auto &manager, auto &, auto &, const auto &options) {
         // Barriers may be put in.
         manager.addPass(on_kernel(MarkWaitsPass(options.code.form), ForgetRestrictPass()));
         // What a command has touched is marked, by some arguments.
         manager.addPass(on_kernel(WorkerCopiesPass(options.specialisation.refused_copies,
                                                    options.code.check_commands
                                                        ? TouchPlaneNumber::most_arguments
                                                        : most_copied_arguments)));
       }},
      {"checks", KernelIrStage::inlined, // nothing, unless the kernel is checked
       [](auto &manager, auto &, auto &, const auto &options) {
         if (options.code.check_memory)
           manager.addPass(
               on_kernel(GuardAccessesPass(options.specialisation.refused_suppositions)));
         if (options.code.check)
           manager.addPass(on_kernel(InstrumentAccessesPass(
               options.specialisation.refused_suppositions,
               CheckedKinds{options.code.check_races, options.code.check_commands})));
       }},
      {"lanes", KernelIrStage::sub_group,
       [](auto &manager, auto &, auto &, const auto &options) {
         // Without effect where the sub-group has one lane. Nothing may move memory accesses between
         // linearise, which gives blocks masks, and packetise, which applies them.
         manager.addPass(
             on_kernel(WidenWorkGroupsPass(options.code),
                       ChooseSubGroupSizePass(options.code, options.kernel.reqd_sub_group_size),
                       OrderWorkGroupsPass(), JoinWorkGroupsPass(), ExpandCopiesPass(),
                       SplitAggregatesPass(), SplitVectorsPass(), UsedBitsPass(),
                       RestoreCastsPass(), LaneIdsPass(), AnswerSubGroupQueriesPass()));
         if (!options
                  .lanes_alone) { // what lanes do alone would change a shared variable again for each
           manager.addPass(on_kernel(SharePrivateArraysPass()));
           manager.addPass(LaneFunctionsPass());
         }
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(InterleavePrivatePass(), CanonicaliseFlowPass())));
         if (options.lanes_alone)
           manager.addPass(on_kernel(SerialiseRegionsPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(
             SerialiseLoopsPass(), FullLaneLoopsPass(), LinearizePass(), llvm::InstSimplifyPass(),
             llvm::DCEPass(), PacketizePass(), InlineSerialLoopsPass(), LowerReciprocalSqrtPass(),
             llvm::DCEPass(), KeepMaskedLoadsPass(), CompareAddressesPass(),
             llvm::InstCombinePass(), llvm::EarlyCSEPass(), llvm::SimplifyCFGPass())));
         if (options.code.form == WantedForm::by_waits)
           manager.addPass(on_kernel(LimitRegionsPass(options.code.region_limit)));
         manager.addPass(llvm::GlobalDCEPass()); // functions that lanes have their own of
       }},
      {"work-item-loops", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &) {
         manager.addPass(on_kernel(JamSubGroupsPass(), LowerGroupSuspensionsPass(),
                                   IsolateGroupOperationsPass(), WorkItemLoopsPass(),
                                   LowerGroupCombinePass(), TurnColumnsPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(LowerGroupAtomicsPass()));
       },
       StageForm::in_loops},
      {"suspensions", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &) {
         manager.addPass(
             on_kernel(LowerSuspensionsPass(), LowerGroupCombinePass(), SubGroupIdsPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(LowerGroupAtomicsPass()));
       },
       StageForm::by_sub_groups},
      {"launch", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(LowerLaunchPass(options.kernel));
       }},
      {"coroutine", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(PlaceLocalMemoryPass()); // its address comes from the group, not the frame
         manager.addPass(MakeCoroutinePass());
         if (options.optimise)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::EarlyCSEPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             KeepVariablesInFramesPass(is_cheap_to_compute_anew)));
         if (options.optimise)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(ShareFramePlacesPass()));
         manager.addPass(llvm::CoroEarlyPass());
         manager.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(
             llvm::CoroSplitPass(is_cheap_to_compute_anew, options.optimise)));
         manager.addPass(llvm::CoroCleanupPass());
         manager.addPass(FinishCoroutinePass());
       },
       StageForm::resumable},
      {"optimise", KernelIrStage::work_group,
       [](auto &manager, auto &builder, auto &, const auto &options) {
         builder.registerVectorizerStartEPCallback(
             [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
               passes.addPass(HideLowMasksPass());
               passes.addPass(HoistInvariantDivisionsPass());
             });
         manager.addPass(PlaceLocalMemoryPass(PlaceLocalMemoryPass::When::beside_kept_functions));
         if (options.optimise)
           manager.addPass(builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
       }},
      {"place-local-memory", KernelIrStage::launchable,
       [](auto &manager, auto &, auto &target, const auto &) {
         manager.addPass(PlaceLocalMemoryPass());
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(NarrowMaskedAccessesPass(), llvm::EarlyCSEPass(), CompareAddressesPass(),
                       llvm::InstCombinePass(), llvm::SimplifyCFGPass(), NarrowMaskedAccessesPass(),
                       WidenHalfOperationsPass(target), ExpandPermutationsPass(target),
                       KeepLoadsOutOfLogicPass(target), KeepLoadsOutOfMergesPass(),
                       IsolateByteShufflesPass(target), SelectByMasksPass(target),
                       NarrowGatherIndicesPass(), PrefetchStridesPass(), PrefetchGroupsPass(),
                       BreakLongSumsPass(), ForgetZeroSignsPass(), BroadcastOperandsPass(),
                       HideFloatBitsPass(target), HideHalfMasksPass(target))));
         manager.addPass(LoopOverLanesPass());
         manager.addPass(OutlineLaneCodePass(target));
       }},
  };
}

} // namespace

Pipeline cpu_pipeline() {
  Pipeline pipeline = shared_pipeline();
  return append(pipeline, cpu_stages());
}

Result<WorkGroupResult> build_work_group_function(llvm::Module &module, llvm::TargetMachine &target,
                                                  const WorkGroupOptions &options,
                                                  const StageListener *listener) {
  auto remarks = run_pipeline(cpu_pipeline(), module, target, options, listener);
  LOCKSTEP_TRY(remarks);
  WorkGroupResult result;
  result.is_resumable = module.getFunction(start_symbol) != nullptr;
  if (result.is_resumable)
    result.resumable = resumable_facts(module);
  llvm::Function &function =
      *module.getFunction(result.is_resumable ? start_symbol : workgroup_symbol);
  for (const llvm::Function &each : module) // of the resumable form one at a time is called
    if (!each.isDeclaration())
      result.stack_size = std::max(result.stack_size, stack_size(each));
  result.sub_group_size = sub_group_size(function);
  result.size_is_free = function.hasFnAttribute(size_is_free);
  JoinedGroups joined = joined_groups(function);
  result.groups_at_once[joined.dimension] = joined.count;
  result.calls_per_group = calls_per_group(function);
  result.first_dimension = first_dimension(function);
  result.local_memory_size = local_memory_size(function);
  result.remarks = std::move(*remarks);
  result.suppositions = words_of(all_suppositions(module));
  result.worker_copies = worker_copies(module);
  result.pointer_members = pointer_members(module);
  return result;
}

} // namespace lockstep::compiler
