#include "tools/lockstep++/map_printf.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <vector>

namespace lockstep::driver {

constexpr unsigned constant_address_space = 2;

void map_printf(llvm::Module &module) {
  llvm::Function *of_c = module.getFunction("__lockstep_c_printf");
  if (!of_c)
    return;
  llvm::Type *format = llvm::PointerType::get(module.getContext(), constant_address_space);
  auto *of_opencl = llvm::cast<llvm::Function>(
      module
          .getOrInsertFunction("printf",
                               llvm::FunctionType::get(of_c->getReturnType(), format, true))
          .getCallee());
  of_opencl->setCallingConv(of_c->getCallingConv());
  for (llvm::User *user : llvm::make_early_inc_range(of_c->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user); // only the header uses it
    llvm::IRBuilder<> builder(call);
    std::vector<llvm::Value *> arguments(call->arg_begin(), call->arg_end());
    arguments[0] = builder.CreateAddrSpaceCast(arguments[0], format);
    llvm::CallInst *mapped = builder.CreateCall(of_opencl, arguments);
    mapped->setCallingConv(call->getCallingConv());
    call->replaceAllUsesWith(mapped);
    call->eraseFromParent();
  }
  of_c->eraseFromParent();
}

} // namespace lockstep::driver
