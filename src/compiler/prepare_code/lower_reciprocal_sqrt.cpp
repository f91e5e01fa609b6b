#include "compiler/prepare_code/lower_reciprocal_sqrt.h"

#include "compiler/target_model/target_model.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <numeric>

namespace lockstep::compiler {

namespace {

using llvm::Value;

llvm::SmallVector<int, 64> numbers(int first, unsigned length) {
  llvm::SmallVector<int, 64> list(length);
  std::iota(list.begin(), list.end(), first);
  return list;
}

Value *estimate(llvm::IRBuilderBase &builder, const TargetModel &model, Value *x) {
  const auto [smallest, largest] = model.reciprocal_sqrt_estimates(); // elements of a register
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!vector) {
    Value *none = llvm::Constant::getNullValue(llvm::FixedVectorType::get(x->getType(), smallest));
    Value *lanes = builder.CreateInsertElement(none, x, uint64_t{0});
    return builder.CreateExtractElement(model.estimate_reciprocal_sqrt(builder, lanes),
                                        uint64_t{0});
  }
  unsigned length = vector->getNumElements();
  if (length < smallest) { // padded with 1.0
    Value *ones = llvm::ConstantFP::get(vector, 1.0);
    llvm::SmallVector<int, 64> padded = numbers(0, smallest);
    for (unsigned lane = length; lane != smallest; ++lane)
      padded[lane] = static_cast<int>(length);
    Value *wide = builder.CreateShuffleVector(x, ones, padded);
    return builder.CreateShuffleVector(model.estimate_reciprocal_sqrt(builder, wide),
                                       numbers(0, length));
  }
  llvm::SmallVector<Value *, 4> parts;
  unsigned part = std::min(length, largest);
  for (unsigned first = 0; first != length; first += part) {
    Value *slice =
        part == length ? x : builder.CreateShuffleVector(x, numbers(static_cast<int>(first), part));
    parts.push_back(model.estimate_reciprocal_sqrt(builder, slice));
  }
  return parts.size() == 1 ? parts[0] : llvm::concatenateVectors(builder, parts);
}

} // namespace

Value *emit_reciprocal_sqrt(llvm::IRBuilderBase &builder, const TargetModel &model, Value *x) {
  llvm::Type *type = x->getType();
  Value *one = llvm::ConstantFP::get(type, 1.0);
  if (model.reciprocal_sqrt_estimates().most == 0)
    return builder.CreateFDiv(one, builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  auto fma = [&](Value *a, Value *b, Value *c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  Value *first = estimate(builder, model, x);
  Value *wrong = fma(builder.CreateFNeg(builder.CreateFMul(x, first)), first, one);
  Value *half = builder.CreateFMul(first, llvm::ConstantFP::get(type, 0.5));
  Value *second = fma(half, wrong, first);
  // The estimate is exact for zeros, infinity, NaN and negative numbers, for which the step yields
  // NaN.
  return builder.CreateSelect(builder.CreateFCmpORD(wrong, wrong), second, first,
                              "reciprocal.sqrt");
}

llvm::PreservedAnalyses LowerReciprocalSqrtPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  const auto model = target_model(target_);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (called_primitive(instruction) != Primitive::reciprocal_sqrt)
      continue;
    llvm::IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(
        emit_reciprocal_sqrt(builder, *model, instruction.getOperand(0)));
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
