// Atomic operations: one lane after the other, or reduced over the lanes first where nobody looks
// at the result.
#include "compiler/ir_to_workgroup/vectorize/lane_loop.h"
#include "compiler/ir_to_workgroup/vectorize/lane_remark.h"
#include "compiler/ir_to_workgroup/vectorize/packetizer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

struct Reduction {
  llvm::Intrinsic::ID intrinsic;
  llvm::APInt neutral; // for lanes that are not active
};

// How several operations on one location become one; none for those that depend on the order.
std::optional<Reduction> reduction_of(const llvm::AtomicRMWInst &operation) {
  auto *type = llvm::dyn_cast<llvm::IntegerType>(operation.getType());
  if (!type)
    return std::nullopt;
  unsigned bits = type->getBitWidth();
  switch (operation.getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
    return Reduction{llvm::Intrinsic::vector_reduce_add, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::And:
    return Reduction{llvm::Intrinsic::vector_reduce_and, llvm::APInt::getAllOnes(bits)};
  case llvm::AtomicRMWInst::Or:
    return Reduction{llvm::Intrinsic::vector_reduce_or, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::Xor:
    return Reduction{llvm::Intrinsic::vector_reduce_xor, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::Max:
    return Reduction{llvm::Intrinsic::vector_reduce_smax, llvm::APInt::getSignedMinValue(bits)};
  case llvm::AtomicRMWInst::Min:
    return Reduction{llvm::Intrinsic::vector_reduce_smin, llvm::APInt::getSignedMaxValue(bits)};
  case llvm::AtomicRMWInst::UMax:
    return Reduction{llvm::Intrinsic::vector_reduce_umax, llvm::APInt::getZero(bits)};
  case llvm::AtomicRMWInst::UMin:
    return Reduction{llvm::Intrinsic::vector_reduce_umin, llvm::APInt::getAllOnes(bits)};
  default:
    return std::nullopt;
  }
}

} // namespace

void Packetizer::visit_atomic(llvm::Instruction &instruction) {
  auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  if (operation && operation->use_empty() && !operation->isVolatile() &&
      shape(*operation->getPointerOperand()).is_uniform())
    if (auto reduction = reduction_of(*operation)) {
      Builder builder(&instruction);
      llvm::Value *lanes = values_.vector(operation->getValOperand());
      if (mask())
        lanes = builder.CreateSelect(mask(), lanes,
                                     llvm::ConstantInt::get(lanes->getType(), reduction->neutral));
      operation->setOperand(
          1, builder.CreateIntrinsic(operation->getType(), reduction->intrinsic, {lanes}));
      return;
    }
  remark(instruction, llvm::Twine("one lane after the other: ") + instruction.getOpcodeName());
  lane_by_lane(instruction);
}

} // namespace lockstep::compiler
