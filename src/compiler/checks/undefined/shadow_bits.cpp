#include "compiler/checks/undefined/shadow_bits.h"

#include "llvm/IR/Constants.h"

namespace lockstep::compiler {

namespace {

llvm::Constant *ones(llvm::Type &type) {
  return llvm::Constant::getAllOnesValue(&type);
}

// Like getAllOnesValue, which does not support structures.
llvm::Constant *all_undefined(llvm::Type &type) {
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    llvm::SmallVector<llvm::Constant *> fields;
    for (llvm::Type *field : structure->elements())
      fields.push_back(all_undefined(*field));
    return llvm::ConstantStruct::get(structure, fields);
  }
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(&type))
    return llvm::ConstantArray::get(
        array, llvm::SmallVector<llvm::Constant *>(array->getNumElements(),
                                                   all_undefined(*array->getElementType())));
  return ones(type);
}

} // namespace

llvm::Type *UndefinedValues::type_of(llvm::Type &type) const {
  llvm::LLVMContext &context = type.getContext();
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type)) {
    llvm::Type *element = type_of(*vector->getElementType());
    return element ? llvm::FixedVectorType::get(element, vector->getNumElements()) : nullptr;
  }
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    llvm::Type *element = type_of(*array->getElementType());
    return element ? llvm::ArrayType::get(element, array->getNumElements()) : nullptr;
  }
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    llvm::SmallVector<llvm::Type *> fields;
    for (llvm::Type *field : structure->elements())
      if (llvm::Type *known = type_of(*field))
        fields.push_back(known);
      else
        return nullptr;
    return llvm::StructType::get(context, fields, structure->isPacked());
  }
  if (type.isIntegerTy())
    return &type;
  if (type.isFloatingPointTy() || type.isPointerTy())
    return llvm::IntegerType::get(context,
                                  unsigned(layout_.getTypeSizeInBits(&type).getFixedValue()));
  return nullptr;
}

bool UndefinedValues::is_none(const llvm::Value *bits) {
  auto *constant = llvm::dyn_cast_or_null<llvm::Constant>(bits);
  return !bits || (constant && constant->isNullValue());
}

llvm::Value *UndefinedValues::any(llvm::IRBuilder<> &builder, llvm::Value *bits) {
  llvm::Type *type = bits->getType();
  if (is_none(bits))
    return builder.getFalse();
  unsigned parts = 0;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    parts = vector->getNumElements();
  else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    parts = unsigned(array->getNumElements());
  else if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
    parts = structure->getNumElements();
  else
    return builder.CreateIsNotNull(bits);
  llvm::Value *sum = builder.getFalse();
  for (unsigned i = 0; i != parts; ++i)
    sum = builder.CreateOr(sum, any(builder, type->isVectorTy()
                                                 ? builder.CreateExtractElement(bits, uint64_t(i))
                                                 : builder.CreateExtractValue(bits, i)));
  return sum;
}

ShadowBits UndefinedValues::of_constant(const llvm::Constant &constant) const {
  llvm::Type *type = type_of(*constant.getType());
  llvm::Constant *defined = llvm::ConstantInt::getFalse(constant.getContext());
  if (!type)
    return {};
  if (llvm::isa<llvm::UndefValue>(constant)) // includes poison
    return {all_undefined(*type), defined};
  if (llvm::isa<llvm::ConstantVector, llvm::ConstantStruct, llvm::ConstantArray>(constant)) {
    llvm::SmallVector<llvm::Constant *> parts;
    for (const llvm::Use &part : constant.operands())
      parts.push_back(
          llvm::cast<llvm::Constant>(of_constant(*llvm::cast<llvm::Constant>(part)).bits));
    if (type->isVectorTy())
      return {llvm::ConstantVector::get(parts), defined};
    if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
      return {llvm::ConstantArray::get(array, parts), defined};
    return {llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(type), parts), defined};
  }
  return {llvm::Constant::getNullValue(type), defined};
}

