#include "compiler/ir_to_workgroup/pipeline_cpu.h"

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"
#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"
#include "compiler/ir_to_workgroup/barriers/isolate_group_operations.h"
#include "compiler/ir_to_workgroup/barriers/jam_sub_groups.h"
#include "compiler/ir_to_workgroup/barriers/join_work_groups.h"
#include "compiler/ir_to_workgroup/barriers/work_item_loops.h"
#include "compiler/ir_to_workgroup/inline/guard_integer_division.h"
#include "compiler/ir_to_workgroup/inline/inline_kernel.h"
#include "compiler/ir_to_workgroup/kernel_function.h"
#include "compiler/ir_to_workgroup/launch/lower_launch.h"
#include "compiler/ir_to_workgroup/launch/place_local_memory.h"
#include "compiler/ir_to_workgroup/launch/specialise_local_size.h"
#include "compiler/ir_to_workgroup/linearize/canonicalise_flow.h"
#include "compiler/ir_to_workgroup/linearize/full_lane_loops.h"
#include "compiler/ir_to_workgroup/linearize/linearize.h"
#include "compiler/ir_to_workgroup/link/link_device_library.h"
#include "compiler/ir_to_workgroup/link/share_program_variables.h"
#include "compiler/ir_to_workgroup/llvm_detours/hide_low_masks.h"
#include "compiler/ir_to_workgroup/llvm_detours/hoist_invariant_divisions.h"
#include "compiler/ir_to_workgroup/llvm_detours/hold_convergent_calls.h"
#include "compiler/ir_to_workgroup/llvm_detours/isolate_byte_shuffles.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_loads_out_of_logic.h"
#include "compiler/ir_to_workgroup/llvm_detours/keep_masked_loads.h"
#include "compiler/ir_to_workgroup/lower_printf.h"
#include "compiler/ir_to_workgroup/resumable/compute_anew.h"
#include "compiler/ir_to_workgroup/resumable/finish_coroutine.h"
#include "compiler/ir_to_workgroup/resumable/form.h"
#include "compiler/ir_to_workgroup/resumable/lower_suspensions.h"
#include "compiler/ir_to_workgroup/resumable/make_coroutine.h"
#include "compiler/ir_to_workgroup/resumable/mark_waits.h"
#include "compiler/ir_to_workgroup/resumable/share_frame_places.h"
#include "compiler/ir_to_workgroup/resumable/sub_group_ids.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/ir_to_workgroup/stack_size.h"
#include "compiler/ir_to_workgroup/stage_runner.h"
#include "compiler/ir_to_workgroup/sub_groups/answer_sub_group_queries.h"
#include "compiler/ir_to_workgroup/sub_groups/expand_permutations.h"
#include "compiler/ir_to_workgroup/sub_groups/lower_group_combine.h"
#include "compiler/ir_to_workgroup/sub_groups/place_group_scratch.h"
#include "compiler/ir_to_workgroup/vectorize/choose_sub_group_size.h"
#include "compiler/ir_to_workgroup/vectorize/expand_copies.h"
#include "compiler/ir_to_workgroup/vectorize/interleave_private.h"
#include "compiler/ir_to_workgroup/vectorize/lane_ids.h"
#include "compiler/ir_to_workgroup/vectorize/lower_local_atomics.h"
#include "compiler/ir_to_workgroup/vectorize/lower_reciprocal_sqrt.h"
#include "compiler/ir_to_workgroup/vectorize/narrow_masked_accesses.h"
#include "compiler/ir_to_workgroup/vectorize/packetize.h"
#include "compiler/ir_to_workgroup/vectorize/restore_casts.h"
#include "compiler/ir_to_workgroup/vectorize/serialise_loops.h"
#include "compiler/ir_to_workgroup/vectorize/split_vectors.h"
#include "compiler/kernel_ir/verify_kernel_ir.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace lockstep::compiler {

