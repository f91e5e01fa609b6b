#include "back_ends/cpu/pipeline/pipeline_cpu.h"

#include "compiler/analysis/lane_shapes.h"
#include "compiler/analysis/stack_size.h"
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
#include "compiler/pipelines/by_need.h"
#include "compiler/pipelines/instrumentation.h"
#include "compiler/pipelines/on_kernel.h"
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
#include "compiler/work_item/arguments/privatized_reductions.h"
#include "compiler/work_item/images/passes.h"
#include "compiler/work_item/passes.h"
#include "kernel_ir/form.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/specialization_attributes.h"
#include "kernel_ir/verify_kernel_ir.h"

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

// Transforms a kernel for one work-item into a work-group function of vector code.
// flat: a list of stages
Pipeline cpu_stages() {
  return {
      {"waits", KernelIrStage::inlined, // chooses the loop or the coroutine form
       [](auto &manager, auto &, auto &, const auto &options) {
         if (options.optimize)
           manager.addPass(
               llvm::createModuleToFunctionPassAdaptor(functions(MergeEqualValuesPass())));
         if (options.optimize && !needs_of(options.code).updates_as_written)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(
               when(has_atomics, UpdateLoopsPass(needs_of(options.code).exact_updates)))));
         // Barriers may be inserted.
         manager.addPass(
             on_kernel(MarkWaitsPass(options.code.form), when(has_noalias, DropNoaliasPass())));
         manager.addPass(on_kernel(when(
             has_atomics, PrivatizedReductionsPass(options.specialization.unprivatized_arguments,
                                                   needs_of(options.code).most_privatized_arguments,
                                                   needs_of(options.code).privatizes_members))));
         if (options.code.form == WantedForm::by_waits && !options.code.is_checked())
           manager.addPass(on_kernel(when(has_atomics, BatchUpdatesPass())));
       }},
      {"lanes", KernelIrStage::sub_group,
       [](auto &manager, auto &, auto &target, const auto &options) {
         // These passes have no effect if the sub-group has one lane. No pass may move memory
         // accesses between linearize, which gives blocks masks, and packetize, which applies them.
         manager.addPass(on_kernel(
             when(has_rows,
                  ChooseLaneDimensionPass(options.code, options.kernel.reqd_sub_group_size)),
             when(has_integer_divisions, GroupsInRowsPass(options.code)),
             CoalesceIndistinctGroupsPass(options.code),
             ChooseSubGroupSizePass(options.code, options.kernel.reqd_sub_group_size),
             ChooseTraversalOrderPass(), when(has_integer_divisions, SplitLinearIdsPass()),
             UnmaskedGuardsPass(), CoalesceWorkGroupsPass()));
         if (!options.code.is_checked()) // a barrier would order accesses
           manager.addPass(on_kernel(when(has_loops, BlockProductsPass())));
         manager.addPass(on_kernel(when(has_block_copies, ExpandCopiesPass()),
                                   when(has_aggregates, SplitAggregatesPass()),
                                   when(has_vectors, SplitVectorsPass()), SimplifyIndicesPass(),
                                   LaneIdsPass(), AnswerSubGroupQueriesPass()));
         // With serialized lanes, each lane would change a shared variable again.
         if (!options.lanes_alone) {
           manager.addPass(on_kernel(when(has_variables, SharePrivateArraysPass())));
           manager.addPass(when(has_out_of_line_functions, VectorVariantsPass()));
         }
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(when(has_variables, InterleavePrivatePass()), CanonicalizeFlowPass())));
         if (options.lanes_alone)
           manager.addPass(on_kernel(SerializeRegionsPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(SerializeLoopsPass(), UnmaskedLoopsPass(), LinearizePass(),
                       llvm::InstSimplifyPass(), llvm::DCEPass(), PacketizePass(target),
                       when(has_serial_loops, InlineSerialLoopsPass()),
                       when(calls<Primitive::reciprocal_sqrt>, LowerReciprocalSqrtPass(target)),
                       llvm::DCEPass(), when(has_masked_accesses, KeepMaskedLoadsPass()),
                       when(has_vectors_of_pointers, CompareAddressesPass()),
                       llvm::InstCombinePass(), llvm::EarlyCSEPass(), llvm::SimplifyCFGPass())));
         if (options.code.form == WantedForm::by_waits)
           manager.addPass(on_kernel(LimitRegionsPass(options.code.region_limit)));
         manager.addPass(llvm::GlobalDCEPass()); // functions that have vector variants
       }},
      {"work-item-loops", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &target, const auto &) {
         manager.addPass(on_kernel(InterleaveSubGroupsPass(target),
                                   when(is_resumed_by_group, LowerGroupSuspensionsPass()),
                                   IsolateGroupOperationsPass(), WorkItemLoopsPass(),
                                   when(calls<Primitive::group_combine>, LowerGroupCombinePass()),
                                   when(has_loops, TransposeColumnsPass())));
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(when(has_atomics, LowerGroupAtomicsPass())));
       },
       StageForm::in_loops},
      {"suspensions", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &) {
         manager.addPass(
             on_kernel(LowerSuspensionsPass(), LowerGroupCombinePass(), SubGroupIdsPass()));
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(when(has_atomics, LowerGroupAtomicsPass())));
       },
       StageForm::by_sub_groups},
      {"launch", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(LowerLaunchPass(options.kernel));
       }},
      {"coroutine", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(PlaceLocalMemoryPass()); // its address comes from the group, not the frame
         manager.addPass(MakeCoroutinePass(!options.code.is_checked()));
         if (options.optimize)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::EarlyCSEPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             KeepVariablesInFramesPass(is_cheap_to_rematerialize)));
         if (options.optimize)
           manager.addPass(llvm::createModuleToFunctionPassAdaptor(ShareFrameSlotsPass()));
         manager.addPass(llvm::CoroEarlyPass());
         manager.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(
             llvm::CoroSplitPass(is_cheap_to_rematerialize, options.optimize)));
         manager.addPass(llvm::CoroCleanupPass());
         manager.addPass(FinishCoroutinePass());
       },
       StageForm::resumable},
      {"optimize", KernelIrStage::work_group,
       [](auto &manager, auto &builder, auto &, const auto &options) {
         builder.registerVectorizerStartEPCallback(
             [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
               passes.addPass(when(has_loops, HideLowMasksPass()));
               passes.addPass(when(has_integer_divisions, HoistInvariantDivisionsPass()));
             });
         manager.addPass(
             when(has_out_of_line_functions,
                  PlaceLocalMemoryPass(PlaceLocalMemoryPass::When::with_out_of_line_functions)));
         if (options.optimize)
           manager.addPass(builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
       }},
      {"place-local-memory", KernelIrStage::launchable,
       [](auto &manager, auto &, auto &target, const auto &) {
         manager.addPass(PlaceLocalMemoryPass());
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(
             when(has_masked_accesses, NarrowMaskedAccessesPass()), llvm::EarlyCSEPass(),
             when(has_vectors_of_pointers, CompareAddressesPass()), llvm::InstCombinePass(),
             llvm::SimplifyCFGPass(), when(has_masked_accesses, NarrowMaskedAccessesPass()),
             when(has_halves, WidenHalfOperationsPass(target)),
             when(has_permutations, ExpandPermutationsPass(target)),
             KeepLoadsOutOfLogicPass(target), KeepLoadsOutOfMergesPass(target),
             when(has_vectors_of_bytes, IsolateByteShufflesPass(target)),
             when(has_vectors_of_bytes, HideByteLookupsPass(target)),
             HideMaskTruncationsPass(target), when(has_minima, LowerMaximumNumbersPass(target)),
             when(has_masks_of_64_lanes, SelectByMasksPass(target)),
             when(has_masked_accesses, NarrowGatherIndicesPass()),
             when(has_loops, PrefetchStridesPass()), PrefetchGroupsPass(),
             when(has_loops, BreakLongSumsPass()), when(has_minima, SetNszPass()),
             when(has_loops, BroadcastOperandsPass()), HideFloatBitsPass(target),
             HideHalfMasksPass(target), ShuffleMasksAsBytesPass(),
             when(has_masked_accesses, ExpandMaskedAccessesPass()))));
         manager.addPass(when(has_required_lanes, LoopOverLanesPass()));
         manager.addPass(OutlineLaneCodePass(target));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(CarryMasksAsBitsPass(target)));
       }},
  };
}

} // namespace

