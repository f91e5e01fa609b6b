#include "compiler/checks/races/divergent_operations.h"

#include "compiler/analysis/uniformity.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <utility>

namespace lockstep::compiler {

namespace {

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

const llvm::Instruction *first_operation(const llvm::BasicBlock &block) {
  for (const llvm::Instruction &instruction : block)
    if (is_group_operation(instruction))
      return &instruction;
  return nullptr;
}

struct MetFirst {
  llvm::SmallPtrSet<const llvm::Instruction *, 8> all; // group operations, or the return
  bool has_operation = false;

  bool meets(const MetFirst &other) const {
    return llvm::any_of(all,
                        [&](const llvm::Instruction *each) { return other.all.contains(each); });
  }
  void add(const MetFirst &other) {
    all.insert(other.all.begin(), other.all.end());
    has_operation |= other.has_operation;
  }
};

MetFirst met_first(const llvm::BasicBlock &from) {
  MetFirst met;
  Blocks seen;
  llvm::SmallVector<const llvm::BasicBlock *> open = {&from};
  while (!open.empty()) {
    const llvm::BasicBlock *block = open.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    if (const llvm::Instruction *operation = first_operation(*block)) {
      met.all.insert(operation);
      met.has_operation = true;
    } else if (llvm::succ_empty(block)) {
      met.all.insert(block->getTerminator());
    } else {
      open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
  }
  return met;
}

bool lead_to_different_ones(const llvm::BasicBlock &one, const llvm::BasicBlock &other) {
  const MetFirst left = met_first(one), right = met_first(other);
  return left.has_operation && right.has_operation && !left.meets(right);
}

struct Ways {
  Blocks blocks;
  MetFirst met;
};

// Groups the successors of a switch by the operations that they reach first.
llvm::SmallVector<Ways> ways_apart(const llvm::SwitchInst &choice) {
  llvm::SmallVector<Ways> all;
  Blocks seen;
  for (const llvm::BasicBlock *block : llvm::successors(&choice)) {
    if (!seen.insert(block).second)
      continue;
    Ways own{{}, met_first(*block)};
    own.blocks.insert(block);
    llvm::erase_if(all, [&](const Ways &each) {
      if (!each.met.meets(own.met))
        return false;
      own.blocks.insert(each.blocks.begin(), each.blocks.end());
      own.met.add(each.met);
      return true;
    });
    all.push_back(std::move(own));
  }
  return all;
}

// The group of the default case needs no entry if every group leads to an operation: a work-item
// that takes no other entry takes the default.
void add_ways(llvm::SwitchInst &choice, DivergentOperations &divergent) {
  const llvm::SmallVector<Ways> all = ways_apart(choice);
  const auto meets = [](const Ways &each) { return each.met.has_operation; };
  if (llvm::count_if(all, meets) < 2)
    return;
  for (const Ways &each : all) {
    const bool has_default = each.blocks.contains(choice.getDefaultDest());
    if (!meets(each) || (has_default && llvm::all_of(all, meets)))
      continue;
    DivergentEdges ways{&choice, {}, has_default};
    for (auto way : choice.cases())
      if (each.blocks.contains(way.getCaseSuccessor()) != has_default)
        ways.values.push_back(way.getCaseValue());
    divergent.ways.push_back(std::move(ways));
  }
}

} // namespace

DivergentOperations find_divergent_operations(llvm::Function &function, const Uniformity &group) {
  DivergentOperations divergent;
  const llvm::PostDominatorTree after(function);
  Blocks apart;
  for (llvm::BasicBlock &block : function) {
    if (block.getTerminator()->getNumSuccessors() < 2 || group.has_uniform_branch(block))
      continue;
    const auto *node = after.getNode(&block);
    const auto *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallVector<const llvm::BasicBlock *> open(llvm::successors(&block));
    Blocks seen;
    while (!open.empty()) {
      const llvm::BasicBlock *next = open.pop_back_val();
      if (next != join && seen.insert(next).second)
        open.append(llvm::succ_begin(next), llvm::succ_end(next));
    }
    apart.insert(seen.begin(), seen.end());
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch && lead_to_different_ones(*branch->getSuccessor(0), *branch->getSuccessor(1)))
      divergent.choices.push_back(branch);
    if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator()))
      add_ways(*choice, divergent);
  }
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_group_operation(instruction) && apart.contains(instruction.getParent()))
      divergent.operations.push_back(&instruction);
  return divergent;
}

} // namespace lockstep::compiler
