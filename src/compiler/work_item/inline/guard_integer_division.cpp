// Keeps integer division from trapping.
//
// OpenCL C 6.3: a division by zero, or of the most negative number by -1, yields an unspecified
// value and raises no exception. LLVM's sdiv/udiv/srem/urem have undefined behavior there, and x86
// traps. So such divisors are replaced at run time: x / 0 becomes x / 1, INT_MIN / -1 becomes
// INT_MIN / 1.
//
// Requires: any function.
// Ensures: every division is safe to execute with any operands.
//
// Position: before the first optimization, which would otherwise conclude from a division that its
// divisor is not zero.
#include "compiler/work_item/inline/passes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace lockstep::compiler {

namespace {

bool is_safe_lane(const llvm::Constant *divisor, bool is_signed) {
  auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(divisor);
  return number && !number->isZero() && !(is_signed && number->isMinusOne());
}

constexpr char guarded[] = "lockstep.guarded"; // keep-out-of-line has guarded this division

// Whether the divisor is a constant that is neither 0 nor (signed) -1 in any lane.
bool is_safe_divisor(const llvm::Value *divisor, bool is_signed) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(divisor);
  if (!constant)
    return false;
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
  if (!vector)
    return is_safe_lane(constant, is_signed);
  for (unsigned lane = 0; lane != vector->getNumElements(); ++lane)
    if (!is_safe_lane(constant->getAggregateElement(lane), is_signed))
      return false;
  return true;
}

void guard(llvm::BinaryOperator &division, bool is_signed) {
  llvm::IRBuilder<> builder(&division);
  llvm::Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  llvm::Type *type = divisor->getType();
  llvm::Value *bad =
      builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type), "divisor.is.zero");
  if (is_signed) {
    unsigned bits = type->getScalarSizeInBits();
    llvm::Constant *least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    llvm::Value *overflow =
        builder.CreateAnd(builder.CreateICmpEQ(dividend, least),
                          builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
    bad = builder.CreateOr(bad, overflow, "division.overflows");
  }
  division.setMetadata(guarded, llvm::MDNode::get(division.getContext(), {}));
  division.setOperand(
      1, builder.CreateSelect(bad, llvm::ConstantInt::get(type, 1), divisor, "safe.divisor"));
}

} // namespace

llvm::PreservedAnalyses GuardIntegerDivisionPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::BinaryOperator *> divisions;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
        binary && binary->isIntDivRem())
      divisions.push_back(binary);
  bool changed = false;
  for (llvm::BinaryOperator *division : divisions) {
    bool is_signed = division->getOpcode() == llvm::Instruction::SDiv ||
                     division->getOpcode() == llvm::Instruction::SRem;
    if (division->hasMetadata(guarded) || is_safe_divisor(division->getOperand(1), is_signed))
      continue;
    guard(*division, is_signed);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
