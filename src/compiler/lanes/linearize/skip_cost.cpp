#include "compiler/lanes/linearize/skip_cost.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned cheap_limit =
    16; // instructions: about the cost of a mispredicted branch in vector code

unsigned cost_of(const llvm::Instruction &instruction) {
  constexpr unsigned demanded = 1000;
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
    return branch->isConditional() ? demanded : 0;
  if (instruction.mayReadOrWriteMemory())
    return demanded;
  if (called_primitive(instruction) == Primitive::reciprocal_sqrt)
    return 6;
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return llvm::isa<llvm::IntrinsicInst>(call) ? 2 : demanded;
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    if (binary->isIntDivRem())
      return demanded;
    if (binary->getOpcode() == llvm::Instruction::FDiv ||
        binary->getOpcode() == llvm::Instruction::FRem)
      return 8;
  }
  return llvm::isa<llvm::PHINode>(instruction) ? 0 : 1;
}

} // namespace

SkipCost::SkipCost(const llvm::Function &function, const llvm::DominatorTree &dominators,
                   const llvm::LoopInfo &loops) {
  llvm::DenseMap<const llvm::DomTreeNode *, unsigned> costs;
  for (const llvm::DomTreeNode *node : llvm::post_order(dominators.getRootNode())) {
    unsigned cost = loops.isLoopHeader(node->getBlock()) ? cheap_limit : 0;
    for (const llvm::Instruction &instruction : *node->getBlock())
      cost += cost_of(instruction);
    for (const llvm::DomTreeNode *child : node->children())
      cost += costs.lookup(child);
    costs[node] = cost;
    pays_[node->getBlock()] = cost > cheap_limit;
  }
}

} // namespace lockstep::compiler
