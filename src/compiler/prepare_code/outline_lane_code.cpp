#include "compiler/prepare_code/outline_lane_code.h"

#include "compiler/target_model/target_model.h"
#include "kernel_ir/math_functions.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

using llvm::Instruction;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

// The largest number of lanes of the operands and the result; 0 if there is no vector.
unsigned lanes_of(const Instruction &instruction) {
  auto lanes = [](Type *type) {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector ? vector->getNumElements() : 0;
  };
  unsigned count = lanes(instruction.getType());
  for (const llvm::Use &operand : instruction.operands())
    count = std::max(count, lanes(operand->getType()));
  return count;
}

bool is_gather(const Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
}

bool is_scatter(const Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::masked_scatter;
}

bool all_lanes_are_active(const Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

bool has_mask(const Instruction &instruction) {
  return (is_gather(instruction) && !all_lanes_are_active(instruction.getOperand(1))) ||
         (is_scatter(instruction) && !all_lanes_are_active(instruction.getOperand(2)));
}

// A conversion between vectors of float and half, which integer vectors can do.
bool is_half_conversion(const Instruction &instruction) {
  auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
  return cast && cast->getSrcTy()->isVectorTy() &&
         ((cast->getOpcode() == Instruction::FPExt &&
           cast->getSrcTy()->getScalarType()->isHalfTy() &&
           cast->getDestTy()->getScalarType()->isFloatTy()) ||
          (cast->getOpcode() == Instruction::FPTrunc &&
           cast->getSrcTy()->getScalarType()->isFloatTy() &&
           cast->getDestTy()->getScalarType()->isHalfTy()));
}

// The operations that the processor lacks.
class Processor {
public:
  Processor(const llvm::TargetMachine &target, const llvm::TargetTransformInfo &costs)
      : Processor(*target_model(target), costs) {}

  // Accesses: packetize has chosen their form.
  bool lacks_access(const Instruction &instruction) const {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || lanes_of(instruction) > 64)
      return false;
    if (is_gather(*call))
      return !costs_.isLegalMaskedGather(call->getType(), call->getParamAlign(0).valueOrOne());
    return is_scatter(*call) && !costs_.isLegalMaskedScatter(call->getArgOperand(0)->getType(),
                                                             call->getParamAlign(1).valueOrOne());
  }

  bool lacks(const Instruction &instruction) const {
    Type *to = instruction.getType()->getScalarType();
    Type *from = instruction.getNumOperands() == 0
                     ? to
                     : instruction.getOperand(0)->getType()->getScalarType();
    const bool has_half = (from->isHalfTy() || to->isHalfTy()) && !halves_;
    const bool has_long = (from->isIntegerTy(64) || to->isIntegerTy(64)) && !long_conversions_;
    switch (instruction.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return !llvm::isa<llvm::Constant>(instruction.getOperand(1));
    case Instruction::FRem:
      return true;
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return has_half || has_long;
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FCmp:
      return has_half;
    default:
      break;
    }
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call && lacks_function(call->getIntrinsicID(), has_half || has_long);
  }

private:
  Processor(const TargetModel &model, const llvm::TargetTransformInfo &costs)
      : costs_(costs), halves_(model.has(Operation::half_conversion)),
        fma_(model.has(Operation::fused_multiply_add)),
        long_conversions_(model.has(Operation::long_conversion)),
        rounding_(model.has(Operation::rounding)) {}
  bool lacks_function(ID id, bool has_odd_type) const {
    switch (id) {
    case llvm::Intrinsic::fma:
      return !fma_;
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::roundeven:
      return !rounding_;
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
      return has_odd_type;
    case llvm::Intrinsic::ldexp:
      return true;
    default:
      return is_maths_function(id);
    }
  }

  const llvm::TargetTransformInfo &costs_;
  const bool halves_, fma_, long_conversions_, rounding_;
};

