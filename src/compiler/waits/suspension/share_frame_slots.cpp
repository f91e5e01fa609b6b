// Lets values that are live across different suspensions share a slot in the frame.
//
// Input:  the coroutine of make-coroutine, before CoroSplit.
// Output: a large value that is used after a suspension is stored to a variable right before it and
//         loaded right after it. Each suspension may use the variable for another value, so the
//         frame needs only the maximum over all suspensions.
//
// LLVM gives each value a slot of its own, and unrolled loops with barriers have many values. A
// value keeps its own slot if a use behind the suspension is also reachable by another path from
// before the suspension, such as a wait in a loop. Otherwise each iteration would store it again.
#include "compiler/waits/suspension/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/target_model/target_model.h"
#include "compiler/waits/suspension/rematerialize.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

// Pairs of a value and a suspension.
constexpr size_t too_many = size_t{limits::compared_accesses} * limits::search_steps;
// Bytes. Moving smaller values costs more than it saves.
constexpr uint64_t large = narrowest_vector_bits / 8;

class Sharing {
public:
  Sharing(llvm::Function &function, llvm::DominatorTree &dominators)
      : function_(function), dominators_(dominators) {}

  bool run() {
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_); // from early to late
    for (BasicBlock *block : order)
      for (llvm::Instruction &instruction : *block) {
        if (is_candidate(instruction))
          values_.push_back(&instruction);
        if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            call && call->getIntrinsicID() == llvm::Intrinsic::coro_suspend)
          suspensions_.push_back(call);
      }
    if (values_.size() * suspensions_.size() > too_many)
      return false;
    for (llvm::IntrinsicInst *suspension : suspensions_)
      move_all(*suspension);
    return !variables_.empty();
  }

private:
  bool is_candidate(llvm::Instruction &value) const {
    return value.getType()->isSized() && !llvm::isa<llvm::AllocaInst>(value) &&
           function_.getDataLayout().getTypeStoreSize(value.getType()) >= large &&
           !is_cheap_to_rematerialize(value);
  }

  // The block in which control continues after `suspension`: case 0 of make-coroutine's switch.
  static BasicBlock *resumed_block(llvm::IntrinsicInst &suspension) {
    auto *way = llvm::dyn_cast<llvm::SwitchInst>(suspension.getParent()->getTerminator());
    return way && way->getNumCases() != 0 ? way->getSuccessor(1) : nullptr;
  }

  static BasicBlock *block_of(const llvm::Use &use) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    return phi ? phi->getIncomingBlock(use) : user->getParent();
  }

  // Blocks that are reachable from `start` without computing `value` again.
  static llvm::SmallPtrSet<const BasicBlock *, 32> reached(const BasicBlock *start,
                                                           const llvm::Instruction &value) {
    llvm::SmallPtrSet<const BasicBlock *, 32> seen;
    llvm::SmallVector<const BasicBlock *> open = {start};
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (block != value.getParent() && seen.insert(block).second)
        open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
    return seen;
  }

  // The uses that are reached only through `suspension`; none if a use is reachable both ways.
  llvm::SmallVector<llvm::Use *> uses_behind(llvm::Instruction &value,
                                             llvm::IntrinsicInst &suspension,
                                             const BasicBlock &resumed) {
    llvm::SmallVector<llvm::Use *> uses;
    if (!dominators_.dominates(&value, &suspension) ||
        dominators_.dominates(&resumed, value.getParent())) // recomputed in a loop
      return uses;
    auto behind = reached(&resumed, value);
    for (llvm::Use &use : value.uses()) {
      BasicBlock *block = block_of(use);
      if (dominators_.dominates(&resumed, block))
        uses.push_back(&use);
      else if (behind.contains(block))
        return {};
    }
    return uses;
  }

  void move_all(llvm::IntrinsicInst &suspension) {
    BasicBlock *resumed = resumed_block(suspension);
    if (!resumed || !resumed->getSinglePredecessor())
      return;
    llvm::SmallPtrSet<llvm::AllocaInst *, 16> taken;
    // Values with a slot come first: no store is needed if they stay in it.
    for (bool has_place : {true, false})
      for (size_t index = 0, count = values_.size(); index != count; ++index) {
        llvm::Instruction &value = *values_[index];
        llvm::AllocaInst *place = place_.lookup(&value);
        if ((place != nullptr) != has_place)
          continue;
        auto uses = uses_behind(value, suspension, *resumed);
        if (uses.empty())
          continue;
        if (!place || taken.contains(place))
          place = free_place(value.getType(), taken);
        taken.insert(place);
        keep(value, *place, suspension, *resumed, uses);
      }
  }

  llvm::AllocaInst *free_place(llvm::Type *type,
                               const llvm::SmallPtrSetImpl<llvm::AllocaInst *> &taken) {
    for (llvm::AllocaInst *variable : variables_)
      if (variable->getAllocatedType() == type && !taken.contains(variable))
        return variable;
    llvm::IRBuilder<> entry(&function_.getEntryBlock().front());
    return variables_.emplace_back(entry.CreateAlloca(type, nullptr, "kept"));
  }

  void keep(llvm::Instruction &value, llvm::AllocaInst &place, llvm::IntrinsicInst &suspension,
            BasicBlock &resumed, llvm::ArrayRef<llvm::Use *> uses) {
    llvm::IRBuilder<> before(&suspension);
    before.CreateAlignedStore(&value, &place, place.getAlign());
    llvm::IRBuilder<> after(&resumed, resumed.getFirstInsertionPt());
    auto *reloaded = after.CreateAlignedLoad(value.getType(), &place, place.getAlign(), "again");
    for (llvm::Use *use : uses)
      use->set(reloaded);
    values_.push_back(reloaded);
    place_[reloaded] = &place;
  }

  llvm::Function &function_;
  llvm::DominatorTree &dominators_;
  std::vector<llvm::Instruction *> values_; // grows: a reloaded value is a candidate, too
  llvm::DenseMap<const llvm::Instruction *, llvm::AllocaInst *> place_; // of reloaded values
  llvm::SmallVector<llvm::IntrinsicInst *> suspensions_;
  llvm::SmallVector<llvm::AllocaInst *> variables_;
};

} // namespace

llvm::PreservedAnalyses ShareFrameSlotsPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  if (!function.isPresplitCoroutine() ||
      !Sharing(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function)).run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
