#include "compiler/analysis/cost/cost_model.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

constexpr auto throughput = llvm::TargetTransformInfo::TCK_RecipThroughput;

llvm::Type *in_lanes(llvm::Type *type, unsigned width) {
  return llvm::VectorType::isValidElementType(type) && width > 1
             ? llvm::FixedVectorType::get(type, width)
             : type;
}

} // namespace

double CostModel::arithmetic_in_lanes(const llvm::Instruction &instruction) const {
  llvm::Type *type = in_lanes(instruction.getType(), width_);
  llvm::InstructionCost cost = 1;
  if (llvm::isa<llvm::BinaryOperator>(instruction)) {
    cost = target_->getArithmeticInstrCost(instruction.getOpcode(), type, throughput);
  } else if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
             intrinsic && llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID())) {
    llvm::SmallVector<llvm::Type *> types;
    for (const llvm::Value *argument : intrinsic->args())
      types.push_back(in_lanes(argument->getType(), width_));
    cost = target_->getIntrinsicInstrCost({intrinsic->getIntrinsicID(), type, types}, throughput);
  }
  return vectors(cost.isValid() ? double(cost.getValue()) : double(width_));
}

} // namespace lockstep::compiler