namespace {

// A module pass of its own, so that the specialisation is a stage like any other.
class SpecialisePass : public llvm::PassInfoMixin<SpecialisePass> {
public:
  explicit SpecialisePass(const Specialisation &specialisation) : specialisation_(specialisation) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    llvm::Function &kernel = *kernel_function(module);
    if (specialisation_.local_size[0])
      set_specialised_local_size(kernel, specialisation_.local_size);
    if (specialisation_.neighbours != single_group)
      set_neighbour_groups(kernel, specialisation_.neighbours);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  Specialisation specialisation_;
};

class LowerPrintfPass : public llvm::PassInfoMixin<LowerPrintfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    return lower_printf(module) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

enum class Form { both, looped, resumable };

struct Stage {
  const char *name;
  KernelIrStage holds_after;
  void (*fill)(llvm::ModulePassManager &, llvm::PassBuilder &, llvm::TargetMachine &,
               const WorkGroupOptions &);
  Form form = Form::both;
};

template <class... Passes> llvm::FunctionPassManager functions(Passes &&...passes) {
  llvm::FunctionPassManager manager;
  (manager.addPass(std::forward<Passes>(passes)), ...);
  return manager;
}

constexpr Stage stages[] = {
    {"link", KernelIrStage::kernel,
     [](auto &manager, auto &, auto &target, const auto &options) {
       manager.addPass(
           ShareProgramVariablesPass()); // first: it counts variables in the program's order
       manager.addPass(LinkDeviceLibraryPass(target, options.kernel.name));
       manager.addPass(PlaceGroupScratchPass());
       manager.addPass(PinLocalMemoryPass());
     }},
    {"inline", KernelIrStage::inlined,
     [](auto &manager, auto &, auto &, const auto &) {
       manager.addPass(
           LowerPrintfPass()); // before inlining: a varargs call keeps its format's place
       manager.addPass(InlineKernelPass());
       manager.addPass(
           llvm::createModuleToFunctionPassAdaptor(functions(GuardIntegerDivisionPass())));
     }},
    {"specialise", KernelIrStage::inlined,
     [](auto &manager, auto &, auto &, const auto &options) {
       manager.addPass(SpecialisePass(options.specialisation));
       manager.addPass(
           llvm::createModuleToFunctionPassAdaptor(functions(SpecialiseLocalSizePass())));
     }},
    {"scalar-optimisation", KernelIrStage::inlined,
     [](auto &manager, auto &builder, auto &, const auto &options) {
       // Barriers are convergent calls, so these passes keep their place. Fewer values afterwards
       // means fewer that cross a barrier. No loop vectoriser and no unrolling by a factor here:
       // lanes come first.
       llvm::FunctionPassManager passes = functions(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
       if (options.optimise)
         passes = builder.buildFunctionSimplificationPipeline(llvm::OptimizationLevel::O3,
                                                              llvm::ThinOrFullLTOPhase::None);
       manager.addPass(HoldConvergentCallsPass());
       manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
       manager.addPass(ReleaseConvergentCallsPass());
     }},
    {"waits", KernelIrStage::inlined, // decides about the form
     [](auto &manager, auto &, auto &, const auto &options) {
       manager.addPass(
           llvm::createModuleToFunctionPassAdaptor(functions(MarkWaitsPass(options.code.form))));
     }},
    {"lanes", KernelIrStage::sub_group,
     [](auto &manager, auto &, auto &, const auto &options) {
       // Without effect where the sub-group has one lane. Nothing may move memory accesses between
       // linearise, which gives blocks masks, and packetise, which applies them.
       manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(
           ChooseSubGroupSizePass(options.code, options.kernel.reqd_sub_group_size),
           JoinWorkGroupsPass(), ExpandCopiesPass(), SplitVectorsPass(), RestoreCastsPass(),
           LaneIdsPass(), AnswerSubGroupQueriesPass(), InterleavePrivatePass(),
           CanonicaliseFlowPass(), SerialiseLoopsPass(), FullLaneLoopsPass(), LinearizePass(),
           llvm::InstSimplifyPass(), llvm::DCEPass(), PacketizePass(), InlineSerialLoopsPass(),
           LowerReciprocalSqrtPass(), llvm::DCEPass(), KeepMaskedLoadsPass(),
           llvm::InstCombinePass(), llvm::EarlyCSEPass(), llvm::SimplifyCFGPass())));
     }},
    {"work-item-loops", KernelIrStage::work_group,
     [](auto &manager, auto &, auto &, const auto &) {
       manager.addPass(llvm::createModuleToFunctionPassAdaptor(
           functions(JamSubGroupsPass(), IsolateGroupOperationsPass(), WorkItemLoopsPass(),
                     LowerGroupCombinePass(), LowerLocalAtomicsPass())));
     },
     Form::looped},
    {"suspensions", KernelIrStage::work_group,
     [](auto &manager, auto &, auto &, const auto &) {
       manager.addPass(llvm::createModuleToFunctionPassAdaptor(
           functions(LowerSuspensionsPass(), LowerGroupCombinePass(), SubGroupIdsPass())));
     },
     Form::resumable},
    {"launch", KernelIrStage::work_group,
     [](auto &manager, auto &, auto &, const auto &options) {
       manager.addPass(LowerLaunchPass(options.kernel));
     }},
    {"coroutine", KernelIrStage::work_group,
     [](auto &manager, auto &, auto &, const auto &options) {
       manager.addPass(PlaceLocalMemoryPass()); // its address comes from the group, not the frame
       manager.addPass(MakeCoroutinePass());
       if (options.optimise)
         manager.addPass(llvm::createModuleToFunctionPassAdaptor(
             functions(llvm::EarlyCSEPass(), ShareFramePlacesPass())));
       manager.addPass(llvm::CoroEarlyPass());
       manager.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(
           llvm::CoroSplitPass(is_cheap_to_compute_anew, options.optimise)));
       manager.addPass(llvm::CoroCleanupPass());
       manager.addPass(FinishCoroutinePass());
     },
     Form::resumable},
    {"optimise", KernelIrStage::work_group,
     [](auto &manager, auto &builder, auto &, const auto &options) {
       builder.registerVectorizerStartEPCallback(
           [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
             passes.addPass(HideLowMasksPass());
             passes.addPass(HoistInvariantDivisionsPass());
           });
       if (options.optimise)
         manager.addPass(builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
     }},
    {"place-local-memory", KernelIrStage::launchable,
     [](auto &manager, auto &, auto &target, const auto &) {
       manager.addPass(PlaceLocalMemoryPass());
       manager.addPass(llvm::createModuleToFunctionPassAdaptor(functions(
           NarrowMaskedAccessesPass(), llvm::EarlyCSEPass(), llvm::InstCombinePass(),
           llvm::SimplifyCFGPass(), NarrowMaskedAccessesPass(), ExpandPermutationsPass(target),
           KeepLoadsOutOfLogicPass(target), IsolateByteShufflesPass(target))));
     }},
};

