#include "compiler/checks/expressions/evaluate.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

std::optional<llvm::APInt> result_of(unsigned opcode, const llvm::APInt &a, const llvm::APInt &b) {
  switch (opcode) {
  case llvm::Instruction::Add:
    return a + b;
  case llvm::Instruction::Sub:
    return a - b;
  case llvm::Instruction::Mul:
    return a * b;
  case llvm::Instruction::And:
    return a & b;
  case llvm::Instruction::Or:
    return a | b;
  case llvm::Instruction::Xor:
    return a ^ b;
  case llvm::Instruction::Shl:
    return b.ult(a.getBitWidth()) ? std::optional(a.shl(b)) : std::nullopt;
  case llvm::Instruction::LShr:
    return b.ult(a.getBitWidth()) ? std::optional(a.lshr(b)) : std::nullopt;
  case llvm::Instruction::AShr:
    return b.ult(a.getBitWidth()) ? std::optional(a.ashr(b)) : std::nullopt;
  case llvm::Instruction::UDiv:
    return b.isZero() ? std::nullopt : std::optional(a.udiv(b));
  case llvm::Instruction::URem:
    return b.isZero() ? std::nullopt : std::optional(a.urem(b));
  case llvm::Instruction::SDiv:
    return b.isZero() || b.isAllOnes() ? std::nullopt : std::optional(a.sdiv(b));
  case llvm::Instruction::SRem:
    return b.isZero() || b.isAllOnes() ? std::nullopt : std::optional(a.srem(b));
  default:
    return std::nullopt;
  }
}

std::optional<llvm::APInt> result_of_call(llvm::Intrinsic::ID function,
                                          llvm::ArrayRef<llvm::APInt> operands) {
  const llvm::APInt &a = operands[0], &b = operands[operands.size() == 1 ? 0 : 1];
  const unsigned bits = a.getBitWidth();
  switch (function) {
  case llvm::Intrinsic::umin:
    return llvm::APIntOps::umin(a, b);
  case llvm::Intrinsic::umax:
    return llvm::APIntOps::umax(a, b);
  case llvm::Intrinsic::smin:
    return llvm::APIntOps::smin(a, b);
  case llvm::Intrinsic::smax:
    return llvm::APIntOps::smax(a, b);
  case llvm::Intrinsic::
      abs: // the second operand: whether the result for the least number is poison
    return a.isMinSignedValue() && b.isOne() ? std::nullopt : std::optional(a.abs());
  case llvm::Intrinsic::cttz: // the second operand: whether the result for 0 is poison
    return a.isZero() && b.isOne() ? std::nullopt
                                   : std::optional(llvm::APInt(bits, a.countr_zero()));
  case llvm::Intrinsic::ctlz:
    return a.isZero() && b.isOne() ? std::nullopt
                                   : std::optional(llvm::APInt(bits, a.countl_zero()));
  case llvm::Intrinsic::ctpop:
    return llvm::APInt(bits, a.popcount());
  case llvm::Intrinsic::bitreverse:
    return a.reverseBits();
  case llvm::Intrinsic::bswap:
    return a.byteSwap();
  case llvm::Intrinsic::usub_sat:
    return a.usub_sat(b);
  case llvm::Intrinsic::uadd_sat:
    return a.uadd_sat(b);
  case llvm::Intrinsic::fshl:
    return llvm::APIntOps::fshl(a, b, operands[2]);
  case llvm::Intrinsic::fshr:
    return llvm::APIntOps::fshr(a, b, operands[2]);
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<llvm::APInt> evaluate(const llvm::Instruction &instruction,
                                    llvm::ArrayRef<llvm::APInt> operands) {
  const unsigned bits = instruction.getType()->getIntegerBitWidth();
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Trunc:
    return operands[0].trunc(bits);
  case llvm::Instruction::ZExt:
    return operands[0].zext(bits);
  case llvm::Instruction::SExt:
    return operands[0].sext(bits);
  case llvm::Instruction::Freeze:
    return operands[0];
  case llvm::Instruction::ICmp:
    return llvm::APInt(
        1, llvm::ICmpInst::compare(operands[0], operands[1],
                                   llvm::cast<llvm::ICmpInst>(instruction).getPredicate()));
  case llvm::Instruction::Select:
    return operands[0].isOne() ? operands[1] : operands[2];
  case llvm::Instruction::Call:
    return result_of_call(llvm::cast<llvm::IntrinsicInst>(instruction).getIntrinsicID(), operands);
  default:
    return result_of(instruction.getOpcode(), operands[0], operands[1]);
  }
}

bool is_computable(const llvm::Instruction &instruction) {
  auto fits = [](const llvm::Type *type) {
    return type->isIntegerTy() && type->getIntegerBitWidth() <= 64;
  };
  if (llvm::isa<llvm::CallInst>(instruction)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call && call->arg_size() != 0 && fits(call->getType()) &&
           llvm::all_of(call->args(), [&](const llvm::Use &use) { return fits(use->getType()); });
  }
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst,
                   llvm::FreezeInst>(instruction) &&
         llvm::all_of(instruction.operands(),
                      [&](const llvm::Use &use) { return fits(use->getType()); });
}

unsigned operands_of(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call ? call->arg_size() : instruction.getNumOperands();
}

} // namespace lockstep::compiler