namespace {

// For a debugger: variables stay in memory, and no stage optimizes.
Pipeline debugger_stages() {
  return {
      {"waits", KernelIrStage::inlined,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(on_kernel(MarkWaitsPass(options.code.form)));
       }},
      {"lanes", KernelIrStage::sub_group,
       [](auto &manager, auto &, auto &target, const auto &options) {
         manager.addPass(
             on_kernel(ChooseSubGroupSizePass(options.code, options.kernel.reqd_sub_group_size),
                       ExpandCopiesPass(), LaneIdsPass(), AnswerSubGroupQueriesPass()));
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(PacketizePass(target), LowerReciprocalSqrtPass(target))));
       }},
      {"suspensions", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &) {
         manager.addPass(
             on_kernel(LowerSuspensionsPass(), LowerGroupCombinePass(), SubGroupIdsPass()));
         manager.addPass(
             llvm::createModuleToFunctionPassAdaptor(when(has_atomics, LowerGroupAtomicsPass())));
       }},
      {"launch", KernelIrStage::work_group,
       [](auto &manager, auto &, auto &, const auto &options) {
         manager.addPass(LowerLaunchPass(options.kernel));
         manager.addPass(DescribeVariablesPass());
       }},
      {"stacks", KernelIrStage::launchable,
       [](auto &manager, auto &, auto &, const auto &) {
         manager.addPass(PlaceLocalMemoryPass());
         manager.addPass(MakeCoroutineOnStackPass());
         manager.addPass(FinishCoroutinePass());
       }},
  };
}

} // namespace