std::string short_name(const Type *type) {
  const Type *scalar = type->getScalarType();
  std::string name = scalar->isPointerTy()
                         ? "p" + llvm::utostr(scalar->getPointerAddressSpace())
                         : (scalar->isFloatingPointTy() ? "f" : "i") +
                               llvm::utostr(const_cast<Type *>(scalar)->getScalarSizeInBits());
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    name += "x" + llvm::utostr(vector->getNumElements());
  return name;
}

// Instructions of the same name do the same.
std::string name_of_work(const Instruction &instruction, llvm::ArrayRef<Value *> operands) {
  std::string name = "lockstep.lanes.";
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    name += llvm::Intrinsic::getBaseName(call->getIntrinsicID()).drop_front(strlen("llvm."));
    for (unsigned argument = 0; argument != call->arg_size(); ++argument)
      if (auto alignment = call->getParamAlign(argument))
        name += "." + llvm::utostr(alignment->value());
  } else {
    name += instruction.getOpcodeName();
    if (auto *comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction))
      name += "." + llvm::CmpInst::getPredicateName(comparison->getPredicate()).str();
  }
  if (!instruction.getType()->isVoidTy())
    name += "." + short_name(instruction.getType());
  for (const Value *operand : operands)
    name += "." + short_name(operand->getType());
  return name;
}

// The function for one kind of work.
class Outlined {
public:
  Outlined(Instruction &example, llvm::ArrayRef<Value *> operands, unsigned lanes)
      : example_(example), lanes_(lanes), module_(*example.getModule()),
        builder_(example.getContext()) {
    llvm::SmallVector<Type *> types;
    for (Value *operand : operands)
      types.push_back(operand->getType());
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(memory_type(example.getType()), types, false),
        llvm::GlobalValue::InternalLinkage, name_of_work(example, operands), module_);
    function_->addFnAttr(out_of_line_function);
    function_->addFnAttr(llvm::Attribute::NoInline);
    function_->setDoesNotThrow();
  }

  // In a vector of i1, elements share bytes; in memory each needs its own.
  static Type *memory_type(Type *type) {
    return type->getScalarType()->isIntegerTy(1)
               ? type->getWithNewType(Type::getInt8Ty(type->getContext()))
               : type;
  }

  llvm::Function *make() {
    entry_ = llvm::BasicBlock::Create(module_.getContext(), "entry", function_);
    builder_.SetInsertPoint(entry_);
    if (is_half_conversion(example_)) {
      builder_.CreateRet(example_.getType()->getScalarType()->isHalfTy()
                             ? half_of_float(function_->getArg(0))
                             : float_of_half(function_->getArg(0)));
      return function_;
    }
    for (llvm::Argument &argument : function_->args()) {
      places_.push_back(nullptr);
      if (!argument.getType()->isVectorTy())
        continue;
      places_.back() = builder_.CreateAlloca(argument.getType());
      builder_.CreateStore(&argument, places_.back());
    }
    Type *type = function_->getReturnType();
    results_ = type->isVoidTy() ? nullptr : builder_.CreateAlloca(type);
    if (has_mask(example_))
      for_active_lanes(function_->getArg(function_->arg_size() - 1));
    else
      for (unsigned lane = 0; lane != lanes_; ++lane)
        for_lane(builder_.getInt64(lane));
    if (results_)
      builder_.CreateRet(builder_.CreateLoad(type, results_));
    else
      builder_.CreateRetVoid();
    return function_;
  }

