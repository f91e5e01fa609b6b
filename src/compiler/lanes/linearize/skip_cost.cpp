#include "compiler/lanes/linearize/skip_cost.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace lockstep::compiler {

namespace {

// nullopt: the instruction must not run without an active lane.
std::optional<double> cost_of(const llvm::Instruction &instruction, const CostModel &model) {
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
    return branch->isConditional() ? std::nullopt : std::optional(0.0);
  if (instruction.mayReadOrWriteMemory() || instruction.isIntDivRem())
    return std::nullopt;
  if (called_primitive(instruction) == Primitive::reciprocal_sqrt)
    return CostModel::vectors(6); // of lower-reciprocal-sqrt
  if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction))
    return std::nullopt;
  return llvm::isa<llvm::PHINode>(instruction) ? 0 : model.arithmetic_in_lanes(instruction);
}

} // namespace

SkipCost::SkipCost(const llvm::Function &function, const llvm::DominatorTree &dominators,
                   const llvm::LoopInfo &loops, const CostModel &model) {
  const double required = 2 * CostModel::skip();
  llvm::DenseMap<const llvm::DomTreeNode *, double> costs;
  for (const llvm::DomTreeNode *node : llvm::post_order(dominators.getRootNode())) {
    double cost = loops.isLoopHeader(node->getBlock()) ? CostModel::skip() : 0;
    for (const llvm::Instruction &instruction : *node->getBlock())
      cost += cost_of(instruction, model).value_or(required);
    for (const llvm::DomTreeNode *child : node->children())
      cost += costs.lookup(child);
    costs[node] = cost;
    pays_[node->getBlock()] = cost > CostModel::skip();
  }
}

} // namespace lockstep::compiler
