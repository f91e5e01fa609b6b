// Breaks long sums that loop strength reduction would reassociate in every possible way.
//
// For each sum with an induction variable, LLVM 22 tries to keep each single term and each pair of
// terms in separate registers. A chain of n sums, each of which is used, takes time proportional to
// n^4: 128 terms need 20 seconds (in plain C as well). LLVM skips terms that are loop-variant
// unknowns, but not negated or extended ones. Such chains come from atomics on one address in local
// memory, which are sums over the lanes of all interleaved sub-groups, and from unrolled loops.
//
// Requires: any function.
// Ensures: sums of more than 16 terms are behind a freeze if one of the terms is an induction
// variable, or if a loop uses the sum from outside. The users of the freeze begin a new sum. A
// freeze costs no instruction.
//
// Position: last, since InstCombine removes a freeze of a value that is never poison.
//
// Upstream: none found; tests/passes/break-long-sums/llvm_still_needs_it.ll holds the text of a
// report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

struct Sum {
  unsigned terms = 1;
  bool is_counted = false; // one of the terms is an induction variable
};

// Counts terms by the instructions instead of scalar evolution, which would take quadratic time,
// even for short sums. Without `evolution`, each value that a loop carries counts as an induction
// variable.
class LongSums {
public:
  LongSums(llvm::Function &function, const llvm::LoopInfo &loops, llvm::ScalarEvolution *evolution)
      : loops_(loops), evolution_(evolution) {
    for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal<llvm::Function *>(&function))
      for (llvm::Instruction &instruction : *block) {
        if (!instruction.getType()->isIntegerTy() && !instruction.getType()->isPointerTy())
          continue;
        const Sum sum = made_by(instruction);
        if (sum.terms > limits::sum_terms && (sum.is_counted || loops_use(instruction)))
          found_.push_back(&instruction);
        else if (sum.terms != 1 || sum.is_counted)
          sums_[&instruction] = sum;
      }
  }

  llvm::ArrayRef<llvm::Instruction *> found() const { return found_; }

private:
  Sum of(const llvm::Value &value) const {
    return llvm::isa<llvm::Constant>(value) ? Sum{0, false} : sums_.lookup_or(&value, Sum());
  }

  Sum total(const llvm::Instruction &instruction) const {
    Sum total{0, false};
    for (const llvm::Use &use : instruction.operands()) {
      const Sum part = of(*use);
      // The exact number does not matter beyond that, and repeated sums of a sum with itself would
      // overflow.
      total.terms = std::min(total.terms + part.terms, limits::sum_terms + 1);
      total.is_counted |= part.is_counted;
    }
    return total;
  }

  Sum made_by(const llvm::Instruction &instruction) const {
    switch (instruction.getOpcode()) {
    case llvm::Instruction::PHI:
      return {1, is_counter(llvm::cast<llvm::PHINode>(instruction))};
    case llvm::Instruction::Mul:
      // A multiplication by a constant distributes over the terms.
      if (!llvm::isa<llvm::Constant>(instruction.getOperand(1)))
        return {1, total(instruction).is_counted};
      return total(instruction);
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Or:  // of values without common bits
    case llvm::Instruction::Xor: // with all bits set
    case llvm::Instruction::Shl:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::GetElementPtr:
      return total(instruction);
    default:
      return {};
    }
  }

  bool is_counter(const llvm::PHINode &phi) const {
    auto *value = const_cast<llvm::PHINode *>(&phi); // getSCEV needs it; it is not changed
    return loops_.isLoopHeader(phi.getParent()) &&
           (!evolution_ || llvm::isa<llvm::SCEVAddRecExpr>(evolution_->getSCEV(value)));
  }

  bool loops_use(const llvm::Instruction &instruction) const {
    return llvm::any_of(instruction.users(), [&](const llvm::User *user) {
      const llvm::Loop *loop = loops_.getLoopFor(llvm::cast<llvm::Instruction>(user)->getParent());
      return loop && !loop->contains(&instruction);
    });
  }

  const llvm::LoopInfo &loops_;
  llvm::ScalarEvolution *evolution_;
  llvm::DenseMap<const llvm::Value *, Sum> sums_; // sums of several terms, and induction variables
  llvm::SmallVector<llvm::Instruction *> found_;
};

} // namespace

llvm::PreservedAnalyses BreakLongSumsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty() || LongSums(function, loops, nullptr).found().empty())
    return llvm::PreservedAnalyses::all();
  const LongSums sums(function, loops,
                      &analyses.getResult<llvm::ScalarEvolutionAnalysis>(function));
  if (sums.found().empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::Instruction *sum : sums.found()) {
    llvm::IRBuilder<> builder(&*sum->getInsertionPointAfterDef().value());
    builder.SetCurrentDebugLocation(sum->getDebugLoc());
    llvm::Value *broken = builder.CreateFreeze(sum, sum->getName() + ".broken");
    sum->replaceUsesWithIf(broken, [&](const llvm::Use &use) { return use.getUser() != broken; });
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