ShadowBits UndefinedValues::of(llvm::Value *value) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value))
    return of_constant(*constant);
  if (auto found = known_.find(value); found != known_.end())
    return found->second;
  llvm::Type *type = type_of(*value->getType()); // an argument, or a value of an unreachable block
  if (!type)
    return {};
  return {llvm::Constant::getNullValue(type), llvm::ConstantInt::getFalse(value->getContext())};
}

// `condition` has one bit per element, or one bit for all.
llvm::Value *UndefinedValues::all_if(llvm::IRBuilder<> &builder, llvm::Value *condition,
                                     llvm::Type &type) {
  if (is_none(condition))
    return llvm::Constant::getNullValue(&type);
  if (condition->getType()->isVectorTy() || type.isIntegerTy())
    return builder.CreateSExt(condition, &type);
  return builder.CreateSelect(condition, all_undefined(type), llvm::Constant::getNullValue(&type));
}

// Converts to a type with as many elements: an element with an undefined bit becomes all undefined.
llvm::Value *UndefinedValues::resized(llvm::IRBuilder<> &builder, llvm::Value *bits,
                                      llvm::Type &type) {
  auto *from = llvm::dyn_cast<llvm::FixedVectorType>(bits->getType());
  auto *to = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  if (from && to && from->getNumElements() == to->getNumElements())
    return builder.CreateSExt(builder.CreateIsNotNull(bits), &type);
  return all_if(builder, any(builder, bits), type);
}

ShadowBits UndefinedValues::computed_from(llvm::IRBuilder<> &builder, llvm::Type &result,
                                          llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *type = type_of(result);
  if (!type)
    return {};
  llvm::Value *sum = llvm::Constant::getNullValue(type), *one_is = builder.getFalse();
  for (llvm::Value *operand : operands) {
    llvm::Value *bits = of(operand).bits;
    if (is_none(bits))
      continue;
    if (type->isIntOrIntVectorTy())
      sum = builder.CreateOr(sum, bits->getType() == type ? bits : resized(builder, bits, *type));
    else
      one_is = builder.CreateOr(one_is, any(builder, bits));
  }
  if (!type->isIntOrIntVectorTy())
    return {all_if(builder, one_is, *type), one_is};
  return {sum, any(builder, sum)};
}

void UndefinedValues::set_computed(llvm::IRBuilder<> &builder, llvm::Instruction &of,
                                   llvm::Value *bits) {
  set(of, {bits, any(builder, bits)});
}

void UndefinedValues::visit_binary(llvm::IRBuilder<> &builder, llvm::BinaryOperator &operation) {
  llvm::Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  const ShadowBits a = of(left), b = of(right);
  llvm::Value *copied = builder.CreateOr(a.computed, b.computed);
  switch (operation.getOpcode()) {
  case llvm::Instruction::And:
  case llvm::Instruction::Or: { // a defined 0 (And) or 1 (Or) decides the result
    const bool is_and = operation.getOpcode() == llvm::Instruction::And;
    auto open = [&](llvm::Value *value) { return is_and ? value : builder.CreateNot(value); };
    llvm::Value *bits = builder.CreateAnd(a.bits, b.bits);
    if (!is_none(b.bits))
      bits = builder.CreateOr(bits, builder.CreateAnd(open(left), b.bits));
    if (!is_none(a.bits))
      bits = builder.CreateOr(bits, builder.CreateAnd(a.bits, open(right)));
    return set(operation, {bits, copied});
  }
  case llvm::Instruction::Xor:
    return set(operation, {builder.CreateOr(a.bits, b.bits), copied});
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr: {
    llvm::Value *bits =
        is_none(a.bits) ? a.bits : builder.CreateBinOp(operation.getOpcode(), a.bits, right);
    // A defined shift amount keeps the value a copy, however the amount was computed.
    if (is_none(b.bits))
      return set(operation, {bits, a.computed});
    return set(operation, {builder.CreateOr(bits, resized(builder, b.bits, *a.bits->getType())),
                           builder.CreateOr(a.computed, any(builder, b.bits))});
  }
  default:
    return set_computed(builder, operation, builder.CreateOr(a.bits, b.bits));
  }
}

