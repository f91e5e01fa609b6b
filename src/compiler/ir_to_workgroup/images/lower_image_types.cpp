#include "compiler/ir_to_workgroup/images/lower_image_types.h"

#include "compiler/image_descriptor.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned constant_space = 2;

llvm::Type *lowered(llvm::Type *type) {
  auto *opaque = llvm::dyn_cast<llvm::TargetExtType>(type);
  if (!opaque)
    return type;
  if (opaque->getName() == "spirv.Image")
    return llvm::PointerType::get(type->getContext(), constant_space);
  if (opaque->getName() == "spirv.Sampler")
    return llvm::Type::getInt32Ty(type->getContext());
  return type;
}

// OpenCL C has no structures, arrays or pointers of images.
class Types : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type *remapType(llvm::Type *type) override {
    auto *function = llvm::dyn_cast<llvm::FunctionType>(type);
    if (!function)
      return lowered(type);
    llvm::SmallVector<llvm::Type *> parameters;
    for (llvm::Type *parameter : function->params())
      parameters.push_back(lowered(parameter));
    return llvm::FunctionType::get(lowered(function->getReturnType()), parameters,
                                   function->isVarArg());
  }
};

bool has_images(const llvm::Module &module) {
  Types types;
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return types.remapType(function.getFunctionType()) != function.getFunctionType();
  });
}

// The function with another type. Its arguments and itself are to be replaced by those in `values`.
llvm::Function *retyped(llvm::Function &function, llvm::FunctionType *type,
                        llvm::ValueToValueMapTy &values) {
  auto *copy = llvm::Function::Create(type, function.getLinkage(), function.getAddressSpace(), "",
                                      function.getParent());
  copy->takeName(&function);
  copy->copyAttributesFrom(&function);
  copy->copyMetadata(&function, 0);
  copy->splice(copy->begin(), &function);
  for (auto [before, after] : llvm::zip(function.args(), copy->args())) {
    after.takeName(&before);
    values[&before] = &after;
    // Of whoever reads it, so that reading can move out of branches.
    if (before.getType() != after.getType() && after.getType()->isPointerTy()) {
      after.addAttr(llvm::Attribute::getWithDereferenceableBytes(copy->getContext(),
                                                                 sizeof(ImageDescriptor)));
      after.addAttr(llvm::Attribute::getWithAlignment(copy->getContext(), llvm::Align(8)));
    }
  }
  values[&function] = copy;
  return copy;
}

bool is_conversion(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  return function.isDeclaration() &&
         (name == "__translate_sampler_initializer" || name == "__lockstep_sampler" ||
          name.starts_with("__lockstep_descriptor_"));
}

} // namespace

llvm::PreservedAnalyses LowerImageTypesPass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &) {
  if (!has_images(module))
    return llvm::PreservedAnalyses::all();
  Types types;
  llvm::ValueToValueMapTy values;
  llvm::SmallVector<llvm::Function *> replaced;
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    auto *type = llvm::cast<llvm::FunctionType>(types.remapType(function.getFunctionType()));
    if (type == function.getFunctionType() || values.count(&function))
      continue;
    retyped(function, type, values);
    replaced.push_back(&function);
  }
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      llvm::RemapFunction(function, values,
                          llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges, &types);
  for (llvm::Function *function : replaced)
    function->eraseFromParent();
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (!is_conversion(function))
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::cast<llvm::CallBase>(user);
      call->replaceAllUsesWith(call->getArgOperand(0));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
