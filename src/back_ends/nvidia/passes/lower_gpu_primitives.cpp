// Links the functions of primitives (device_lib/nvidia/primitives.c).
//
// Requires: the kernel after bind-launch.
// Ensures: no primitive is left. Sub-group operations in divergent control flow are those for the
// lanes that are there, and barriers those that lanes may reach one by one (`..._here`). Where the
// local size is known, it is a constant. All functions
// have the target's processor and features, and the same mode for subnormal numbers: LLVM does not
// inline across modes.
//
// Position: before the optimization, which inlines these functions.
#include "back_ends/nvidia/passes/passes.h"

#include "back_ends/nvidia/passes/divergent_blocks.h"
#include "back_ends/nvidia/passes/gpu_kernel.h"
#include "back_ends/nvidia/passes/gpu_scopes.h"
#include "back_ends/nvidia/target/nvidia_target.h"
#include "compiler/work_item/link/link_device_library.h"
#include "device_lib/nvidia/nvidia_library.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace lockstep::compiler {

namespace {

bool has_two_forms(Primitive primitive) {
  return is_sub_group_operation(primitive) || primitive == Primitive::barrier ||
         primitive == Primitive::group_combine;
}

void choose_forms(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> operations;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (const auto primitive = called_primitive(instruction);
        primitive && has_two_forms(*primitive))
      operations.push_back(llvm::cast<llvm::CallInst>(&instruction));
  if (operations.empty())
    return;
  const auto divergent = divergent_blocks(function, UniformityLevel::lanes);
  for (llvm::CallInst *call : operations) {
    if (!divergent.contains(call->getParent()))
      continue;
    llvm::Function *together = call->getCalledFunction();
    call->setCalledFunction(function.getParent()->getOrInsertFunction(
        (together->getName() + "_here").str(), together->getFunctionType(),
        together->getAttributes().removeFnAttribute(function.getContext(), primitive_attribute)));
  }
}

void define_architecture(llvm::Module &module, uint32_t architecture) {
  llvm::GlobalVariable *variable = module.getGlobalVariable("lockstep_nvidia_architecture");
  if (!variable)
    return;
  variable->setInitializer(llvm::ConstantInt::get(variable->getValueType(), architecture));
  variable->setConstant(true);
}

void fix_local_size(llvm::Module &module, std::array<uint32_t, 3> size) {
  if (size[0] == 0)
    return;
  constexpr llvm::Intrinsic::ID registers[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                               llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                               llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z};
  for (unsigned dimension = 0; dimension != 3; ++dimension)
    if (llvm::Function *query =
            llvm::Intrinsic::getDeclarationIfExists(&module, registers[dimension]))
      for (llvm::User *user : llvm::make_early_inc_range(query->users())) {
        auto *call = llvm::cast<llvm::CallInst>(user);
        call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), size[dimension]));
        call->eraseFromParent();
      }
}

void adopt_target(llvm::Function &function, const llvm::TargetMachine &target, bool flushes) {
  for (const char *attribute : {"no-builtins", "stack-protector-buffer-size", "frame-pointer"})
    function.removeFnAttr(attribute);
  function.addFnAttr("target-cpu", target.getTargetCPU());
  function.addFnAttr("target-features", target.getTargetFeatureString());
  function.setDSOLocal(true);
  if (flushes)
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

} // namespace

llvm::PreservedAnalyses LowerGpuPrimitivesPass::run(llvm::Module &module,
                                                    llvm::ModuleAnalysisManager &) {
  llvm::Function *kernel = gpu_kernel(module);
  choose_forms(*kernel);
  link_functions(module, nvidia_primitives_bitcode(), "primitives of NVIDIA devices");
  unsigned architecture = 0;
  target_.getTargetCPU().drop_front(3).getAsInteger(10, architecture);
  define_architecture(module, architecture);
  fix_local_size(module, specialized_local_size(*kernel));
  llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) { return &value == kernel; });
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      adopt_target(function, target_, flushes_);
      use_gpu_scopes(function);
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
