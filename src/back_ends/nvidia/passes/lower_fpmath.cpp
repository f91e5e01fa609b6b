// Uses the GPU's approximate division and square root where OpenCL allows them.
//
// OpenCL allows 2.5 ulp for a division of float and 3 ulp for a square root. clang writes that as
// `!fpmath`, unless the program was built with -cl-fp32-correctly-rounded-divide-sqrt. LLVM does not
// look at it for this target, and generates IEEE's operations, which take several times as long. The
// square root is in libclc, which has `!fpmath` always: there the module flag says what is wanted.
//
// Requires: IR for the GPU; all functions have their mode for subnormal numbers.
// Ensures: divisions and square roots of float with `!fpmath` are `div.full` (2 ulp), reciprocals
// have the flag `afn`, by which LLVM generates `rcp.approx` (1 ulp), and square roots are
// `sqrt.approx` (1 ulp). In functions that flush subnormal numbers these operations do so, too, and
// so does `rsqrt.approx`: without flushing it takes extra instructions. Exponentials and logarithms
// of float that are LLVM's intrinsics are the special function unit's. Only OpenCL's native_
// functions use these intrinsics, and LLVM cannot select them for this target.
//
// Position: after libclc is linked, and before the optimization, which loses metadata.
#include "back_ends/nvidia/passes/passes.h"
#include "kernel_ir/source_facts.h"

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

bool is_native(llvm::Intrinsic::ID id) {
  switch (id) {
  case intrinsic::exp:
  case intrinsic::exp10:
  case intrinsic::log:
  case intrinsic::log2:
  case intrinsic::log10:
  case intrinsic::pow:
    return true;
  default:
    return false;
  }
}

bool may_be_inexact(const llvm::Instruction &instruction, bool wants_exact_sqrt) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call && call->getType()->getScalarType()->isFloatTy() && is_native(call->getIntrinsicID()))
    return true;
  if (!instruction.getType()->getScalarType()->isFloatTy() ||
      !instruction.hasMetadata(llvm::LLVMContext::MD_fpmath))
    return false;
  if (instruction.getOpcode() == llvm::Instruction::FDiv)
    return !instruction.hasApproxFunc(); // LLVM generates approximate code by itself
  return call && call->getIntrinsicID() == intrinsic::sqrt && !wants_exact_sqrt;
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
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return lower_call(call->getIntrinsicID(), operand);
    llvm::Value *dividend = operand(0), *divisor = operand(1);
    if (auto *one = llvm::dyn_cast<llvm::ConstantFP>(dividend); one && one->isExactlyValue(1.0)) {
      llvm::FastMathFlags flags = instruction.getFastMathFlags();
      flags.setApproxFunc();
      return builder_.CreateFDivFMF(dividend, divisor, flags);
    }
    return builder_.CreateIntrinsic(
        flushes_ ? intrinsic::nvvm_div_full_ftz : intrinsic::nvvm_div_full, {dividend, divisor});
  }

  llvm::Value *lower_call(llvm::Intrinsic::ID id,
                          llvm::function_ref<llvm::Value *(unsigned)> operand) {
    constexpr float log2_of_e = 1.44269504F, log2_of_10 = 3.32192809F, log_of_2 = 0.693147181F,
                    log10_of_2 = 0.301029996F;
    switch (id) {
    case intrinsic::exp:
      return exp2(scaled(operand(0), log2_of_e));
    case intrinsic::exp10:
      return exp2(scaled(operand(0), log2_of_10));
    case intrinsic::log:
      return scaled(log2(operand(0)), log_of_2);
    case intrinsic::log2:
      return log2(operand(0));
    case intrinsic::log10:
      return scaled(log2(operand(0)), log10_of_2);
    case intrinsic::pow:
      return exp2(builder_.CreateFMul(operand(1), log2(operand(0))));
    default: // sqrt
      return call(flushes_ ? intrinsic::nvvm_sqrt_approx_ftz_f : intrinsic::nvvm_sqrt_approx_f,
                  operand(0));
    }
  }
  llvm::Value *call(llvm::Intrinsic::ID id, llvm::Value *value) {
    return builder_.CreateIntrinsic(builder_.getFloatTy(), id, {value});
  }
  llvm::Value *exp2(llvm::Value *value) { return call(intrinsic::nvvm_ex2_approx_ftz, value); }
  llvm::Value *log2(llvm::Value *value) { return call(intrinsic::nvvm_lg2_approx_ftz_f, value); }
  llvm::Value *scaled(llvm::Value *value, float factor) {
    return builder_.CreateFMul(value, llvm::ConstantFP::get(builder_.getFloatTy(), factor));
  }

  llvm::IRBuilder<> builder_;
  const bool flushes_;
};

} // namespace

llvm::PreservedAnalyses LowerFpmathPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  Lowering lowering(function);
  const bool wants_exact_sqrt = function.getParent()->getModuleFlag(exact_sqrt_flag) != nullptr;
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *lowered = nullptr;
    if (may_be_inexact(instruction, wants_exact_sqrt))
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
