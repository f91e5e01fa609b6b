// Shares private variables in which all lanes hold the same values: one variable for the sub-group.
//
// Packet ray traversal is an example. The next node is chosen by a vote, so it is uniform, and so
// is the stack of nodes left to visit. But the stack is a private array. If each lane loaded from
// its own copy, all dependent values, above all loads of nodes and branches, would be divergent.
//
// Input:  the kernel after lane-ids and answer-sub-group-queries.
// Output: shared variables have the metadata `lockstep.sub.group.variable`, so that
//         interleave-private leaves them unchanged. Loads from them are uniform where the address
//         is.
//
// All lanes hold the same values if
// - every store has a uniform value and a uniform address. This is first assumed for all variables;
//   variables that contradict the assumption are dropped until none does;
// - the same lanes execute every store. Either no divergent branch controls it, or the same
//   branches, none in a loop, control all accesses (`if (get_global_id(0) < n)` around the whole);
// - no store is in a serialized region (analysis/serial_regions.h). serialize-loops moves no loop with
//   such a store;
// - the address does not escape.
#include "compiler/lanes/split/passes.h"

#include "compiler/analysis/uniformity.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <set>

namespace lockstep::compiler {

namespace {

struct Variable {
  llvm::AllocaInst *memory;
  llvm::SmallVector<llvm::LoadInst *> loads;
  llvm::SmallVector<llvm::StoreInst *> stores;
};

// Returns false if the address has other uses.
bool find_accesses(llvm::Value &address, Variable &variable) {
  for (llvm::User *user : address.users()) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user); load && load->isSimple())
      variable.loads.push_back(load);
    else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
             store && store->isSimple() && store->getValueOperand() != &address)
      variable.stores.push_back(store);
    else if (!llvm::isa<llvm::LifetimeIntrinsic>(user) &&
             !(llvm::isa<llvm::GetElementPtrInst>(user) && find_accesses(*user, variable)))
      return false;
  }
  return true;
}

class Sharing {
public:
  Sharing(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
      : function_(function), dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        post_dominators_(analyses.getResult<llvm::PostDominatorTreeAnalysis>(function)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)) {}

  void run() {
    llvm::SmallVector<Variable> variables = candidates();
    for (const Variable &variable : variables)
      variable.memory->setMetadata(sub_group_variable,
                                   llvm::MDNode::get(function_.getContext(), {}));
    while (!variables.empty()) {
      const Uniformity uniformity(function_, dominators_, UniformityLevel::sub_group);
      const std::size_t before = variables.size();
      llvm::erase_if(variables, [&](const Variable &variable) {
        const bool is_wrong = !is_the_same_for_all(variable, uniformity);
        if (is_wrong)
          variable.memory->setMetadata(sub_group_variable, nullptr);
        return is_wrong;
      });
      if (variables.size() == before)
        return;
    }
  }

private:
  using Blocks = std::set<const llvm::BasicBlock *>;

  llvm::SmallVector<Variable> candidates() {
    llvm::SmallVector<Variable> found;
    for (llvm::Instruction &instruction : llvm::instructions(function_)) {
      if (called_primitive(instruction) == Primitive::serial_begin)
        return {};
      auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!alloca || !alloca->isStaticAlloca() || alloca->hasMetadata(sub_group_variable))
        continue;
      Variable variable{alloca, {}, {}};
      if (find_accesses(*alloca, variable) && !variable.stores.empty())
        found.push_back(std::move(variable));
    }
    return found;
  }

  bool is_the_same_for_all(const Variable &variable, const Uniformity &uniformity) {
    const Blocks guards = divergent_branches_around(*variable.stores.front(), uniformity);
    if (llvm::any_of(guards, [&](auto *block) { return loops_.getLoopFor(block) != nullptr; }))
      return false;
    for (const llvm::StoreInst *store : variable.stores)
      if (llvm::any_of(store->operands(),
                       [&](const llvm::Use &use) {
                         return !uniformity.is_uniform(*use) || !uniformity.is_uniform_use(use);
                       }) ||
          divergent_branches_around(*store, uniformity) != guards)
        return false;
    return llvm::all_of(variable.loads, [&](const llvm::LoadInst *load) {
      const Blocks around = divergent_branches_around(*load, uniformity);
      return std::includes(around.begin(), around.end(), guards.begin(), guards.end());
    });
  }

  // The divergent branches that decide whether, and how often, a lane reaches the instruction.
  Blocks divergent_branches_around(const llvm::Instruction &instruction,
                                   const Uniformity &uniformity) {
    auto [known, is_new] = deciding_.try_emplace(instruction.getParent());
    if (is_new) {
      llvm::SmallPtrSet<llvm::BasicBlock *, 1> block = {
          const_cast<llvm::BasicBlock *>(instruction.getParent())};
      llvm::ReverseIDFCalculator frontier(post_dominators_);
      frontier.setDefiningBlocks(block);
      frontier.calculate(known->second);
    }
    Blocks divergent;
    for (const llvm::BasicBlock *block : known->second)
      if (!uniformity.has_uniform_branch(*block))
        divergent.insert(block);
    return divergent;
  }

  llvm::Function &function_;
  llvm::DominatorTree &dominators_;
  llvm::PostDominatorTree &post_dominators_;
  llvm::LoopInfo &loops_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<llvm::BasicBlock *>> deciding_;
};

} // namespace

llvm::PreservedAnalyses SharePrivateArraysPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  if (sub_group_size(function) > 1)
    Sharing(function, analyses).run();
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
