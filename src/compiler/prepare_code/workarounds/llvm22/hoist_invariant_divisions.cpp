// Hoists loop-invariant integer divisions out of loops before LLVM vectorizes the loops.
//
// The loop vectorizer of LLVM 22 computes a division of two loop invariants once per vector, as it
// is uniform. If a condition in the loop guards the division, it is computed only if the condition
// holds in lane 0, but the other lanes use it, too (in plain C as well):
//
//     for (...) if ((i & 3) != 1) sum += table[32768 / divisor];
//
// Requires: any function, just before the loop vectorizer.
// Ensures: divisions of invariants are before their outermost such loop. Their divisor cannot trap:
// it is 1 where the division had no result.
//
// LICM does not hoist them, as they must not execute unless the loop reaches them.
//
// Upstream: none found; tests/passes/hoist-invariant-divisions/llvm_still_needs_it.ll holds the
// text of a report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

// The outermost loop with a preheader in which both operands are invariant.
llvm::Loop *find_loop(const llvm::BinaryOperator &division, const llvm::LoopInfo &loops) {
  llvm::Loop *found = nullptr;
  for (llvm::Loop *loop = loops.getLoopFor(division.getParent());
       loop && loop->hasLoopInvariantOperands(&division); loop = loop->getParentLoop())
    if (loop->getLoopPreheader())
      found = loop;
  return found;
}

void hoist(llvm::BinaryOperator &division, llvm::Instruction *before) {
  llvm::IRBuilder<> builder(before);
  llvm::Type *type = division.getType();
  unsigned bits = type->getScalarSizeInBits();
  llvm::Value *dividend = builder.CreateFreeze(division.getOperand(0));
  llvm::Value *divisor = builder.CreateFreeze(division.getOperand(1));
  llvm::Value *has_none =
      builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type), "divisor.is.zero");
  if (division.getOpcode() == llvm::Instruction::SDiv ||
      division.getOpcode() == llvm::Instruction::SRem) {
    llvm::Value *overflows = builder.CreateAnd(
        builder.CreateICmpEQ(dividend,
                             llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits))),
        builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)), "overflows");
    has_none = builder.CreateOr(has_none, overflows);
  }
  llvm::Value *safe =
      builder.CreateSelect(has_none, llvm::ConstantInt::get(type, 1), divisor, "safe.divisor");
  division.setOperand(0, dividend);
  division.setOperand(1, safe);
  division.dropPoisonGeneratingFlags(); // the flag is `exact`
  division.moveBefore(before->getIterator());
}

} // namespace

llvm::PreservedAnalyses HoistInvariantDivisionsPass::run(llvm::Function &function,
                                                         llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::SmallVector<llvm::BinaryOperator *> divisions;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
        binary && binary->isIntDivRem())
      divisions.push_back(binary);
  bool changed = false;
  for (llvm::BinaryOperator *division : divisions) // one may be an operand of the next
    if (llvm::Loop *loop = find_loop(*division, loops)) {
      hoist(*division, loop->getLoopPreheader()->getTerminator());
      changed = true;
    }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