// A value lies between two ends: all undefined bits 0, and all undefined bits 1. If the comparison
// of the extreme ends agrees, the result is defined.
llvm::Value *UndefinedValues::compare_ends(llvm::IRBuilder<> &builder, llvm::CmpInst &compare) {
  auto ends = [&](llvm::Value *value) {
    llvm::Value *bits = of(value).bits;
    if (compare.isSigned())
      value = builder.CreateXor(
          value,
          llvm::ConstantInt::get(
              value->getType(), llvm::APInt::getSignMask(value->getType()->getScalarSizeInBits())));
    return std::pair(builder.CreateAnd(value, builder.CreateNot(bits)),
                     builder.CreateOr(value, bits));
  };
  const auto [low, high] = ends(compare.getOperand(0));
  const auto [other_low, other_high] = ends(compare.getOperand(1));
  const auto predicate = llvm::ICmpInst::getUnsignedPredicate(compare.getPredicate());
  return builder.CreateXor(builder.CreateICmp(predicate, low, other_high),
                           builder.CreateICmp(predicate, high, other_low));
}

// Two values that differ in a bit defined in both are not equal.
void UndefinedValues::visit_compare(llvm::IRBuilder<> &builder, llvm::CmpInst &compare) {
  llvm::Value *left = compare.getOperand(0), *right = compare.getOperand(1);
  llvm::Value *bits = builder.CreateOr(of(left).bits, of(right).bits);
  const bool is_exact = !is_none(bits) && left->getType()->isIntOrIntVectorTy();
  if (!is_exact)
    return set_computed(builder, compare, builder.CreateIsNotNull(bits));
  if (!compare.isEquality())
    return set_computed(builder, compare, compare_ends(builder, compare));
  llvm::Value *differs = builder.CreateAnd(builder.CreateXor(left, right), builder.CreateNot(bits));
  set_computed(builder, compare,
               builder.CreateAnd(builder.CreateIsNotNull(bits), builder.CreateIsNull(differs)));
}

void UndefinedValues::visit_select(llvm::IRBuilder<> &builder, llvm::SelectInst &select) {
  llvm::Value *condition = select.getCondition();
  const ShadowBits one = of(select.getTrueValue()), other = of(select.getFalseValue()),
                   chosen = of(condition);
  llvm::Value *bits = builder.CreateSelect(condition, one.bits, other.bits), *computed = nullptr;
  if (condition->getType()->isVectorTy())
    computed = builder.CreateOr(one.computed, other.computed);
  else
    computed = builder.CreateSelect(condition, one.computed, other.computed);
  if (!is_none(chosen.bits)) {
    llvm::Type *type = bits->getType();
    llvm::Value *unknown = all_if(builder, chosen.bits, *type);
    if (select.getType() == type &&
        type->isIntOrIntVectorTy()) { // If both operands are equal, the condition does not matter.
      llvm::Value *differs = builder.CreateXor(select.getTrueValue(), select.getFalseValue());
      unknown = builder.CreateAnd(unknown, builder.CreateOr({differs, one.bits, other.bits}));
    }
    bits = type->isIntOrIntVectorTy()
               ? builder.CreateOr(bits, unknown)
               : builder.CreateSelect(chosen.bits, all_undefined(*type), bits);
    computed = builder.CreateOr(computed, any(builder, chosen.bits));
  }
  set(select, {bits, computed});
}

void UndefinedValues::visit_cast(llvm::IRBuilder<> &builder, llvm::CastInst &cast) {
  llvm::Type &type = *type_of(*cast.getType());
  const ShadowBits from = of(cast.getOperand(0));
  if (!from.bits)
    return set(cast, {llvm::Constant::getNullValue(&type), builder.getFalse()});
  switch (cast.getOpcode()) {
  case llvm::Instruction::Trunc:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
    return set(cast, {builder.CreateCast(cast.getOpcode(), from.bits, &type), from.computed});
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::PtrToAddr:
  case llvm::Instruction::IntToPtr:
  case llvm::Instruction::AddrSpaceCast:
    return set(cast, {builder.CreateZExtOrTrunc(from.bits, &type), from.computed});
  case llvm::Instruction::BitCast:
    return set(cast, {builder.CreateBitCast(from.bits, &type), from.computed});
  default:
    return set_computed(builder, cast, resized(builder, from.bits, type));
  }
}

