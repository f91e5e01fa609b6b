// Keeps subnormal numbers in atomic sums of float in global memory.
//
// There, `atom.add.f32` flushes subnormal operands and results to zero (PTX ISA, section "atom").
// OpenCL keeps them if the device has CL_FP_DENORM (numerical compliance, "INF, NaN, and
// Denormalized Numbers"). Flushing makes no difference if the added number is at least 2^-100 or
// NaN: a subnormal number is less than half a unit in its last place, and a sum that is not zero is
// a multiple of 2^-124. A loop of compare-and-swap adds smaller numbers.
//
// Requires: all functions have their mode for subnormal numbers; address spaces are those of NVPTX.
// Ensures: in functions that keep subnormal numbers, an atomic sum of float in memory that is not
// shared adds a number of at least 2^-100, or NaN.
//
// Position: before order-atomics, which gives the operations their order.
#include "back_ends/nvidia/passes/passes.h"
#include "back_ends/nvidia/passes/sums_by_swaps.h"

#include "abi/address_spaces.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cmath>

namespace lockstep::compiler {

namespace {

constexpr float always_exact = 0x1p-100F;

bool is_always_exact(const llvm::Value &added) {
  auto *constant = llvm::dyn_cast<llvm::ConstantFP>(&added);
  return constant && !(std::abs(constant->getValueAPF().convertToFloat()) < always_exact);
}

void keep_subnormals(llvm::AtomicRMWInst &sum) {
  llvm::IRBuilder<> builder(&sum);
  llvm::Value *size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, sum.getValOperand());
  llvm::Value *is_small =
      builder.CreateFCmpOLT(size, llvm::ConstantFP::get(sum.getType(), always_exact));
  llvm::Instruction *small = nullptr, *large = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(
      is_small, &sum, &small, &large,
      llvm::MDBuilder(sum.getContext()).createUnlikelyBranchWeights());
  llvm::BasicBlock *joined = sum.getParent();
  llvm::Value *old = add_by_swaps(sum, *small);
  llvm::BasicBlock *of_small = small->getParent();
  builder.SetInsertPoint(joined, joined->begin());
  llvm::PHINode *result = builder.CreatePHI(sum.getType(), 2);
  sum.replaceAllUsesWith(result);
  sum.moveBefore(large->getIterator());
  result->addIncoming(old, of_small);
  result->addIncoming(&sum, large->getParent());
  if (result->use_empty())
    result->eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses KeepSubnormalSumsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  if (function.getFnAttribute("denormal-fp-math-f32")
          .getValueAsString()
          .starts_with("preserve-sign"))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::AtomicRMWInst *> sums;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *sum = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        sum && sum->getOperation() == llvm::AtomicRMWInst::FAdd && sum->getType()->isFloatTy() &&
        sum->getPointerAddressSpace() != local_space && !is_always_exact(*sum->getValOperand()))
      sums.push_back(sum);
  for (llvm::AtomicRMWInst *sum : sums)
    keep_subnormals(*sum);
  return sums.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
