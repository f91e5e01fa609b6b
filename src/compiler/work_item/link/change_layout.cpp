#include "compiler/work_item/link/change_layout.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

using llvm::Constant;
using llvm::Type;

class LayoutChange {
public:
  LayoutChange(llvm::Module &module, const llvm::DataLayout &after)
      : module_(module), before_(module.getDataLayout()), after_(after) {}
  void run();

private:
  bool differs(Type *type) const;
  Type *bytes(uint64_t count) const {
    return llvm::ArrayType::get(Type::getInt8Ty(module_.getContext()), count);
  }
  void for_members(llvm::StructType &type, llvm::function_ref<void(unsigned member)> visit,
                   llvm::function_ref<void(uint64_t bytes)> pad) const;
  Type *same_places(Type *type) const;
  Constant *same_places(Constant *value) const;
  Constant *bytes_of(const llvm::APInt &value, uint64_t count) const;
  void change_variable(llvm::GlobalVariable &variable);
  void change_arguments(llvm::Function &function);
  void change_addresses(llvm::Function &function);
  void for_parts(Type &whole, llvm::function_ref<void(unsigned part, uint64_t place)> visit) const;
  llvm::Value *load(llvm::IRBuilder<> &builder, const llvm::LoadInst &whole, Type *type,
                    uint64_t place);
  void store(llvm::IRBuilder<> &builder, const llvm::StoreInst &whole, llvm::Value *value,
             uint64_t place);
  void change_accesses(llvm::Function &function);

  llvm::Module &module_;
  const llvm::DataLayout before_, &after_;
};

// Whether the type's size or a member's offset differs.
bool LayoutChange::differs(Type *type) const {
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return differs(array->getElementType());
  if (type->isIntegerTy())
    return before_.getTypeAllocSize(type) != after_.getTypeAllocSize(type);
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure || !structure->isSized())
    return false;
  if (before_.getTypeAllocSize(structure) != after_.getTypeAllocSize(structure) ||
      before_.getStructLayout(structure)->getMemberOffsets() !=
          after_.getStructLayout(structure)->getMemberOffsets())
    return true;
  return llvm::any_of(structure->elements(), [&](Type *member) { return differs(member); });
}

void LayoutChange::for_members(llvm::StructType &type,
                               llvm::function_ref<void(unsigned member)> visit,
                               llvm::function_ref<void(uint64_t bytes)> pad) const {
  const llvm::StructLayout *layout = before_.getStructLayout(&type);
  uint64_t end = 0;
  for (unsigned member = 0; member != type.getNumElements(); ++member) {
    uint64_t begin = layout->getElementOffset(member);
    if (begin != end)
      pad(begin - end);
    visit(member);
    end = begin + before_.getTypeAllocSize(type.getElementType(member)).getFixedValue();
  }
  if (layout->getSizeInBytes() != end)
    pad(layout->getSizeInBytes() - end);
}

Type *LayoutChange::same_places(Type *type) const {
  if (!differs(type))
    return type;
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return llvm::ArrayType::get(same_places(array->getElementType()), array->getNumElements());
  auto *structure = llvm::dyn_cast<llvm::StructType>(type);
  if (!structure)
    return bytes(before_.getTypeAllocSize(type));
  llvm::SmallVector<Type *> members;
  for_members(
      *structure,
      [&](unsigned member) { members.push_back(same_places(structure->getElementType(member))); },
      [&](uint64_t count) { members.push_back(bytes(count)); });
  return llvm::StructType::get(module_.getContext(), members, /*isPacked=*/true);
}

Constant *LayoutChange::bytes_of(const llvm::APInt &value, uint64_t count) const {
  llvm::APInt all = value.zext(8 * count);
  llvm::SmallVector<uint8_t> bytes;
  for (uint64_t byte = 0; byte != count; ++byte)
    bytes.push_back(all.extractBitsAsZExtValue(8, 8 * byte));
  return llvm::ConstantDataArray::get(module_.getContext(), bytes);
}

Constant *LayoutChange::same_places(Constant *value) const {
  Type *type = value->getType();
  if (llvm::isa<llvm::ConstantExpr>(value))
    return llvm::ConstantFoldConstant(value, before_); // an address, perhaps of a member
  if (!differs(type) && !llvm::isa<llvm::ConstantAggregate>(value))
    return value;
  if (llvm::isa<llvm::PoisonValue>(value))
    return llvm::PoisonValue::get(same_places(type));
  if (llvm::isa<llvm::UndefValue>(value))
    return llvm::UndefValue::get(same_places(type));
  if (value->isNullValue())
    return Constant::getNullValue(same_places(type));
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(value))
    return bytes_of(integer->getValue(), before_.getTypeAllocSize(type));
  llvm::SmallVector<Constant *> members;
  auto member = [&](unsigned index) {
    members.push_back(same_places(value->getAggregateElement(index)));
  };
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type); structure && differs(type)) {
    for_members(*structure, member,
                [&](uint64_t count) { members.push_back(Constant::getNullValue(bytes(count))); });
    return llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(same_places(type)), members);
  }
  for (unsigned index = 0; value->getAggregateElement(index); ++index)
    member(index);
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
    return llvm::ConstantStruct::get(structure, members);
  if (type->isVectorTy())
    return llvm::ConstantVector::get(members);
  return llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(same_places(type)), members);
}

