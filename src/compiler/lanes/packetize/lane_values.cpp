#include "compiler/lanes/packetize/lane_values.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {
using Kind = LaneShape::Kind;
}

llvm::IRBuilder<> builder_after(llvm::Value &value, llvm::Function &function) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction)
    return llvm::IRBuilder<>(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::BasicBlock *block = instruction->getParent();
  auto place = llvm::isa<llvm::PHINode>(instruction) ? block->getFirstInsertionPt()
                                                     : std::next(instruction->getIterator());
  return llvm::IRBuilder<>(block, place);
}

llvm::Constant *constant_lanes(llvm::Type *scalar, llvm::ArrayRef<int64_t> lanes) {
  llvm::SmallVector<llvm::Constant *> constants;
  for (int64_t lane : lanes)
    constants.push_back(llvm::ConstantInt::getSigned(scalar, lane));
  return llvm::ConstantVector::get(constants);
}

llvm::Type *LaneValues::vector_type(llvm::Type *type) const {
  if (type->isVoidTy())
    return type;
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::SmallVector<llvm::Type *> fields;
    for (llvm::Type *field : structure->elements())
      fields.push_back(vector_type(field));
    return llvm::StructType::get(type->getContext(), fields);
  }
  return llvm::FixedVectorType::get(type, width());
}

llvm::Value *LaneValues::make_splat(llvm::IRBuilderBase &builder, llvm::Value *scalar) {
  auto *structure = llvm::dyn_cast<llvm::StructType>(scalar->getType());
  if (!structure)
    return builder.CreateVectorSplat(width(), scalar, scalar->getName());
  llvm::Value *result = llvm::PoisonValue::get(vector_type(structure));
  for (unsigned field = 0; field != structure->getNumElements(); ++field)
    result = builder.CreateInsertValue(
        result, make_splat(builder, builder.CreateExtractValue(scalar, field)), field);
  return result;
}

llvm::Constant *LaneValues::splat_constant(llvm::Constant &constant) const {
  auto *structure = llvm::dyn_cast<llvm::StructType>(constant.getType());
  if (!structure)
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width()), &constant);
  llvm::SmallVector<llvm::Constant *> fields;
  for (unsigned field = 0; field != structure->getNumElements(); ++field)
    fields.push_back(splat_constant(*constant.getAggregateElement(field)));
  return llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(vector_type(structure)), fields);
}

llvm::Value *LaneValues::vector(llvm::Value *scalar) {
  if (llvm::Value *known = vectors_.lookup(scalar))
    return known;
  llvm::Value *made = make_vector(scalar);
  return vectors_[scalar] = made;
}

llvm::Value *LaneValues::make_vector(llvm::Value *scalar) {
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(scalar))
    return splat_constant(*constant);
  const LaneShape &shape = shapes_.of(*scalar);
  if (shape.kind == Kind::constants)
    return constant_lanes(scalar->getType(), shape.lanes);
  assert(!shape.is_vector() && "packetize visits definitions first");
  auto *argument = llvm::dyn_cast<llvm::Argument>(scalar);
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(scalar);
  llvm::Function &function = argument ? *argument->getParent() : *instruction->getFunction();
  llvm::IRBuilder<> builder = builder_after(*scalar, function);
  if (shape.kind != Kind::offsets)
    return make_splat(builder, scalar);
  llvm::Type *type = scalar->getType();
  if (type->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), scalar,
                             constant_lanes(builder.getInt64Ty(), shape.lanes),
                             scalar->getName() + ".lanes");
  return builder.CreateAdd(make_splat(builder, scalar), constant_lanes(type, shape.lanes),
                           scalar->getName() + ".lanes");
}

llvm::Value *LaneValues::base(llvm::Value *scalar) {
  const LaneShape &shape = shapes_.of(*scalar);
  if (shape.kind == Kind::constants)
    return llvm::ConstantInt::getSigned(scalar->getType(), shape.lanes[0]);
  assert(shape.kind != Kind::varying && "no distances between the lanes");
  if (!shape.assumed)
    return scalar;
  if (llvm::Value *known = bases_.lookup(scalar))
    return known;
  llvm::Value *made = make_assumed_base(llvm::cast<llvm::Instruction>(*scalar));
  return bases_[scalar] = made;
}

// Returns a copy of the instruction for lane 0. A zero extension starts from base_lane's index
// instead, since lane 0's narrow index may have wrapped.
llvm::Value *LaneValues::make_assumed_base(llvm::Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    builder.SetInsertPoint(phi->getParent(), phi->getParent()->begin());
    llvm::PHINode *copy =
        builder.CreatePHI(phi->getType(), phi->getNumIncomingValues(), phi->getName() + ".base");
    open_phis_.emplace_back(phi, copy);
    return copy;
  }
  llvm::Value *first = instruction.getOperand(0);
  if (llvm::isa<llvm::ZExtInst>(instruction)) {
    const LaneShape &narrow = shapes_.of(*first);
    int64_t distance = narrow.distance(base_lane(narrow, width()));
    llvm::Value *largest =
        builder.CreateAdd(base(first), llvm::ConstantInt::getSigned(first->getType(), distance));
    return builder.CreateSub(builder.CreateZExt(largest, instruction.getType()),
                             llvm::ConstantInt::getSigned(instruction.getType(), distance),
                             instruction.getName() + ".base");
  }
  llvm::Instruction *copy = instruction.clone();
  copy->dropPoisonGeneratingFlags();
  for (llvm::Use &operand : copy->operands())
    operand.set(base(operand));
  copy->insertBefore(instruction.getIterator());
  copy->setName(instruction.getName() + ".base");
  return copy;
}

void LaneValues::finish() {
  for (unsigned index = 0; index != open_phis_.size(); ++index) { // base() may add more
    auto [phi, copy] = open_phis_[index];
    for (unsigned edge = 0; edge != phi->getNumIncomingValues(); ++edge)
      copy->addIncoming(base(phi->getIncomingValue(edge)), phi->getIncomingBlock(edge));
  }
}

} // namespace lockstep::compiler