private:
  void for_active_lanes(Value *active) {
    auto *loop = llvm::BasicBlock::Create(module_.getContext(), "lanes", function_);
    auto *end = llvm::BasicBlock::Create(module_.getContext(), "end", function_);
    Value *none = builder_.getInt64(0);
    builder_.CreateCondBr(builder_.CreateICmpEQ(active, none), end, loop);
    builder_.SetInsertPoint(loop);
    llvm::PHINode *left = builder_.CreatePHI(builder_.getInt64Ty(), 2, "lanes.left");
    for_lane(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder_.getTrue()));
    Value *next = builder_.CreateAnd(left, builder_.CreateSub(left, builder_.getInt64(1)));
    left->addIncoming(active, entry_);
    left->addIncoming(next, loop);
    builder_.CreateCondBr(builder_.CreateICmpEQ(next, none), end, loop);
    builder_.SetInsertPoint(end);
  }

  void for_lane(Value *lane) {
    llvm::SmallVector<Value *> operands;
    for (llvm::Argument &argument : function_->args())
      operands.push_back(places_[argument.getArgNo()]
                             ? load_element(argument.getType(), places_[argument.getArgNo()], lane)
                             : &argument);
    Value *result = work(operands);
    if (!results_)
      return;
    Type *type = function_->getReturnType()->getScalarType();
    builder_.CreateStore(builder_.CreateZExtOrBitCast(result, type),
                         builder_.CreateInBoundsGEP(type, results_, lane));
  }

  Value *bits(uint32_t value) {
    return llvm::ConstantInt::get(
        function_->getArg(0)->getType()->getWithNewType(builder_.getInt32Ty()), value);
  }
  Value *as_float(Value *value) {
    return builder_.CreateBitCast(value, value->getType()->getWithNewType(builder_.getFloatTy()));
  }
  Value *as_bits(Value *value) {
    return builder_.CreateBitCast(value, value->getType()->getWithNewType(builder_.getInt32Ty()));
  }

  // A subnormal half becomes 2^-14 plus its value, and 2^-14 is subtracted again. NaNs become
  // quiet.
  Value *float_of_half(Value *half) {
    Value *word = builder_.CreateZExt(
        builder_.CreateBitCast(half, half->getType()->getWithNewType(builder_.getInt16Ty())),
        bits(0)->getType());
    Value *size = builder_.CreateShl(builder_.CreateAnd(word, bits(0x7fff)), bits(13));
    Value *normal = builder_.CreateAdd(size, bits(112U << 23));
    Value *special =
        builder_.CreateOr(builder_.CreateAdd(normal, bits(112U << 23)),
                          builder_.CreateSelect(builder_.CreateICmpUGT(size, bits(0x7c00U << 13)),
                                                bits(1U << 22), bits(0)));
    Value *small = as_bits(builder_.CreateFSub(as_float(builder_.CreateAdd(size, bits(113U << 23))),
                                               as_float(bits(113U << 23))));
    Value *result =
        builder_.CreateSelect(builder_.CreateICmpUGE(size, bits(0x7c00U << 13)), special, normal);
    result = builder_.CreateSelect(builder_.CreateICmpULT(size, bits(1U << 23)), small, result);
    Value *sign = builder_.CreateShl(builder_.CreateAnd(word, bits(0x8000)), bits(16));
    return as_float(builder_.CreateOr(result, sign));
  }

  // Rounds to nearest, ties to even. The addition of 0.5 rounds results that are subnormal.
  Value *half_of_float(Value *number) {
    Value *word = as_bits(number);
    Value *size = builder_.CreateAnd(word, bits(0x7fffffff));
    Value *odd = builder_.CreateAnd(builder_.CreateLShr(size, bits(13)), bits(1));
    Value *normal = builder_.CreateLShr(
        builder_.CreateAdd(builder_.CreateSub(size, bits((112U << 23) - 0xfff)), odd), bits(13));
    Value *small = builder_.CreateSub(
        as_bits(builder_.CreateFAdd(as_float(size), as_float(bits(126U << 23)))), bits(126U << 23));
    Value *payload = builder_.CreateAnd(builder_.CreateLShr(size, bits(13)), bits(0x3ff));
    Value *special = builder_.CreateSelect(builder_.CreateICmpUGT(size, bits(0x7f800000)),
                                           builder_.CreateOr(payload, bits(0x7e00)), bits(0x7c00));
    Value *result =
        builder_.CreateSelect(builder_.CreateICmpULT(size, bits(113U << 23)), small, normal);
    result = builder_.CreateSelect(builder_.CreateICmpUGE(size, bits(143U << 23)), special, result);
    Value *sign = builder_.CreateAnd(builder_.CreateLShr(word, bits(16)), bits(0x8000));
    result = builder_.CreateTrunc(builder_.CreateOr(result, sign),
                                  number->getType()->getWithNewType(builder_.getInt16Ty()));
    return builder_.CreateBitCast(result, number->getType()->getWithNewType(builder_.getHalfTy()));
  }

  Value *load_element(Type *vector, Value *place, Value *lane) {
    Type *type = vector->getScalarType();
    return builder_.CreateLoad(type, builder_.CreateInBoundsGEP(type, place, lane));
  }

  // Emits the operation for one lane, without flags, since they differ between the users of the
  // function.
  Value *work(llvm::ArrayRef<Value *> operands) {
    Type *type = example_.getType()->getScalarType();
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&example_)) {
      if (is_gather(example_))
        return builder_.CreateAlignedLoad(type, operands[0], call->getParamAlign(0).valueOrOne());
      if (is_scatter(example_))
        return builder_.CreateAlignedStore(operands[0], operands[1],
                                           call->getParamAlign(1).valueOrOne());
      return builder_.CreateIntrinsic(type, call->getIntrinsicID(), operands);
    }
    if (auto *comparison = llvm::dyn_cast<llvm::CmpInst>(&example_))
      return builder_.CreateCmp(comparison->getPredicate(), operands[0], operands[1]);
    if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&example_))
      return builder_.CreateCast(cast->getOpcode(), operands[0], type);
    return builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(example_).getOpcode(), operands[0],
                                operands[1]);
  }

  Instruction &example_;
  const unsigned lanes_;
  llvm::Module &module_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_ = nullptr;
  llvm::BasicBlock *entry_ = nullptr;
  llvm::SmallVector<Value *> places_; // of vector arguments; null for others
  Value *results_ = nullptr;
};