void LayoutChange::change_variable(llvm::GlobalVariable &variable) {
  Constant *initial = same_places(variable.getInitializer());
  if (initial->getType() == variable.getValueType()) {
    variable.setInitializer(initial);
    return;
  }
  auto *changed = new llvm::GlobalVariable(
      module_, initial->getType(), variable.isConstant(), variable.getLinkage(), initial, "",
      &variable, variable.getThreadLocalMode(), variable.getAddressSpace());
  changed->copyAttributesFrom(&variable);
  changed->copyMetadata(&variable, 0);
  changed->setAlignment(variable.getAlign().value_or(before_.getPreferredAlign(&variable)));
  changed->takeName(&variable);
  variable.replaceAllUsesWith(changed);
  variable.eraseFromParent();
}

void LayoutChange::change_arguments(llvm::Function &function) {
  for (llvm::Argument &argument : function.args()) {
    Type *type = argument.getParamByValType();
    if (!type || !differs(type))
      continue;
    llvm::Align alignment = argument.getParamAlign().value_or(before_.getABITypeAlign(type));
    argument.removeAttr(llvm::Attribute::ByVal);
    argument.addAttr(llvm::Attribute::getWithByValType(module_.getContext(),
                                                       bytes(before_.getTypeAllocSize(type))));
    argument.removeAttr(llvm::Attribute::Alignment);
    argument.addAttr(llvm::Attribute::getWithAlignment(module_.getContext(), alignment));
  }
}

void LayoutChange::change_addresses(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    for (llvm::Use &operand : instruction.operands())
      if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(operand))
        operand.set(llvm::ConstantFoldConstant(expression, before_));
    auto *place = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (!place || !differs(place->getSourceElementType()))
      continue;
    llvm::IRBuilder<> builder(place);
    llvm::Value *offset = llvm::emitGEPOffset(&builder, before_, place);
    llvm::Value *address = builder.CreatePtrAdd(place->getPointerOperand(), offset);
    address->takeName(place);
    place->replaceAllUsesWith(address);
    place->eraseFromParent();
  }
}

void LayoutChange::for_parts(Type &whole,
                             llvm::function_ref<void(unsigned part, uint64_t place)> visit) const {
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(&whole)) {
    for (unsigned part = 0; part != structure->getNumElements(); ++part)
      visit(part, before_.getStructLayout(structure)->getElementOffset(part));
    return;
  }
  const uint64_t step = before_.getTypeAllocSize(whole.getArrayElementType());
  for (uint64_t part = 0; part != whole.getArrayNumElements(); ++part)
    visit(unsigned(part), part * step);
}

llvm::Value *LayoutChange::load(llvm::IRBuilder<> &builder, const llvm::LoadInst &whole, Type *type,
                                uint64_t place) {
  if (!differs(type) || !type->isAggregateType())
    return builder.CreateAlignedLoad(
        type, builder.CreateConstGEP1_64(builder.getInt8Ty(), whole.getOperand(0), place),
        llvm::commonAlignment(whole.getAlign(), place), whole.isVolatile());
  llvm::Value *value = llvm::PoisonValue::get(type);
  for_parts(*type, [&](unsigned part, uint64_t offset) {
    Type *inner = llvm::ExtractValueInst::getIndexedType(type, part);
    value = builder.CreateInsertValue(value, load(builder, whole, inner, place + offset), part);
  });
  return value;
}

void LayoutChange::store(llvm::IRBuilder<> &builder, const llvm::StoreInst &whole,
                         llvm::Value *value, uint64_t place) {
  Type *type = value->getType();
  if (!differs(type) || !type->isAggregateType()) {
    builder.CreateAlignedStore(
        value, builder.CreateConstGEP1_64(builder.getInt8Ty(), whole.getOperand(1), place),
        llvm::commonAlignment(whole.getAlign(), place), whole.isVolatile());
    return;
  }
  for_parts(*type, [&](unsigned part, uint64_t offset) {
    store(builder, whole, builder.CreateExtractValue(value, part), place + offset);
  });
}

// Splits loads and stores of structures and arrays, which clang does not emit but other front ends
// may. Each part keeps its old offset.
void LayoutChange::change_accesses(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction))
      continue;
    Type *type = llvm::getLoadStoreType(&instruction);
    if (!type->isAggregateType() || !differs(type))
      continue;
    llvm::IRBuilder<> builder(&instruction);
    if (auto *whole = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      llvm::Value *value = load(builder, *whole, type, 0);
      value->takeName(whole);
      whole->replaceAllUsesWith(value);
    } else {
      auto &stored = llvm::cast<llvm::StoreInst>(instruction);
      store(builder, stored, stored.getValueOperand(), 0);
    }
    instruction.eraseFromParent();
  }
}

void LayoutChange::run() {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module_.globals()))
    if (variable.hasInitializer())
      change_variable(variable);
  for (llvm::Function &function : module_) {
    change_arguments(function);
    change_addresses(function);
    change_accesses(function);
  }
  module_.setDataLayout(after_);
}

} // namespace

void change_layout(llvm::Module &module, const llvm::DataLayout &after) {
  LayoutChange(module, after).run();
}

} // namespace lockstep::compiler