Pipeline debugger_pipeline() {
  Pipeline pipeline = shared_pipeline();
  append(pipeline, debugger_stages());
  return pipeline;
}

Pipeline cpu_pipeline() {
  Pipeline pipeline = shared_pipeline();
  insert(pipeline, "scalar-optimization", // after SROA
         {InsertedPasses::Where::before, SpecializeImagesPass::name(),
          [](auto &manager, auto &, auto &, const auto &options) {
            if (options.optimize)
              manager.addPass(llvm::createModuleToFunctionPassAdaptor(
                  functions(when(has_counted_loops, ConstantTripCountsPass()),
                            when(has_unroll_hints, DropUnrollHintsPass()))));
          }});
  append(pipeline, cpu_stages());
  instrument(pipeline);
  return pipeline;
}

Result<WorkGroupResult> build_work_group_function(llvm::Module &module, llvm::TargetMachine &target,
                                                  const WorkGroupOptions &options,
                                                  const StageListener *listener) {
  auto remarks = run_pipeline(options.code.debugger ? debugger_pipeline() : cpu_pipeline(), module,
                              target, options, listener);
  LOCKSTEP_TRY(remarks);
  WorkGroupResult result;
  result.has_coroutine = module.getFunction(start_symbol) != nullptr;
  if (result.has_coroutine)
    result.resumable = resumable_facts(module);
  llvm::Function &function =
      *module.getFunction(result.has_coroutine ? start_symbol : workgroup_symbol);
  // Only one function of the coroutine form is active at a time.
  for (const llvm::Function &each : module)
    if (!each.isDeclaration())
      result.stack_size = std::max(result.stack_size, stack_size(each));
  result.sub_group_size = sub_group_size(function);
  result.size_is_free = function.hasFnAttribute(size_is_free);
  for (const CoalescedGroups &coalesced : coalesced_groups(function))
    result.groups_at_once[coalesced.dimension] = coalesced.count;
  result.calls_per_group = calls_per_group(function);
  result.row_of_groups = row_of_groups(function);
  result.adds_to_counter = function.hasFnAttribute(adds_to_counter);
  for (ArgumentNumber &factor : result.row_of_groups.factors)
    factor.offset += options.kernel.args[factor.argument].offset;
  result.first_dimension = first_dimension(function);
  result.suits_squares = suits_squares(function);
  result.local_memory_size = local_memory_size(function);
  result.remarks = std::move(*remarks);
  result.assumption_words = words_of(recorded_assumptions(module));
  result.privatized_reductions = privatized_reductions(module);
  result.pointer_members = recorded_pointer_members(module);
  return result;
}

} // namespace lockstep::compiler