// The operands of the call; for gathers and scatters the mask is the last one, as bits.
llvm::SmallVector<Value *> operands_of(llvm::IRBuilderBase &builder, Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return {instruction.op_begin(), instruction.op_end()};
  auto bits = [&](Value *mask) {
    return builder.CreateZExt(builder.CreateBitCast(mask, builder.getIntNTy(lanes_of(instruction))),
                              builder.getInt64Ty());
  };
  llvm::SmallVector<Value *> operands(call->args());
  if (is_gather(*call))
    operands.resize(1);
  if (is_scatter(*call))
    operands.resize(2);
  if (has_mask(*call))
    operands.push_back(bits(call->getArgOperand(is_gather(*call) ? 1 : 2)));
  return operands;
}

// Whether a vector in memory has the layout of an array. The elements of a vector are contiguous
// there. Elements of a mask share bytes, and an i48, as bit-fields produce, has 6 bytes in a vector
// and 8 in an array.
bool lies_as_an_array(const Instruction &instruction, Type *vector) {
  Type *type = vector->getScalarType();
  const llvm::DataLayout &layout = instruction.getDataLayout();
  return !type->isSized() || layout.getTypeSizeInBits(type) == layout.getTypeAllocSizeInBits(type);
}

// A mask operand of an access is passed as bits; a mask result is made of bytes.
bool lies_in_arrays(const Instruction &instruction) {
  auto lies = [&](const llvm::Use &operand) {
    return lies_as_an_array(instruction, operand->getType());
  };
  return is_scatter(instruction)
             ? lies(instruction.getOperandUse(0))
             : lies_as_an_array(instruction, Outlined::memory_type(instruction.getType())) &&
                   (is_gather(instruction) || llvm::all_of(instruction.operands(), lies));
}

