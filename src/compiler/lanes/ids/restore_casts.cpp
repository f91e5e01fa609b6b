// Restores casts and sums that InstCombine has turned into shifts, masks and disjoint ors.
//
// Input:  the kernel of one work-item after scalar optimization. InstCombine has turned
//         `(long)(int)x` into `(x << 32) >> 32`, `(long)((int)x + 1)` into `((x << 32) + (1 << 32))
//         >> 32` and `(ulong)(uint)x` into `x & 0xffffffff`.
// Output: the same values computed with trunc and sext or zext. An "or disjoint" becomes a sum.
//
// Lane shapes can be propagated through a cast (distances are preserved, or assumed to be), but not
// through a right shift.
#include "compiler/lanes/ids/passes.h"

#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

// Matches (x << left) >> right and ((x << left) + addend) >> right.
llvm::Value *restore_shifts(llvm::Instruction &shift) {
  llvm::Value *value;
  const llvm::APInt *left_bits, *right_bits, *addend = nullptr;
  unsigned bits = shift.getType()->getIntegerBitWidth();
  auto to_left = m_Shl(m_Value(value), m_APInt(left_bits));
  if (!match(&shift,
             m_Shr(m_CombineOr(to_left, m_Add(to_left, m_APInt(addend))), m_APInt(right_bits))) ||
      left_bits->uge(bits) || right_bits->uge(bits))
    return nullptr;
  uint64_t left = left_bits->getZExtValue(), right = right_bits->getZExtValue();
  bool is_signed = shift.getOpcode() == llvm::Instruction::AShr;
  llvm::IRBuilder<> builder(&shift);
  auto extend = [&](llvm::Value *narrow) {
    return is_signed ? builder.CreateSExt(narrow, shift.getType())
                     : builder.CreateZExt(narrow, shift.getType());
  };
  if (right > left)
    return nullptr;
  if (addend && (bits - left != 32 || addend->countr_zero() < left))
    return nullptr; // the addend has bits below the number's lowest
  if (bits - left == 32 && left != 0) {
    value = builder.CreateTrunc(value, builder.getInt32Ty());
    if (addend)
      value = builder.CreateAdd(value, builder.getInt(addend->lshr(left).trunc(32)));
    value = extend(value);
    return left == right ? value : builder.CreateShl(value, left - right);
  }
  if (bits - right == 32 && right != 0)
    return extend(
        builder.CreateTrunc(builder.CreateShl(value, left - right), builder.getInt32Ty()));
  return nullptr;
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
