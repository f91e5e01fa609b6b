#include "tools/lockstep++/embed_image.h"

#include "tools/lockstep++/device_pass.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace lockstep::driver {
namespace {

// include/lockstep/sycl/detail/image.hpp has the same structure.
llvm::Constant *image_record(llvm::Module &module, const std::string &bitcode) {
  llvm::LLVMContext &context = module.getContext();
  auto *data = llvm::ConstantDataArray::getString(context, bitcode, /*AddNull=*/false);
  auto *bytes =
      new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::PrivateLinkage, data, "lockstep.image.bitcode");
  bytes->setAlignment(llvm::Align(16));
  auto *version = llvm::ConstantDataArray::getString(context, LOCKSTEP_VERSION);
  auto *version_text =
      new llvm::GlobalVariable(module, version->getType(), true, llvm::GlobalValue::PrivateLinkage,
                               version, "lockstep.image.version");
  auto *size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), bitcode.size());
  auto *record = llvm::ConstantStruct::getAnon({version_text, bytes, size});
  return new llvm::GlobalVariable(module, record->getType(), true,
                                  llvm::GlobalValue::InternalLinkage, record, "lockstep.image");
}

// A function that tells the library, to be called when the object is loaded or unloaded.
llvm::Function *teller(llvm::Module &module, const char *library_function, llvm::Constant *image) {
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
  if (!name || name->use_empty())
    return llvm::PreservedAnalyses::all();
  auto bitcode = compile_for_device(source_.installation, source_.user, source_.source);
  if (!bitcode) {
    *source_.failed = true;
    return llvm::PreservedAnalyses::all();
  }
  llvm::Constant *image = image_record(module, *bitcode);
  name->replaceAllUsesWith(image);
  name->eraseFromParent();
  constexpr int before_the_programs = 101; // whose constructors may launch kernels
  llvm::appendToGlobalCtors(module, teller(module, "lockstep_sycl_add_image", image),
                            before_the_programs);
  llvm::appendToGlobalDtors(module, teller(module, "lockstep_sycl_remove_image", image),
                            before_the_programs);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::driver
