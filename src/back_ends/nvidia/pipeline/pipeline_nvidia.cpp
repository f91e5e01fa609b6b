// The stages before `retarget` are those that all devices share. They run for the host's target: in
// kernel IR, address space 4 is the generic one, and for NVPTX's alias analysis it is constant.
#include "back_ends/nvidia/pipeline/pipeline_nvidia.h"

#include "abi/address_spaces.h"
#include "back_ends/nvidia/passes/gpu_kernel.h"
#include "back_ends/nvidia/passes/passes.h"
#include "back_ends/nvidia/target/nvidia_target.h"
#include "back_ends/nvidia/workarounds/llvm22/passes.h"
#include "compiler/options/target.h"
#include "compiler/pipelines/stage_runner.h"
#include "compiler/waits/suspension/suspension_sites.h"
#include "compiler/work_item/link/link_device_library.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

constexpr const char *own_stages[] = {"retarget", "gpu-primitives", "gpu-optimize"};

constexpr uint64_t most_static_shared = 48 << 10; // bytes

const char *feature_of(ArgKind kind) {
  switch (kind) {
  case ArgKind::queue:
  case ArgKind::block:
    return "device-side enqueue";
  default:
    return nullptr;
  }
}

Result<void> check_features(const KernelInfo &kernel) {
  const char *feature = kernel.enqueues ? "device-side enqueue" : nullptr;
  for (const KernelArg &argument : kernel.args)
    if (!feature)
      feature = feature_of(argument.kind);
  if (!feature && kernel.reqd_sub_group_size != 0 && kernel.reqd_sub_group_size != warp_size)
    feature = "a sub-group size other than 32";
  if (!feature)
    return {};
  return Error{ErrorKind::build_failure, "kernel '" + kernel.name + "' uses " + feature +
                                             ", which NVIDIA devices do not support yet"};
}

// Runs the stages that only this device has.
Result<LaunchBinding> run_own_stages(llvm::Module &module, llvm::TargetMachine &target,
                                     const WorkGroupOptions &options, PtxVariant variant,
                                     std::vector<uint64_t> variable_offsets,
                                     const StageListener *listener) {
  LaunchBinding binding;
  binding.variable_offsets = std::move(variable_offsets);
  // The contract of kernel IR ends here.
  StageRunner runner(module, target, /*verify=*/false, listener);
  const auto stage = KernelIrStage::launchable;
  LOCKSTEP_TRY(runner.run(own_stages[0], stage, [&](llvm::ModulePassManager &manager, auto &) {
    manager.addPass(RetargetPass(target, options.kernel));
    manager.addPass(BindLaunchPass(options.kernel, variant, binding));
    if (is_persistent(variant))
      manager.addPass(MeetBehindWaitsPass());
  }));
  LOCKSTEP_TRY(runner.run(own_stages[1], stage, [&](llvm::ModulePassManager &manager, auto &) {
    manager.addPass(LowerGpuPrimitivesPass(target, options.kernel.denorms_are_zero));
    if (variant == PtxVariant::persistent_of_sizes)
      manager.addPass(FitGroupsPass());
    manager.addPass(DivergeAtWaitsPass());
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(ExchangeLocalStoresPass()));
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(SumLocalHalvesBySwapsPass()));
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(KeepSubnormalSumsPass()));
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(OrderAtomicsPass()));
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(LowerFpmathPass()));
  }));
  LOCKSTEP_TRY(runner.run(
      own_stages[2], stage, [&](llvm::ModulePassManager &manager, llvm::PassBuilder &builder) {
        builder.registerVectorizerStartEPCallback(
            [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
              passes.addPass(ChooseUnrollCountPass());
            });
        // O1 without optimization: functions of primitives must be inlined, and their cases folded.
        manager.addPass(builder.buildPerModuleDefaultPipeline(
            options.optimize ? llvm::OptimizationLevel::O3 : llvm::OptimizationLevel::O1));
        if (is_persistent(variant))
          manager.addPass(MakePersistentPass(binding.frames));
        manager.addPass(llvm::createModuleToFunctionPassAdaptor(ShareProductsPass()));
        manager.addPass(llvm::createModuleToFunctionPassAdaptor(FreezeWrappingIndicesPass()));
        manager.addPass(LegalNamesPass());
      }));
  return binding;
}

Pipeline stages_on_host() {
  Pipeline pipeline = shared_pipeline();
  insert(pipeline, "link",
         {InsertedPasses::Where::before, LinkDeviceLibraryPass::name(),
          [](llvm::ModulePassManager &manager, auto &, auto &, const auto &) {
            manager.addPass(LinkGpuFunctionsPass());
          }});
  insert(pipeline, "specialize",
         {InsertedPasses::Where::last, "",
          [](llvm::ModulePassManager &manager, auto &, auto &, const auto &) {
            manager.addPass(llvm::createModuleToFunctionPassAdaptor(KeepGuardedLoopsPass()));
          }});
  insert(pipeline, "scalar-optimization",
         {InsertedPasses::Where::last, "",
          [](llvm::ModulePassManager &manager, auto &, auto &, const auto &) {
            manager.addPass(llvm::createModuleToFunctionPassAdaptor(MeetInLoopsPass()));
            manager.addPass(llvm::createModuleToFunctionPassAdaptor(NameTangledLanesPass()));
          }});
  return pipeline;
}

