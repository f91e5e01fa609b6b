// Clamps integers that overflow a half before LLVM converts them.
//
// LLVM 22 folds `fpext (uitofp i32 %x to half) to float` to one conversion to float if the possible
// bits of %x fit in a half's significand. It ignores the exponent: for 1 << 20 the half is
// infinite, and the float is not. It also creates such conversions itself: `fptrunc (uitofp i64 (1
// << %n) to float) to half` becomes one, since the float is exact.
//
// Requires: any function.
// Ensures: the same results; the operand of a conversion to half is between -65535 and 65535, which
// becomes infinite, too. That applies to integers, and to floating-point numbers that may come from
// an integer.
//
// Position: before the first InstCombine, and after each step that brings functions together.
//
// Upstream: not reported; tests/passes/clamp-conversions-to-half/llvm_still_needs_it.ll holds the
// text of a report.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

// 16 unsigned bits are safe: the exponent covers all numbers that the significand holds.
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

constexpr double largest = 65535;

void clamp(llvm::FPTruncInst &rounding) {
  llvm::IRBuilder<> builder(&rounding);
  llvm::Value *number = rounding.getOperand(0);
  for (double bound : {largest, -largest}) {
    llvm::Constant *most = llvm::ConstantFP::get(number->getType(), bound);
    llvm::Value *is_beyond =
        bound > 0 ? builder.CreateFCmpOGT(number, most) : builder.CreateFCmpOLT(number, most);
    number = builder.CreateSelect(is_beyond, most, number, "clamped");
  }
  rounding.setOperand(0, number);
}

// Whether the value has the form that the function above emits.
bool is_clamped(llvm::Value *value) {
  using namespace llvm::PatternMatch;
  llvm::Value *less, *number;
  return match(value, m_Select(m_SpecificFCmp(llvm::FCmpInst::FCMP_OLT, m_Value(less),
                                              m_SpecificFP(-largest)),
                               m_SpecificFP(-largest), m_Deferred(less))) &&
         match(less, m_Select(m_SpecificFCmp(llvm::FCmpInst::FCMP_OGT, m_Value(number),
                                             m_SpecificFP(largest)),
                              m_SpecificFP(largest), m_Deferred(number)));
}

// Whether a value may be, up to its sign, an integer that is too large. Looks through all
// operations that InstCombine may exchange with a conversion.
bool may_be_large_integer(llvm::Value *value) {
  llvm::SmallSetVector<llvm::Value *, 8> made_of;
  made_of.insert(value);
  for (unsigned i = 0; i < made_of.size(); ++i) {
    if (made_of.size() > limits::search_steps)
      return true;
    auto *user = llvm::dyn_cast<llvm::Instruction>(made_of[i]);
    if (!user)
      continue;
    if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(user)) {
      if (may_overflow(*llvm::cast<llvm::CastInst>(user)))
        return true;
    } else if (auto *choice = llvm::dyn_cast<llvm::SelectInst>(user)) {
      made_of.insert(choice->getTrueValue());
      made_of.insert(choice->getFalseValue());
    } else if (llvm::isa<llvm::PHINode, llvm::FreezeInst, llvm::FPTruncInst, llvm::FPExtInst,
                         llvm::UnaryOperator, llvm::ShuffleVectorInst, llvm::InsertElementInst,
                         llvm::ExtractElementInst>(user)) {
      for (llvm::Value *operand : user->operands())
        made_of.insert(operand);
    } else if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
               call && (call->getIntrinsicID() == llvm::Intrinsic::fabs ||
                        call->getIntrinsicID() == llvm::Intrinsic::copysign)) {
      made_of.insert(call->getArgOperand(0));
    }
  }
  return false;
}

} // namespace

llvm::PreservedAnalyses ClampConversionsToHalfPass::run(llvm::Function &function,
                                                        llvm::FunctionAnalysisManager &) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!instruction.getType()->getScalarType()->isHalfTy())
      continue;
    if (llvm::isa<llvm::SIToFPInst, llvm::UIToFPInst>(instruction)) {
      auto &conversion = llvm::cast<llvm::CastInst>(instruction);
      if (!may_overflow(conversion))
        continue;
      clamp(conversion);
    } else {
      auto *rounding = llvm::dyn_cast<llvm::FPTruncInst>(&instruction);
      if (!rounding || is_clamped(rounding->getOperand(0)) ||
          !may_be_large_integer(rounding->getOperand(0)))
        continue;
      clamp(*rounding);
    }
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