bool takes_resumable_form(llvm::Module &module) {
  return llvm::any_of(module,
                      [](const llvm::Function &function) { return is_resumable(function); });
}

} // namespace

std::vector<std::string> cpu_stage_names() {
  std::vector<std::string> names = {"source"};
  for (const Stage &stage : stages)
    names.push_back(stage.name);
  return names;
}

Result<WorkGroupResult> build_work_group_function(llvm::Module &module, llvm::TargetMachine &target,
                                                  const WorkGroupOptions &options,
                                                  const StageListener *listener) {
  StageRunner runner(module, target, options.code.verify, listener);
  LOCKSTEP_TRY(runner.start("source"));
  for (const Stage &stage : stages) {
    if (stage.form != Form::both && (stage.form == Form::resumable) != takes_resumable_form(module))
      continue;
    LOCKSTEP_TRY(runner.run(stage.name, stage.holds_after,
                            [&](llvm::ModulePassManager &manager, llvm::PassBuilder &builder) {
                              stage.fill(manager, builder, target, options);
                            }));
  }
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
  JoinedGroups joined = joined_groups(function);
  result.groups_at_once[joined.dimension] = joined.count;
  result.local_memory_size = local_memory_size(function);
  result.remarks = runner.remarks();
  return result;
}

void register_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                     const CodeOptions &options, const KernelInfo &kernel) {
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::ModulePassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define MODULE_PASS(pass, constructor)                                                             \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "compiler/ir_to_workgroup/passes.def"
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
#include "compiler/ir_to_workgroup/passes.def"
    return false;
  });
}

} // namespace lockstep::compiler