// Whether the operation can be done with floats, given conversions of vectors of halves.
bool is_done_with_floats(const Instruction &instruction) {
  if (instruction.getNumOperands() == 0 ||
      !instruction.getOperand(0)->getType()->getScalarType()->isHalfTy())
    return false;
  switch (instruction.getOpcode()) {
  case Instruction::FAdd: // double rounding is harmless: a float has enough bits
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FCmp:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return true;
  case Instruction::FPExt:
    return instruction.getType()->getScalarType()->isDoubleTy();
  default:
    return false;
  }
}

void call_instead(Instruction &instruction);

void do_with_floats(Instruction &instruction) {
  llvm::IRBuilder<> builder(&instruction);
  llvm::SmallVector<Instruction *> conversions;
  auto converted = [&](Instruction::CastOps kind, Value *value, Type *type) -> Value * {
    conversions.push_back(llvm::CastInst::Create(
        kind, value, value->getType()->getWithNewType(type), "", instruction.getIterator()));
    return conversions.back();
  };
  llvm::SmallVector<Value *> operands;
  for (Value *operand : instruction.operands())
    operands.push_back(converted(Instruction::FPExt, operand, builder.getFloatTy()));
  Value *result;
  if (auto *comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction))
    result = builder.CreateCmp(comparison->getPredicate(), operands[0], operands[1]);
  else if (auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    result = builder.CreateCast(cast->getOpcode(), operands[0], instruction.getType());
  else
    result =
        converted(Instruction::FPTrunc,
                  builder.CreateBinOp(llvm::cast<llvm::BinaryOperator>(instruction).getOpcode(),
                                      operands[0], operands[1]),
                  builder.getHalfTy());
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
  for (Instruction *conversion : conversions)
    call_instead(*conversion);
}

void call_instead(Instruction &instruction) {
  if (is_done_with_floats(instruction))
    return do_with_floats(instruction);
  llvm::IRBuilder<> builder(&instruction);
  llvm::SmallVector<Value *> operands = operands_of(builder, instruction);
  llvm::Function *function =
      instruction.getModule()->getFunction(name_of_work(instruction, operands));
  if (!function)
    function = Outlined(instruction, operands, lanes_of(instruction)).make();
  Value *result = builder.CreateCall(function, operands);
  if (!instruction.getType()->isVoidTy()) {
    result = builder.CreateTrunc(result, instruction.getType());
    if (is_gather(instruction) && !llvm::isa<llvm::UndefValue>(instruction.getOperand(2)))
      result = builder.CreateSelect(instruction.getOperand(1), result, instruction.getOperand(2));
    instruction.replaceAllUsesWith(result);
  }
  instruction.eraseFromParent();
}

bool outline(llvm::Function &function, const Processor &processor) {
  llvm::SmallVector<Instruction *> accesses, work;
  unsigned lanes = 0;
  for (Instruction &instruction : llvm::instructions(function)) {
    const unsigned count = lanes_of(instruction);
    if (count < fewest_outlined_lanes || !lies_in_arrays(instruction))
      continue;
    if (processor.lacks_access(instruction)) {
      accesses.push_back(&instruction);
    } else if (processor.lacks(instruction) && count <= 64) {
      work.push_back(&instruction);
      lanes += count;
    }
  }
  if (lanes > most_lanes_in_line) {
    remark(*work.front(), llvm::Twine(lanes) + " times that one lane does what this processor has "
                                               "no vector instruction for, by functions");
    accesses.append(work);
  }
  for (Instruction *instruction : accesses)
    call_instead(*instruction);
  return !accesses.empty();
}

} // namespace

llvm::PreservedAnalyses OutlineLaneCodePass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &analyses) {
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  bool changed = false;
  for (llvm::Function *function : functions)
    changed |= outline(
        *function, Processor(target_, of_functions.getResult<llvm::TargetIRAnalysis>(*function)));
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
