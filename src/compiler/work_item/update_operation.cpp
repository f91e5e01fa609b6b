#include "compiler/work_item/update_operation.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

using llvm::AtomicRMWInst;
using llvm::Instruction;
using llvm::Value;

Value *bits_of(Value *value) {
  while (llvm::isa<llvm::BitCastInst, llvm::FreezeInst>(value))
    value = llvm::cast<Instruction>(value)->getOperand(0);
  return value;
}

std::optional<AtomicRMWInst::BinOp> update_of(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case llvm::Intrinsic::smin:
    return AtomicRMWInst::Min;
  case llvm::Intrinsic::smax:
    return AtomicRMWInst::Max;
  case llvm::Intrinsic::umin:
    return AtomicRMWInst::UMin;
  case llvm::Intrinsic::umax:
    return AtomicRMWInst::UMax;
  case llvm::Intrinsic::minnum:
    return AtomicRMWInst::FMin;
  case llvm::Intrinsic::maxnum:
    return AtomicRMWInst::FMax;
  default:
    return std::nullopt;
  }
}

std::optional<AtomicRMWInst::BinOp> update_if(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
  case llvm::CmpInst::ICMP_SGT:
  case llvm::CmpInst::ICMP_SGE:
    return AtomicRMWInst::Max;
  case llvm::CmpInst::ICMP_SLT:
  case llvm::CmpInst::ICMP_SLE:
    return AtomicRMWInst::Min;
  case llvm::CmpInst::ICMP_UGT:
  case llvm::CmpInst::ICMP_UGE:
    return AtomicRMWInst::UMax;
  case llvm::CmpInst::ICMP_ULT:
  case llvm::CmpInst::ICMP_ULE:
    return AtomicRMWInst::UMin;
  default:
    return std::nullopt;
  }
}

std::optional<UpdateOperation> commutative_update(const Instruction &operation, Value *operand) {
  const bool may_be_combined = !operation.getType()->isFloatingPointTy() ||
                               llvm::cast<llvm::FPMathOperator>(operation).hasAllowReassoc();
  if (!may_be_combined)
    return std::nullopt;
  switch (operation.getOpcode()) {
  case Instruction::Add:
    return UpdateOperation{AtomicRMWInst::Add, operand};
  case Instruction::And:
    return UpdateOperation{AtomicRMWInst::And, operand};
  case Instruction::Or:
    return UpdateOperation{AtomicRMWInst::Or, operand};
  case Instruction::Xor:
    return UpdateOperation{AtomicRMWInst::Xor, operand};
  case Instruction::FAdd:
    return UpdateOperation{AtomicRMWInst::FAdd, operand};
  case Instruction::Mul:
  case Instruction::FMul:
    return UpdateOperation{std::nullopt, operand};
  default:
    return std::nullopt;
  }
}

UpdateOperation product_of_shift(const llvm::ConstantInt &bits) {
  return {std::nullopt,
          llvm::ConstantInt::get(
              bits.getType(), llvm::APInt::getOneBitSet(bits.getBitWidth(), bits.getZExtValue()))};
}

} // namespace lockstep::compiler
