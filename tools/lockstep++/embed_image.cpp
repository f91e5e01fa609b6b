#include "tools/lockstep++/embed_image.h"

#include "include/lockstep/sycl/detail/image.hpp"
#include "tools/lockstep++/ahead_of_time.h"
#include "tools/lockstep++/device_pass.h"
#include "tools/lockstep++/kernel_attributes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace lockstep::driver {
namespace {

// References the host side of functions that kernels need from other sources. So the linker
// extracts the objects with their device side from archives, and reports missing ones.
llvm::Constant *host_sides(llvm::Module &module, const std::vector<std::string> &names) {
  auto *pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::SmallVector<llvm::Constant *> functions;
  for (const std::string &name : names)
    functions.push_back(llvm::cast<llvm::Constant>(
        module.getOrInsertFunction(name, llvm::Type::getVoidTy(module.getContext())).getCallee()));
  return llvm::ConstantArray::get(llvm::ArrayType::get(pointer, functions.size()), functions);
}

llvm::Constant *host_objects(llvm::Module &module, const std::vector<DeviceGlobal> &globals) {
  llvm::SmallVector<llvm::Constant *> objects;
  for (const DeviceGlobal &global : globals)
    objects.push_back(host_object(module, global));
  return llvm::ConstantArray::get(
      llvm::ArrayType::get(llvm::PointerType::getUnqual(module.getContext()), objects.size()),
      objects);
}

// The layout must match include/lockstep/sycl/detail/image.hpp.
llvm::Constant *image_record(llvm::Module &module, const DeviceCode &code) {
  llvm::LLVMContext &context = module.getContext();
  auto constant = [&](llvm::Constant *value, const char *name) {
    return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                    llvm::GlobalValue::PrivateLinkage, value, name);
  };
  auto text = [&](const std::string &words, const char *name) {
    return constant(llvm::ConstantDataArray::getString(context, words), name);
  };
  auto *bytes =
      constant(llvm::ConstantDataArray::getString(context, code.bitcode, /*AddNull=*/false),
               "lockstep.image.bitcode");
  bytes->setAlignment(llvm::Align(16));
  auto *size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), code.bitcode.size());
  auto *record = llvm::ConstantStruct::getAnon(
      {text(LOCKSTEP_VERSION LOCKSTEP_SYCL_BORDER_WORDS, "lockstep.image.version"), bytes, size,
       text(code.description, "lockstep.image.description"),
       constant(host_sides(module, code.needs), "lockstep.image.needs"),
       constant(host_objects(module, code.globals), "lockstep.image.globals"),
       constant(llvm::ConstantDataArray::getString(context, code.machine_code, /*AddNull=*/false),
                "lockstep.image.machine_code"),
       llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), code.machine_code.size())});
  return new llvm::GlobalVariable(module, record->getType(), true,
                                  llvm::GlobalValue::InternalLinkage, record, "lockstep.image");
}

// Creates a function that passes the image to a library function when the object is loaded or
// unloaded.
llvm::Function *registering_function(llvm::Module &module, const char *library_function,
                                     llvm::Constant *image) {
  llvm::LLVMContext &context = module.getContext();
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                          llvm::Twine(library_function) + ".call", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  auto callee =
      module.getOrInsertFunction(library_function, builder.getVoidTy(), builder.getPtrTy());
  builder.CreateCall(callee, {image});
  builder.CreateRetVoid();
  return function;
}

} // namespace

llvm::PreservedAnalyses EmbedImagePass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::GlobalVariable *name = module.getNamedGlobal("__lockstep_image");
  const bool has_kernels = name && !name->use_empty();
  if (!has_kernels && !defines_external_functions(module))
    return llvm::PreservedAnalyses::all();
  auto code = compile_for_device(source_.installation, source_.user, source_.source);
  if (!code) {
    *source_.failed = true;
    return llvm::PreservedAnalyses::all();
  }
  if (!compile_ahead_of_time(source_.installation, source_.user, *code)) {
    *source_.failed = true;
    return llvm::PreservedAnalyses::all();
  }
  llvm::Constant *image = image_record(module, *code);
  if (name) {
    name->replaceAllUsesWith(image);
    name->eraseFromParent();
  }
  // Runs before the program's constructors, which may launch kernels.
  constexpr int before_the_programs = 101;
  llvm::appendToGlobalCtors(module, registering_function(module, "lockstep_sycl_add_image", image),
                            before_the_programs);
  llvm::appendToGlobalDtors(module,
                            registering_function(module, "lockstep_sycl_remove_image", image),
                            before_the_programs);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::driver
