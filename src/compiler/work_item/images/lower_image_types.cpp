// Lowers types of images, samplers, pipes and reservations to addresses and integers.
//
// Requires: kernel IR with its device library, with clang's types target("spirv.Image", ...),
// target("spirv.Sampler"), target("spirv.Pipe", ...) and target("spirv.ReserveId").
// Ensures:
// - An image is the address of its descriptor (src/abi/image_descriptor.h), `ptr addrspace(2)`. A
//   sampler is an i32. A pipe is the address of its ring (src/runtime/memory/pipe.h), `ptr
//   addrspace(1)`. A reservation is an i64, as is an event of an async copy.
// - The conversion functions are gone: __translate_sampler_initializer, __lockstep_sampler,
//   __lockstep_descriptor_..., __lockstep_pipe_..., __lockstep_reservation and
//   __lockstep_reservation_number.
// - Calls of __lockstep_image_... are left for specialize-images.
// - In checked kernels, an argument that was a pipe has the attribute "lockstep-pipe", and calls of
//   __lockstep_record_packets are left for instrument-accesses. In others they are gone, too.
//
// Position: right after linking. Builtins of the device library take images as kernels do, and
// later passes do not know these types.
#include "compiler/work_item/images/passes.h"

#include "abi/address_spaces.h"

#include "abi/image_descriptor.h"
#include "kernel_ir/check_attributes.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

llvm::Type *lowered(llvm::TargetExtType *opaque) {
  llvm::LLVMContext &context = opaque->getContext();
  if (opaque->getName() == "spirv.Image")
    return llvm::PointerType::get(context, constant_space);
  if (opaque->getName() == "spirv.Sampler")
    return llvm::Type::getInt32Ty(context);
  if (opaque->getName() == "spirv.Pipe")
    return llvm::PointerType::get(context, global_space);
  if (opaque->getName() == "spirv.ReserveId" || opaque->getName() == "spirv.Queue" ||
      opaque->getName() == "spirv.DeviceEvent" || opaque->getName() == "spirv.Event")
    return llvm::Type::getInt64Ty(context);
  return opaque;
}

// OpenCL C has no structures, arrays or pointers of images, but of reservations, queues and events.
// Their layout does not change, as each of these types has the size of a pointer.
class Types : public llvm::ValueMapTypeRemapper {
public:
  llvm::Type *remapType(llvm::Type *type) override {
    if (auto *opaque = llvm::dyn_cast<llvm::TargetExtType>(type))
      return lowered(opaque);
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
      return remapped(structure);
    auto *function = llvm::dyn_cast<llvm::FunctionType>(type);
    if (!function)
      return type;
    return llvm::FunctionType::get(remapType(function->getReturnType()),
                                   remapped(function->params()), function->isVarArg());
  }

private:
  llvm::SmallVector<llvm::Type *> remapped(llvm::ArrayRef<llvm::Type *> types) {
    llvm::SmallVector<llvm::Type *> result;
    for (llvm::Type *type : types)
      result.push_back(remapType(type));
    return result;
  }
  // A structure without a lowered type stays the same type, with its name.
  llvm::Type *remapped(llvm::StructType *structure) {
    if (structure->isOpaque())
      return structure;
    llvm::Type *&known = structures_[structure];
    if (known)
      return known;
    llvm::SmallVector<llvm::Type *> elements = remapped(structure->elements());
    llvm::Type *result = structure;
    if (llvm::ArrayRef(elements) != structure->elements())
      result = llvm::StructType::get(structure->getContext(), elements, structure->isPacked());
    return structures_[structure] = result;
  }

  llvm::DenseMap<llvm::StructType *, llvm::Type *> structures_;
};

// Every use of such a type involves a function that takes or returns one.
bool has_some(const llvm::Module &module, Types &types) {
  return llvm::any_of(module, [&](const llvm::Function &function) {
    return types.remapType(function.getFunctionType()) != function.getFunctionType();
  });
}

