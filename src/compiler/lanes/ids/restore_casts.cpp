// Restores casts and sums that InstCombine has turned into shifts, masks and disjoint ors.
//
// Input:  the kernel of one work-item after scalar optimization. InstCombine has turned
//         `(long)(int)x` into `(x << 32) >> 32`, `(long)(3 * (int)x + 1)` into `((3 << 32) * x +
//         (1 << 32)) >> 32` and `(ulong)(uint)x` into `x & 0xffffffff`.
// Output: the same values computed with trunc and sext or zext. An "or disjoint" becomes a sum.
//
// Lane shapes can be propagated through a cast (distances are preserved, or assumed to be), but not
// through a right shift.
#include "compiler/lanes/ids/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

// The upper half of a number whose lower half is 0, or null.
llvm::Value *upper_half(llvm::IRBuilder<> &builder, llvm::Value &value, unsigned depth = 0) {
  llvm::Value *one = nullptr, *other = nullptr;
  const llvm::APInt *number = nullptr;
  auto upper = [](const llvm::APInt &whole) { return whole.lshr(32).trunc(32); };
  if (match(&value, m_APInt(number)))
    return number->countr_zero() >= 32 ? builder.getInt(upper(*number)) : nullptr;
  if (match(&value, m_Shl(m_Value(one), m_APInt(number))) && number->uge(32) && number->ult(64)) {
    one = builder.CreateTrunc(one, builder.getInt32Ty());
    return *number == 32 ? one : builder.CreateShl(one, number->getZExtValue() - 32);
  }
  if (match(&value, m_Mul(m_Value(one), m_APInt(number))) && number->countr_zero() >= 32)
    return builder.CreateMul(builder.CreateTrunc(one, builder.getInt32Ty()),
                             builder.getInt(upper(*number)));
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  if (!sum || depth == limits::search_depth ||
      !match(sum,
             m_CombineOr(m_Add(m_Value(one), m_Value(other)), m_Sub(m_Value(one), m_Value(other)))))
    return nullptr;
  one = upper_half(builder, *one, depth + 1);
  other = one ? upper_half(builder, *other, depth + 1) : nullptr;
  return other ? builder.CreateBinOp(sum->getOpcode(), one, other) : nullptr;
}

// `(sum << 32) >> right`, where the shift to the left may have become a factor of each summand: the
// extension of a sum of 32 bits.
llvm::Value *restore_shifts(llvm::Instruction &shift) {
  const llvm::APInt *right = nullptr;
  if (!match(&shift, m_Shr(m_Value(), m_APInt(right))) || right->ugt(32) || right->isZero() ||
      llvm::isa<llvm::Constant>(shift.getOperand(0)))
    return nullptr;
  llvm::IRBuilder<> builder(&shift);
  llvm::Value *sum = upper_half(builder, *shift.getOperand(0));
  if (!sum)
    return nullptr;
  llvm::Value *wide = shift.getOpcode() == llvm::Instruction::AShr
                          ? builder.CreateSExt(sum, shift.getType())
                          : builder.CreateZExt(sum, shift.getType());
  return *right == 32 ? wide : builder.CreateShl(wide, 32 - right->getZExtValue());
}

llvm::Value *restore_mask(llvm::Instruction &instruction) {
  llvm::Value *value;
  if (!match(&instruction, m_And(m_Value(value), m_SpecificInt(0xffffffff))))
    return nullptr;
  llvm::IRBuilder<> builder(&instruction);
  return builder.CreateZExt(builder.CreateTrunc(value, builder.getInt32Ty()),
                            instruction.getType());
}

// Turns an "or" of disjoint bits into a sum. The bits may be disjoint only because of a branch that
// some lanes take. Lane 0's value represents all lanes of an address, even if lane 0 is inactive.
// The sum has nuw and nsw; packetize drops such flags when it computes lane 0's value.
llvm::Value *restore_sum(llvm::Instruction &instruction) {
  auto *disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  if (!disjoint || !disjoint->isDisjoint())
    return nullptr;
  return llvm::IRBuilder<>(&instruction)
      .CreateAdd(disjoint->getOperand(0), disjoint->getOperand(1), "", /*HasNUW=*/true,
                 /*HasNSW=*/true);
}

} // namespace

llvm::PreservedAnalyses RestoreCastsPass::run_in_lanes(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *restored = restore_sum(instruction);
    if (!restored && instruction.getType()->isIntegerTy(64))
      restored = instruction.isShift() ? restore_shifts(instruction) : restore_mask(instruction);
    if (!restored)
      continue;
    restored->takeName(&instruction);
    instruction.replaceAllUsesWith(restored);
    instruction.eraseFromParent();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
