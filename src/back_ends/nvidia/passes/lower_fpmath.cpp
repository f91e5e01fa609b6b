// Uses the GPU's approximate division and square root where OpenCL allows them.
//
// OpenCL allows 2.5 ulp for a division of float and 3 ulp for a square root. clang writes that as
// `!fpmath`, unless the program was built with -cl-fp32-correctly-rounded-divide-sqrt. LLVM does not
// look at it for this target, and generates IEEE's operations, which take several times as long.
//
// Requires: IR for the GPU; all functions have their mode for subnormal numbers.
// Ensures: divisions and square roots of float with `!fpmath` are `div.full` (2 ulp), reciprocals
// have the flag `afn`, by which LLVM generates `rcp.approx` (1 ulp), and square roots are
// `sqrt.approx` (1 ulp). In functions that flush subnormal numbers these operations do so, too, and
// so does `rsqrt.approx`: without flushing it takes extra instructions.
//
// Position: after libclc is linked, and before the optimization, which loses metadata.
#include "back_ends/nvidia/passes/passes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

namespace intrinsic = llvm::Intrinsic;

bool may_be_inexact(const llvm::Instruction &instruction) {
  if (!instruction.getType()->getScalarType()->isFloatTy() ||
      !instruction.hasMetadata(llvm::LLVMContext::MD_fpmath))
    return false;
  if (instruction.getOpcode() == llvm::Instruction::FDiv)
    return !instruction.hasApproxFunc(); // LLVM generates approximate code by itself
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == intrinsic::sqrt;
}

class Lowering {
public:
  explicit Lowering(llvm::Function &function)
      : builder_(function.getContext()), flushes_(function.getFnAttribute("denormal-fp-math-f32")
                                                      .getValueAsString()
                                                      .starts_with("preserve-sign")) {}

  llvm::Value *lower(llvm::Instruction &instruction) {
    builder_.SetInsertPoint(&instruction);
    builder_.setFastMathFlags(instruction.getFastMathFlags());
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    if (!vector)
      return lower(instruction, [&](unsigned operand) { return instruction.getOperand(operand); });
    llvm::Value *result = llvm::PoisonValue::get(vector);
    for (unsigned i = 0; i != vector->getNumElements(); ++i)
      result = builder_.CreateInsertElement(result,
                                            lower(instruction,
                                                  [&](unsigned operand) {
                                                    return builder_.CreateExtractElement(
                                                        instruction.getOperand(operand), i);
                                                  }),
                                            i);
    return result;
  }

  // Returns null if the call stays.
  llvm::Value *flushing(llvm::CallInst &call) {
    if (!flushes_ || call.getIntrinsicID() != intrinsic::nvvm_rsqrt_approx_f)
      return nullptr;
    builder_.SetInsertPoint(&call);
    return builder_.CreateIntrinsic(intrinsic::nvvm_rsqrt_approx_ftz_f, {call.getArgOperand(0)});
  }

private:
  llvm::Value *lower(const llvm::Instruction &instruction,
                     llvm::function_ref<llvm::Value *(unsigned)> operand) {
    if (instruction.getOpcode() != llvm::Instruction::FDiv)
      return builder_.CreateIntrinsic(flushes_ ? intrinsic::nvvm_sqrt_approx_ftz_f
                                               : intrinsic::nvvm_sqrt_approx_f,
                                      {operand(0)});
    llvm::Value *dividend = operand(0), *divisor = operand(1);
    if (auto *one = llvm::dyn_cast<llvm::ConstantFP>(dividend); one && one->isExactlyValue(1.0)) {
      llvm::FastMathFlags flags = instruction.getFastMathFlags();
      flags.setApproxFunc();
      return builder_.CreateFDivFMF(dividend, divisor, flags);
    }
    return builder_.CreateIntrinsic(
        flushes_ ? intrinsic::nvvm_div_full_ftz : intrinsic::nvvm_div_full, {dividend, divisor});
  }

  llvm::IRBuilder<> builder_;
  const bool flushes_;
};

} // namespace

llvm::PreservedAnalyses LowerFpmathPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  Lowering lowering(function);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *lowered = nullptr;
    if (may_be_inexact(instruction))
      lowered = lowering.lower(instruction);
    else if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      lowered = lowering.flushing(*call);
    if (!lowered)
      continue;
    lowered->takeName(&instruction);
    instruction.replaceAllUsesWith(lowered);
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
