// Replaces a phi whose incoming values are equal expressions by that expression.
//
// Requires: a function after scalar optimization.
// Ensures: the same values, computed behind the paths that join instead of once on each path.
//
// LLVM's GVN computes an expression on each path to a join if one of them has it already:
//
//     if (get_local_id(0) == 0) { ... t + 1 ... }    // `t + 1` is also computed on the other path,
//     t = t + 1;                                     // and `t` becomes a phi of both
//
// A phi behind a divergent branch counts as divergent. The loop over `t` would then diverge, and
// its barriers would count as barriers that not all work-items reach. mark-waits and the lanes
// stage need the loop as it is in the source, so this pass runs before them.
#include "compiler/work_item/passes.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::compiler {

namespace {

// True for an instruction that has the same value and no effect wherever its operands are known.
bool is_expression(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::GetElementPtrInst,
                   llvm::SelectInst>(instruction);
}

class Merger {
public:
  Merger(llvm::PHINode &phi, const llvm::DominatorTree &dominators)
      : phi_(phi), dominators_(dominators), at_(phi.getParent()->getFirstInsertionPt()) {}

  // The value of the phi, or null.
  llvm::Value *merge() {
    auto *first = llvm::dyn_cast<llvm::Instruction>(phi_.getIncomingValue(0));
    if (!first || is_available(*first))
      return nullptr;
    for (llvm::Value *other : llvm::drop_begin(phi_.incoming_values()))
      if (!are_equal(*first, *other, limits::search_depth))
        return nullptr;
    return copy(*first);
  }

private:
  // True if the value can be used at the beginning of the phi's block.
  bool is_available(const llvm::Value &value) const {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    return !instruction || (instruction->getParent() != phi_.getParent() &&
                            dominators_.dominates(instruction->getParent(), phi_.getParent()));
  }

  bool are_equal(llvm::Value &a, llvm::Value &b, unsigned levels) {
    if (&a == &b && is_available(a))
      return true;
    auto *one = llvm::dyn_cast<llvm::Instruction>(&a),
         *other = llvm::dyn_cast<llvm::Instruction>(&b);
    if (!one || !other || levels == 0 || !is_expression(*one) ||
        !one->isSameOperationAs(other, llvm::Instruction::CompareIgnoringAlignment))
      return false;
    for (unsigned i = 0; i < one->getNumOperands(); ++i)
      if (!are_equal(*one->getOperand(i), *other->getOperand(i), levels - 1))
        return false;
    equal_to_[one].push_back(other);
    return true;
  }

  llvm::Value *copy(llvm::Value &value) {
    if (is_available(value))
      return &value;
    auto &original = llvm::cast<llvm::Instruction>(value);
    llvm::Instruction *made = original.clone();
    for (llvm::Use &operand : made->operands())
      operand.set(copy(*operand));
    for (llvm::Instruction *equal : equal_to_[&original])
      made->andIRFlags(equal);
    made->dropUnknownNonDebugMetadata();
    made->insertBefore(at_);
    return made;
  }

  llvm::PHINode &phi_;
  const llvm::DominatorTree &dominators_;
  const llvm::BasicBlock::iterator at_; // the copies are inserted here, operands first
  llvm::DenseMap<const llvm::Instruction *, llvm::SmallVector<llvm::Instruction *, 2>> equal_to_;
};

} // namespace

llvm::PreservedAnalyses MergeEqualValuesPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  const auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::SmallVector<llvm::WeakTrackingVH> replaced;
  for (llvm::BasicBlock &block : function)
    if (dominators.isReachableFromEntry(&block))
      for (llvm::PHINode &phi : block.phis())
        if (llvm::Value *value = Merger(phi, dominators).merge()) {
          phi.replaceAllUsesWith(value);
          replaced.push_back(&phi);
        }
  if (replaced.empty())
    return llvm::PreservedAnalyses::all();
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace lockstep::compiler