// Elements without a mask index are undefined.
void UndefinedValues::visit_shuffle(llvm::IRBuilder<> &builder, llvm::ShuffleVectorInst &shuffle) {
  const ShadowBits a = of(shuffle.getOperand(0)), b = of(shuffle.getOperand(1));
  llvm::SmallVector<int> mask(shuffle.getShuffleMask());
  auto *type = llvm::cast<llvm::FixedVectorType>(type_of(*shuffle.getType()));
  llvm::SmallVector<llvm::Constant *> open;
  for (int &index : mask) {
    open.push_back(index < 0 ? ones(*type->getElementType())
                             : llvm::Constant::getNullValue(type->getElementType()));
    index = std::max(index, 0);
  }
  llvm::Value *bits = builder.CreateOr(builder.CreateShuffleVector(a.bits, b.bits, mask),
                                       llvm::ConstantVector::get(open));
  set(shuffle, {bits, builder.CreateOr(a.computed, b.computed)});
}

void UndefinedValues::visit_phi(llvm::PHINode &phi) {
  llvm::Type *type = type_of(*phi.getType());
  if (!type)
    return;
  llvm::IRBuilder<> builder(&phi);
  set(phi, {builder.CreatePHI(type, phi.getNumIncomingValues()),
            builder.CreatePHI(builder.getInt1Ty(), phi.getNumIncomingValues())});
  joins_.push_back(&phi);
}

void UndefinedValues::finish_joins() {
  for (llvm::PHINode *phi : joins_) {
    const ShadowBits mine = known_.lookup(phi);
    for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i) {
      const ShadowBits theirs = of(phi->getIncomingValue(i));
      llvm::cast<llvm::PHINode>(mine.bits)->addIncoming(theirs.bits, phi->getIncomingBlock(i));
      llvm::cast<llvm::PHINode>(mine.computed)
          ->addIncoming(theirs.computed, phi->getIncomingBlock(i));
    }
  }
}

bool UndefinedValues::visit(llvm::Instruction &instruction) {
  if (!type_of(*instruction.getType()))
    return false;
  llvm::IRBuilder<> builder(&instruction);
  // an undefined index makes the whole result undefined
  auto element = [&](llvm::Value *bits, llvm::Value *index) {
    return all_if(builder, any(builder, of(index).bits), *bits->getType());
  };
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    visit_phi(*phi);
  } else if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    visit_binary(builder, *operation);
  } else if (auto *compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    visit_compare(builder, *compare);
  } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    visit_select(builder, *select);
  } else if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    visit_cast(builder, *cast);
  } else if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction)) {
    visit_shuffle(builder, *shuffle);
  } else if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    const ShadowBits from = of(extract->getVectorOperand());
    llvm::Value *bits = builder.CreateExtractElement(from.bits, extract->getIndexOperand());
    set(*extract,
        {builder.CreateOr(bits, element(bits, extract->getIndexOperand())), from.computed});
  } else if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction)) {
    const ShadowBits from = of(insert->getOperand(0)), part = of(insert->getOperand(1));
    llvm::Value *bits = builder.CreateInsertElement(from.bits, part.bits, insert->getOperand(2));
    set(*insert, {builder.CreateOr(bits, element(bits, insert->getOperand(2))),
                  builder.CreateOr(from.computed, part.computed)});
  } else if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    const ShadowBits from = of(extract->getAggregateOperand());
    set(*extract, {builder.CreateExtractValue(from.bits, extract->getIndices()), from.computed});
  } else if (auto *insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    const ShadowBits from = of(insert->getAggregateOperand()),
                     part = of(insert->getInsertedValueOperand());
    set(*insert, {builder.CreateInsertValue(from.bits, part.bits, insert->getIndices()),
                  builder.CreateOr(from.computed, part.computed)});
  } else if (llvm::isa<llvm::GetElementPtrInst, llvm::UnaryOperator>(instruction)) {
    llvm::SmallVector<llvm::Value *> operands(instruction.operands());
    set(instruction, computed_from(builder, *instruction.getType(), operands));
  } else {
    return false;
  }
  return true;
}

} // namespace lockstep::compiler
