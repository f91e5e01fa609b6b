// Writes the IEEE 754 operations maximumNumber and minimumNumber of long vectors as instructions of
// AArch64, where LLVM 22 computes them lane by lane.
//
// LLVM lowers scalars and vectors of NEON: it quiets each operand by FMINNM with itself, then uses
// FMAXNM. It splits vectors of SVE into lanes, with ten instructions for each, which compare zeros of
// both signs as equal. This pass does for them what LLVM does for short vectors.
//
// Requires: any function.
// Ensures: no maximumnum and no minimumnum of a vector has more than 128 bits. The values are those of
// the scalar operations, so that +0 is more than -0.
//
// Position: last, since InstSimplify would remove minnum of a value and itself.
//
// Upstream: docs/upstream/llvm-aarch64-maximumnum.md.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

bool is_long_extreme(const llvm::IntrinsicInst &call) {
  const auto operation = call.getIntrinsicID();
  return (operation == llvm::Intrinsic::maximumnum || operation == llvm::Intrinsic::minimumnum) &&
         llvm::isa<llvm::FixedVectorType>(call.getType()) &&
         call.getType()->getPrimitiveSizeInBits() > 128;
}

} // namespace

llvm::PreservedAnalyses LowerMaximumNumbersPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::lower_maximum_numbers))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::IntrinsicInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        call && is_long_extreme(*call))
      calls.push_back(call);
  if (calls.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::IntrinsicInst *call : calls) {
    llvm::IRBuilder<> builder(call);
    builder.setFastMathFlags(call->getFastMathFlags());
    auto quiet = [&](llvm::Value *value) -> llvm::Value * {
      return call->hasNoNaNs() ? value : builder.CreateMinNum(value, value);
    };
    llvm::Value *const left = quiet(call->getArgOperand(0));
    llvm::Value *const right = quiet(call->getArgOperand(1));
    llvm::Value *const extreme = call->getIntrinsicID() == llvm::Intrinsic::maximumnum
                                     ? builder.CreateMaxNum(left, right)
                                     : builder.CreateMinNum(left, right);
    extreme->takeName(call);
    call->replaceAllUsesWith(extreme);
    call->eraseFromParent();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
