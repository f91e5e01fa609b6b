#include "compiler/prepare_code/lower_reciprocal_sqrt.h"

#include "kernel_ir/primitives.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <numeric>

namespace lockstep::compiler {

namespace {

using llvm::Value;

// Whether the target has AVX-512 for registers of every length. TargetTransformInfo shows that by
// masked loads of bytes (AVX512BW). Processors with AVX-512F only are no longer made.
bool has_estimate(const llvm::TargetTransformInfo &target, llvm::LLVMContext &context) {
  return target.isLegalMaskedLoad(llvm::FixedVectorType::get(llvm::Type::getInt8Ty(context), 16),
                                  llvm::Align(1), 0);
}

// Estimates 4, 8 or 16 floats with a relative error of at most 2^-14, for subnormal numbers, too.
Value *estimate_register(llvm::IRBuilderBase &builder, Value *x, unsigned length) {
  llvm::Intrinsic::ID id = length == 16  ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_512
                           : length == 8 ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_256
                                         : llvm::Intrinsic::x86_avx512_rsqrt14_ps_128;
  llvm::Type *mask = builder.getIntNTy(std::max(8u, length));
  return builder.CreateIntrinsic(
      id, {},
      {x, llvm::Constant::getNullValue(x->getType()), llvm::Constant::getAllOnesValue(mask)},
      nullptr, "estimate");
}

llvm::SmallVector<int, 64> numbers(int first, unsigned length) {
  llvm::SmallVector<int, 64> list(length);
  std::iota(list.begin(), list.end(), first);
  return list;
}

Value *estimate(llvm::IRBuilderBase &builder, Value *x) {
  constexpr unsigned smallest = 4, largest = 16; // elements of a register
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!vector) {
    Value *none = llvm::Constant::getNullValue(llvm::FixedVectorType::get(x->getType(), smallest));
    Value *lanes = builder.CreateInsertElement(none, x, uint64_t{0});
    return builder.CreateExtractElement(estimate_register(builder, lanes, smallest), uint64_t{0});
  }
  unsigned length = vector->getNumElements();
  if (length < smallest) { // padded with 1.0
    Value *ones = llvm::ConstantFP::get(vector, 1.0);
    llvm::SmallVector<int, 64> padded = numbers(0, smallest);
    for (unsigned lane = length; lane != smallest; ++lane)
      padded[lane] = static_cast<int>(length);
    Value *wide = builder.CreateShuffleVector(x, ones, padded);
    return builder.CreateShuffleVector(estimate_register(builder, wide, smallest),
                                       numbers(0, length));
  }
  llvm::SmallVector<Value *, 4> parts;
  unsigned part = std::min(length, largest);
  for (unsigned first = 0; first != length; first += part) {
    Value *slice =
        part == length ? x : builder.CreateShuffleVector(x, numbers(static_cast<int>(first), part));
    parts.push_back(estimate_register(builder, slice, part));
  }
  return parts.size() == 1 ? parts[0] : llvm::concatenateVectors(builder, parts);
}

} // namespace

Value *emit_reciprocal_sqrt(llvm::IRBuilderBase &builder, const llvm::TargetTransformInfo &target,
                            Value *x) {
  llvm::Type *type = x->getType();
  Value *one = llvm::ConstantFP::get(type, 1.0);
  if (!has_estimate(target, builder.getContext()))
    return builder.CreateFDiv(one, builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  auto fma = [&](Value *a, Value *b, Value *c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  Value *first = estimate(builder, x);
  Value *wrong = fma(builder.CreateFNeg(builder.CreateFMul(x, first)), first, one);
  Value *half = builder.CreateFMul(first, llvm::ConstantFP::get(type, 0.5));
  Value *second = fma(half, wrong, first);
  // The estimate is exact for zeros, infinity, NaN and negative numbers, for which the step yields
  // NaN.
  return builder.CreateSelect(builder.CreateFCmpORD(wrong, wrong), second, first,
                              "reciprocal.sqrt");
}

llvm::PreservedAnalyses LowerReciprocalSqrtPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &analyses) {
  auto &target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (called_primitive(instruction) != Primitive::reciprocal_sqrt)
      continue;
    llvm::IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(
        emit_reciprocal_sqrt(builder, target, instruction.getOperand(0)));
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
