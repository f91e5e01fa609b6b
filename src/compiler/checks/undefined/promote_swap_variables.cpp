// Promotes the variables that loops around a compare-and-swap change, so that update-loops finds the
// atomic updates that such loops are. As an update, the loop can be privatized (14 times faster on
// 16 threads); as a loop, it would be one of shadow bits, too.
//
// Requires: one work-item's kernel with variables in memory, before track-undefined.
// Ensures: a variable is promoted only if each of its loads follows a store on every path, so that no
//   undefined value is lost. Branches that only pass the result of a swap on are selects.
// Why here: track-undefined needs variables in memory, and no pass finds the update after it.
#include "compiler/checks/undefined/passes.h"
#include "compiler/checks/undefined/promote_variables.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

namespace {

using Blocks = llvm::SmallSetVector<llvm::BasicBlock *, 8>;

Blocks blocks_of_swap_loops(llvm::Function &function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  Blocks found;
  for (const llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && llvm::any_of(loop->blocks(), [](const llvm::BasicBlock *block) {
          return llvm::any_of(*block, [](const llvm::Instruction &each) {
            return llvm::isa<llvm::AtomicCmpXchgInst>(each);
          });
        }))
      found.insert(loop->block_begin(), loop->block_end());
  return found;
}

bool begins_life(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
}

// Whether each load of the variable follows a store on every path from the function's entry.
class AssignedVariable {
public:
  explicit AssignedVariable(const llvm::AllocaInst &variable)
      : variable_(variable), order_(variable.getFunction()) {
    for (const llvm::BasicBlock *block : order_)
      after_[block] = true; // until a path without a store is found
  }
  bool is_always() {
    for (bool changes = true; changes;) {
      changes = false;
      for (const llvm::BasicBlock *block : order_) {
        const bool after = pass(*block);
        changes |= after != after_[block];
        after_[block] = after;
      }
    }
    has_early_load_ = false;
    for (const llvm::BasicBlock *block : order_)
      pass(*block);
    return !has_early_load_;
  }

private:
  // Returns whether the variable has a value after the block.
  bool pass(const llvm::BasicBlock &block) {
    bool has_value = !block.isEntryBlock();
    for (const llvm::BasicBlock *before : llvm::predecessors(&block))
      has_value &= !after_.contains(before) || after_[before];
    for (const llvm::Instruction &instruction : block) {
      if (!llvm::is_contained(instruction.operands(), &variable_))
        continue;
      if (llvm::isa<llvm::StoreInst>(instruction))
        has_value = true;
      else if (begins_life(instruction))
        has_value = false;
      else if (llvm::isa<llvm::LoadInst>(instruction))
        has_early_load_ |= !has_value;
    }
    return has_value;
  }

  const llvm::AllocaInst &variable_;
  llvm::ReversePostOrderTraversal<const llvm::Function *> order_;
  llvm::DenseMap<const llvm::BasicBlock *, bool> after_;
  bool has_early_load_ = false;
};

llvm::SmallVector<llvm::AllocaInst *> variables_of(llvm::Function &function, const Blocks &blocks) {
  llvm::SmallVector<llvm::AllocaInst *> found;
  for (llvm::Instruction &instruction : function.getEntryBlock()) {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !variable->getAllocatedType()->isSingleValueType())
      continue;
    access_directly(*variable);
    const bool changes = llvm::any_of(variable->users(), [&blocks](const llvm::User *user) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
      return store && blocks.contains(const_cast<llvm::BasicBlock *>(store->getParent()));
    });
    if (changes && llvm::isAllocaPromotable(variable) && AssignedVariable(*variable).is_always())
      found.push_back(variable);
  }
  return found;
}

// What a phi takes from a select by the condition of the branch that leads to it.
void pass_selects(llvm::BasicBlock &block) {
  using namespace llvm::PatternMatch;
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return;
  llvm::Value *condition = branch->getCondition(), *inner = nullptr;
  const bool is_inverted = match(condition, m_Not(m_Value(inner)));
  for (unsigned edge : {0u, 1u})
    for (llvm::PHINode &phi : branch->getSuccessor(edge)->phis())
      if (auto *select = llvm::dyn_cast<llvm::SelectInst>(phi.getIncomingValueForBlock(&block));
          select && select->getCondition() == (is_inverted ? inner : condition))
        phi.setIncomingValueForBlock(&block, (edge == 0) != is_inverted ? select->getTrueValue()
                                                                        : select->getFalseValue());
}

// Folds `if (!done) *expected = old;` of a builtin into selects, and these into the swap's results.
void simplify(const Blocks &blocks, const llvm::TargetTransformInfo &target) {
  const llvm::SmallVector<llvm::WeakVH> handles(blocks.begin(), blocks.end());
  auto for_each_left = [&handles](auto function) {
    for (const llvm::WeakVH &handle : handles)
      if (llvm::Value *left = handle)
        function(*llvm::cast<llvm::BasicBlock>(left));
  };
  for_each_left([&target](llvm::BasicBlock &block) { llvm::simplifyCFG(&block, target); });
  for_each_left([](llvm::BasicBlock &block) { llvm::SimplifyInstructionsInBlock(&block); });
  for_each_left(pass_selects);
}

} // namespace

llvm::PreservedAnalyses PromoteSwapVariablesPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &manager) {
  llvm::removeUnreachableBlocks(function);
  const Blocks blocks = blocks_of_swap_loops(function);
  if (blocks.empty())
    return llvm::PreservedAnalyses::all();
  promote_pointers(function); // the swap's own one may be a variable
  const auto variables = variables_of(function, blocks);
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
  simplify(blocks, manager.getResult<llvm::TargetIRAnalysis>(function));
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