// Lowers variables, such as reservations in local memory. Returns the replaced variables.
llvm::SmallVector<llvm::GlobalVariable *> lower_variables(llvm::Module &module, Types &types,
                                                          llvm::ValueToValueMapTy &values) {
  llvm::SmallVector<llvm::GlobalVariable *> replaced;
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
    llvm::Type *type = types.remapType(variable.getValueType());
    if (type == variable.getValueType() || values.count(&variable))
      continue;
    auto *copy = new llvm::GlobalVariable(
        module, type, variable.isConstant(), variable.getLinkage(), nullptr, "", &variable,
        variable.getThreadLocalMode(), variable.getAddressSpace());
    copy->takeName(&variable);
    copy->copyAttributesFrom(&variable);
    copy->copyMetadata(&variable, 0);
    if (variable.hasInitializer())
      copy->setInitializer(
          llvm::MapValue(variable.getInitializer(), values, llvm::RF_None, &types));
    values[&variable] = copy;
    replaced.push_back(&variable);
  }
  return replaced;
}

// Makes the function with another type. The caller must replace its arguments and itself by those
// in `values`.
llvm::Function *retyped(llvm::Function &function, llvm::FunctionType *type,
                        llvm::ValueToValueMapTy &values, bool marks_pipes) {
  auto *copy = llvm::Function::Create(type, function.getLinkage(), function.getAddressSpace(), "",
                                      function.getParent());
  copy->takeName(&function);
  copy->copyAttributesFrom(&function);
  copy->copyMetadata(&function, 0);
  copy->splice(copy->begin(), &function);
  for (auto [before, after] : llvm::zip(function.args(), copy->args())) {
    after.takeName(&before);
    values[&before] = &after;
    if (auto *opaque = llvm::dyn_cast<llvm::TargetExtType>(before.getType());
        marks_pipes && opaque && opaque->getName() == "spirv.Pipe")
      after.addAttr(llvm::Attribute::get(copy->getContext(), pipe_attribute));
    // Descriptors are dereferenceable, so that reads of them can move out of branches.
    auto *pointer = llvm::dyn_cast<llvm::PointerType>(after.getType());
    if (before.getType() != pointer && pointer && pointer->getAddressSpace() == constant_space) {
      after.addAttr(llvm::Attribute::getWithDereferenceableBytes(copy->getContext(),
                                                                 sizeof(ImageDescriptor)));
      after.addAttr(llvm::Attribute::getWithAlignment(copy->getContext(), llvm::Align(8)));
    }
  }
  values[&function] = copy;
  return copy;
}

// The calls are pure only in the device library; here they must not be removed.
void keep_records(llvm::Function &record) {
  const auto effects = llvm::MemoryEffects::inaccessibleMemOnly();
  record.setMemoryEffects(effects);
  for (llvm::User *user : record.users())
    llvm::cast<llvm::CallBase>(user)->setMemoryEffects(effects);
}

bool is_conversion(const llvm::Function &function) {
  llvm::StringRef name = function.getName();
  return function.isDeclaration() &&
         (name == "__translate_sampler_initializer" || name == "__lockstep_sampler" ||
          name == "__lockstep_reservation" || name == "__lockstep_reservation_number" ||
          name == "__lockstep_queue" || name == "__lockstep_queue_number" ||
          name == "__lockstep_event" || name == "__lockstep_event_number" ||
          name.starts_with("__lockstep_descriptor_") || name.starts_with("__lockstep_pipe_"));
}

} // namespace

llvm::PreservedAnalyses LowerImageTypesPass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &) {
  Types types;
  if (!has_some(module, types))
    return llvm::PreservedAnalyses::all();
  llvm::ValueToValueMapTy values;
  const auto old_variables = lower_variables(module, types, values);
  llvm::SmallVector<llvm::Function *> replaced;
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    auto *type = llvm::cast<llvm::FunctionType>(types.remapType(function.getFunctionType()));
    if (type == function.getFunctionType() || values.count(&function))
      continue;
    retyped(function, type, values, is_checked_);
    replaced.push_back(&function);
  }
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      llvm::RemapFunction(function, values,
                          llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges, &types);
  for (llvm::Function *function : replaced)
    function->eraseFromParent();
  for (llvm::GlobalVariable *variable : old_variables) {
    variable->removeDeadConstantUsers();
    variable->eraseFromParent();
  }
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    const bool is_record = primitive_of(function) == Primitive::record_packets;
    if (is_record && is_checked_)
      keep_records(function);
    if (is_record ? is_checked_ : !is_conversion(function))
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
