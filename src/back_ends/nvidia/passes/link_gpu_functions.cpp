// Links functions of maths that use the GPU's special function unit (device_lib/nvidia/maths.cl), in
// place of libclc's, and operations of parts of sub-groups whose lanes come one by one
// (device_lib/nvidia/parts_of_sub_groups.cl), in place of the device library's.
//
// Requires: a program in kernel IR, whose builtins have their names.
// Ensures: the functions of these files that the program calls are defined. Calls that may be
// approximate (flag `afn`, which clang writes with -cl-fast-relaxed-math) call the relaxed function
// where there is one.
//
// Position: before link-device-library, which defines only what is still undefined.
#include "back_ends/nvidia/passes/passes.h"

#include "compiler/work_item/link/link_device_library.h"
#include "device_lib/nvidia/nvidia_library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

// The Itanium name of the relaxed function; empty: there is none.
std::string relaxed_name(llvm::StringRef name) {
  for (const llvm::StringRef function : {"exp", "log"}) {
    llvm::StringRef parameters = name;
    const std::string relaxed = ("lockstep_nvidia_relaxed_" + function).str();
    if (parameters.consume_front("_Z" + llvm::utostr(function.size())) &&
        parameters.consume_front(function))
      return "_Z" + llvm::utostr(relaxed.size()) + relaxed + parameters.str();
  }
  return {};
}

void relax_calls(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration() || !llvm::isa<llvm::FPMathOperator>(call) ||
          !call->hasApproxFunc() || !call->getType()->getScalarType()->isFloatTy())
        continue;
      const std::string name = relaxed_name(callee->getName());
      if (name.empty())
        continue;
      auto relaxed =
          module.getOrInsertFunction(name, callee->getFunctionType(), callee->getAttributes());
      llvm::cast<llvm::Function>(relaxed.getCallee())->setCallingConv(callee->getCallingConv());
      call->setCalledFunction(relaxed);
    }
}

} // namespace

llvm::PreservedAnalyses LinkGpuFunctionsPass::run(llvm::Module &module,
                                                  llvm::ModuleAnalysisManager &) {
  relax_calls(module);
  link_functions(module, nvidia_maths_bitcode(), "maths of NVIDIA devices");
  link_functions(module, nvidia_parts_of_sub_groups_bitcode(),
                 "parts of sub-groups of NVIDIA devices");
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
