#include "compiler/ir_to_workgroup/llvm_detours/clamp_conversions_to_half.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace lockstep::compiler {

namespace {

// 16 bits without a sign: the exponent does for all that the significand holds.
bool may_overflow(const llvm::CastInst &conversion) {
  const llvm::Value *number = conversion.getOperand(0);
  const llvm::DataLayout &layout = conversion.getDataLayout();
  const unsigned bits = llvm::isa<llvm::SIToFPInst>(conversion)
                            ? llvm::ComputeMaxSignificantBits(number, layout)
                            : llvm::computeKnownBits(number, layout).getMaxValue().getActiveBits();
  return bits > 16;
}

void clamp(llvm::CastInst &conversion) {
  llvm::IRBuilder<> builder(&conversion);
  llvm::Value *number = conversion.getOperand(0);
  llvm::Constant *most = llvm::ConstantInt::get(number->getType(), 65535);
  if (llvm::isa<llvm::SIToFPInst>(conversion)) {
    number = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, most);
    number = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number,
                                           llvm::ConstantExpr::getNeg(most), nullptr, "clamped");
  } else {
    number = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number, most, nullptr, "clamped");
  }
  conversion.setOperand(0, number);
}

} // namespace

llvm::PreservedAnalyses ClampConversionsToHalfPass::run(llvm::Function &function,
                                                        llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *conversion = llvm::dyn_cast<llvm::CastInst>(&instruction);
        conversion && llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(conversion) &&
        conversion->getType()->getScalarType()->isHalfTy() && may_overflow(*conversion)) {
      clamp(*conversion);
      changed = true;
    }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
