// Computes with floats what the processor cannot compute with halves.
//
// Without AVX512-FP16, LLVM 22 scalarizes roots, roundings, minima, fused multiplications and
// conversions from double of vectors of halves, each with its own conversions or calls of
// __truncdfhf2. Kernels that use floats do not help: InstCombine restores the operation on halves.
//
// With AVX512-FP16, LLVM divides by multiplying with an estimate if a program allows reciprocals.
// It is infinite for subnormal halves and some larger ones. A half that is rounded to the nearest
// integer (rint) and converted to i32 or narrower is truncated instead; LLVM does not fold
// roundeven.
//
// Requires: any function.
// Ensures: without AVX512-FP16, no square root, rounding to an integer, minimum, maximum or fused
// multiply-add has half operands, and no double is converted to half directly. The results are the
// same, rounded once. With AVX512-FP16, no division of halves allows a reciprocal, and no rounding
// of halves is rint.
// Position: after the last InstCombine.
//
// Upstream: not reported; llvm_still_needs_it.ll and llvm_still_cuts_fractions.ll in
// tests/passes/widen-half-operations hold the texts of reports.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

using llvm::Value;

llvm::Type *with_element(llvm::Type *like, llvm::Type *element) {
  auto *vector = llvm::dyn_cast<llvm::VectorType>(like);
  return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}

class Widening {
public:
  explicit Widening(llvm::Instruction &at) : builder_(&at), type_(at.getType()) {
    llvm::LLVMContext &context = at.getContext();
    float_ = with_element(type_, llvm::Type::getFloatTy(context));
    bits_ = with_element(type_, llvm::Type::getInt32Ty(context));
  }

  // Double rounding is harmless: a float has more than twice the bits of a half plus two.
  Value *operation(llvm::IntrinsicInst &call) {
    builder_.setFastMathFlags(call.getFastMathFlags());
    llvm::SmallVector<Value *> operands;
    for (Value *operand : call.args())
      operands.push_back(widened(operand));
    return narrowed(builder_.CreateIntrinsic(call.getIntrinsicID(), {float_}, operands));
  }

  Value *separate(llvm::IntrinsicInst &call) {
    builder_.setFastMathFlags(call.getFastMathFlags());
    return builder_.CreateFAdd(builder_.CreateFMul(call.getArgOperand(0), call.getArgOperand(1)),
                               call.getArgOperand(2));
  }

  // The product of two halves is exact in a float. The sum is rounded to odd, so that the rounding
  // to half sees whether the sum is exact, and on which side it is. Knuth's two-sum yields the
  // rounding error.
  Value *fused(llvm::IntrinsicInst &call) {
    Value *product =
        builder_.CreateFMul(widened(call.getArgOperand(0)), widened(call.getArgOperand(1)));
    Value *added = widened(call.getArgOperand(2));
    Value *sum = builder_.CreateFAdd(product, added);
    Value *added_back = builder_.CreateFSub(sum, product);
    Value *lost =
        builder_.CreateFAdd(builder_.CreateFSub(product, builder_.CreateFSub(sum, added_back)),
                            builder_.CreateFSub(added, added_back));
    return narrowed(odd(sum, builder_.CreateFCmpONE(lost, llvm::Constant::getNullValue(float_)),
                        differ_in_sign(sum, lost)));
  }

  Value *from_double(llvm::FPTruncInst &conversion) {
    Value *number = conversion.getOperand(0);
    Value *near = builder_.CreateFPTrunc(number, float_);
    Value *wide = builder_.CreateFPExt(near, number->getType());
    Value *too_far = builder_.CreateFCmpOGT(size_of(wide), size_of(number));
    return narrowed(odd(near, builder_.CreateFCmpONE(wide, number), too_far));
  }

private:
  Value *widened(Value *half) { return builder_.CreateFPExt(half, float_); }
  Value *narrowed(Value *number) { return builder_.CreateFPTrunc(number, type_); }
  Value *size_of(Value *number) {
    return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, number);
  }
  Value *differ_in_sign(Value *a, Value *b) {
    Value *signs =
        builder_.CreateXor(builder_.CreateBitCast(a, bits_), builder_.CreateBitCast(b, bits_));
    return builder_.CreateICmpSLT(signs, llvm::Constant::getNullValue(bits_));
  }
  // Converts a number rounded to nearest to one rounded to odd: toward zero, with the last bit set
  // if inexact.
  Value *odd(Value *number, Value *is_inexact, Value *is_too_far) {
    Value *bits = builder_.CreateBitCast(number, bits_);
    Value *towards_zero = builder_.CreateAdd(bits, builder_.CreateSExt(is_too_far, bits_));
    Value *last_bit_set = builder_.CreateOr(towards_zero, llvm::ConstantInt::get(bits_, 1));
    return builder_.CreateBitCast(builder_.CreateSelect(is_inexact, last_bit_set, bits), float_);
  }

  llvm::IRBuilder<> builder_;
  llvm::Type *type_, *float_, *bits_;
};

// Returns null if the instruction may stay.
Value *replacement(llvm::Instruction &instruction) {
  if (!instruction.getType()->getScalarType()->isHalfTy())
    return nullptr;
  if (auto *conversion = llvm::dyn_cast<llvm::FPTruncInst>(&instruction))
    return conversion->getSrcTy()->getScalarType()->isDoubleTy()
               ? Widening(instruction).from_double(*conversion)
               : nullptr;
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return nullptr;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::trunc:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::round:
  case llvm::Intrinsic::roundeven:
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::minimum:
  case llvm::Intrinsic::maximum:
  case llvm::Intrinsic::minimumnum:
  case llvm::Intrinsic::maximumnum:
    return Widening(instruction).operation(*call);
  case llvm::Intrinsic::fma:
    return Widening(instruction).fused(*call);
  case llvm::Intrinsic::fmuladd:
    return Widening(instruction).separate(*call);
  default:
    return nullptr;
  }
}

// Forbids a reciprocal in a division of halves; true if it was allowed.
bool make_exact(llvm::Instruction &instruction) {
  if (instruction.getOpcode() != llvm::Instruction::FDiv || !instruction.hasAllowReciprocal() ||
      !instruction.getType()->getScalarType()->isHalfTy())
    return false;
  instruction.setHasAllowReciprocal(false);
  return true;
}

// Replaces rint of halves by roundeven, which LLVM does not truncate; true if it was rint.
bool round_to_even(llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != llvm::Intrinsic::rint ||
      !call->getType()->getScalarType()->isHalfTy())
    return false;
  call->setCalledFunction(llvm::Intrinsic::getOrInsertDeclaration(
      call->getModule(), llvm::Intrinsic::roundeven, call->getType()));
  return true;
}

} // namespace

llvm::PreservedAnalyses WidenHalfOperationsPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  const bool has_instructions = target_model(target_)->has(Operation::half_arithmetic);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (has_instructions) {
      changed |= make_exact(instruction) || round_to_even(instruction);
    } else if (Value *wide = replacement(instruction)) {
      wide->takeName(&instruction);
      instruction.replaceAllUsesWith(wide);
      instruction.eraseFromParent();
      changed = true;
    }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