Result<bool> may_wait_for_groups(llvm::Module &module, llvm::TargetMachine &host,
                                 PtxVariant variant) {
  StageRunner runner(module, host, /*verify=*/false, nullptr);
  LOCKSTEP_TRY(runner.run(
      "group-waits", KernelIrStage::inlined, [&](llvm::ModulePassManager &manager, auto &) {
        llvm::FunctionPassManager passes;
        if (is_persistent(variant))
          passes.addPass(NoteWaitSitesPass());
        else
          passes.addPass(NoteGroupWaitsPass());
        manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
      }));
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.hasFnAttribute(groups_wait_attribute);
  });
}

} // namespace

std::vector<std::string> nvidia_stages() {
  std::vector<std::string> names = stage_names(stages_on_host());
  names.insert(names.end(), std::begin(own_stages), std::end(own_stages));
  return names;
}

Result<PtxCode> build_gpu_kernel(llvm::Module &module, llvm::TargetMachine &target,
                                 const WorkGroupOptions &options, PtxVariant variant,
                                 std::vector<uint64_t> variable_offsets,
                                 const StageListener *listener) {
  LOCKSTEP_TRY(check_features(options.kernel));
  // The kernel IR of kernels for a GPU does not depend on the host's processor.
  auto host = make_target_machine(least_target(), options.optimize);
  if (!host)
    return Error{ErrorKind::internal, "LLVM has no code generator for this machine"};
  LOCKSTEP_TRY(run_pipeline(stages_on_host(), module, *host, options, listener));
  auto groups_wait = may_wait_for_groups(module, *host, variant);
  LOCKSTEP_TRY(groups_wait);
  std::vector<SuspensionSite> sites = suspension_sites(module);
  auto binding =
      run_own_stages(module, target, options, variant, std::move(variable_offsets), listener);
  LOCKSTEP_TRY(binding);
  const llvm::Function *kernel = gpu_kernel(module);
  if (!kernel)
    return Error{ErrorKind::internal, "no kernel is left after the stage gpu-optimize"};
  PtxCode code;
  code.entry = kernel->getName().str();
  code.groups_wait = *groups_wait;
  code.parameters = std::move(binding->parameters);
  code.printf_formats = std::move(binding->printf_formats);
  code.frames = binding->frames;
  code.wait_sites = std::move(sites);
  code.local_size = specialized_local_size(*kernel);
  for (const llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != local_space)
      continue;
    if (variable.hasInitializer())
      code.static_shared = llvm::alignTo(code.static_shared, variable.getAlign().valueOrOne()) +
                           module.getDataLayout().getTypeAllocSize(variable.getValueType());
    else
      code.uses_dynamic_shared = true;
  }
  if (code.static_shared > most_static_shared)
    return Error{ErrorKind::out_of_resources,
                 "kernel '" + options.kernel.name + "' has " + std::to_string(code.static_shared) +
                     " bytes of local variables; the limit of NVIDIA devices is " +
                     std::to_string(most_static_shared)};
  return code;
}

Result<std::array<uint32_t, 2>> choose_warp_shape(llvm::Module &module,
                                                  const WorkGroupOptions &options) {
  auto host = make_target_machine(least_target(), options.optimize);
  if (!host)
    return Error{ErrorKind::internal, "LLVM has no code generator for this machine"};
  LOCKSTEP_TRY(run_pipeline(stages_on_host(), module, *host, options, nullptr));
  StageRunner runner(module, *host, /*verify=*/false, nullptr);
  LOCKSTEP_TRY(runner.run(
      "warp-shape", KernelIrStage::inlined, [](llvm::ModulePassManager &manager, auto &) {
        manager.addPass(llvm::createModuleToFunctionPassAdaptor(ChooseWarpShapePass()));
      }));
  std::array<uint32_t, 2> shape = {warp_size, 1};
  const auto [x, y] =
      kernel_function(module)->getFnAttribute(warp_shape_attribute).getValueAsString().split(',');
  if (!x.empty()) {
    x.getAsInteger(10, shape[0]);
    y.getAsInteger(10, shape[1]);
  }
  return shape;
}

void register_nvidia_passes(llvm::PassBuilder &builder, llvm::TargetMachine &target,
                            const WorkGroupOptions &options, LaunchBinding &binding) {
  builder.registerPipelineParsingCallback([&](llvm::StringRef name,
                                              llvm::ModulePassManager &manager,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
#define MODULE_PASS(pass, constructor)                                                             \
  if (name == pass) {                                                                              \
    manager.addPass(constructor);                                                                  \
    return true;                                                                                   \
  }
#include "back_ends/nvidia/pipeline/nvidia_passes.def"
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
#include "back_ends/nvidia/pipeline/nvidia_passes.def"
    return false;
  });
}

} // namespace lockstep::compiler
