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

struct FirstOperations {
  llvm::SmallPtrSet<const llvm::Instruction *, 8> all; // group operations, or the return
  bool has_operation = false;

  bool have_common(const FirstOperations &other) const {
    return llvm::any_of(all,
                        [&](const llvm::Instruction *each) { return other.all.contains(each); });
  }
  void add(const FirstOperations &other) {
    all.insert(other.all.begin(), other.all.end());
    has_operation |= other.has_operation;
  }
};

FirstOperations first_operations(const llvm::BasicBlock &from) {
  FirstOperations first;
  Blocks seen;
  llvm::SmallVector<const llvm::BasicBlock *> open = {&from};
  while (!open.empty()) {
    const llvm::BasicBlock *block = open.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    if (const llvm::Instruction *operation = first_operation(*block)) {
      first.all.insert(operation);
      first.has_operation = true;
    } else if (llvm::succ_empty(block)) {
      first.all.insert(block->getTerminator());
    } else {
      open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
  }
  return first;
}

bool lead_to_different_ones(const llvm::BasicBlock &one, const llvm::BasicBlock &other) {
  const FirstOperations left = first_operations(one), right = first_operations(other);
  return left.has_operation && right.has_operation && !left.have_common(right);
}

struct EdgesOfOperation {
  Blocks blocks;
  FirstOperations first;
};

// Groups the successors of a switch by the operations that they reach first.
llvm::SmallVector<EdgesOfOperation> edges_by_operation(const llvm::SwitchInst &choice) {
  llvm::SmallVector<EdgesOfOperation> all;
  Blocks seen;
  for (const llvm::BasicBlock *block : llvm::successors(&choice)) {
    if (!seen.insert(block).second)
      continue;
    EdgesOfOperation own{{}, first_operations(*block)};
    own.blocks.insert(block);
    llvm::erase_if(all, [&](const EdgesOfOperation &each) {
      if (!each.first.have_common(own.first))
        return false;
      own.blocks.insert(each.blocks.begin(), each.blocks.end());
      own.first.add(each.first);
      return true;
    });
    all.push_back(std::move(own));
  }
  return all;
}

// The group of the default case needs no entry if every group leads to an operation: a work-item
// that takes no other entry takes the default.
void add_edges(llvm::SwitchInst &choice, DivergentOperations &divergent) {
  const llvm::SmallVector<EdgesOfOperation> all = edges_by_operation(choice);
  const auto have_common = [](const EdgesOfOperation &each) { return each.first.has_operation; };
  if (llvm::count_if(all, have_common) < 2)
    return;
  for (const EdgesOfOperation &each : all) {
    const bool has_default = each.blocks.contains(choice.getDefaultDest());
    if (!have_common(each) || (has_default && llvm::all_of(all, have_common)))
      continue;
    DivergentEdges edges{&choice, {}, has_default};
    for (auto next_case : choice.cases())
      if (each.blocks.contains(next_case.getCaseSuccessor()) != has_default)
        edges.values.push_back(next_case.getCaseValue());
    divergent.edges.push_back(std::move(edges));
  }
}

} // namespace

DivergentOperations find_divergent_operations(llvm::Function &function, const Uniformity &group) {
  DivergentOperations divergent;
  const llvm::PostDominatorTree after(function);
  Blocks divergent_blocks;
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
    divergent_blocks.insert(seen.begin(), seen.end());
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch && lead_to_different_ones(*branch->getSuccessor(0), *branch->getSuccessor(1)))
      divergent.choices.push_back(branch);
    if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator()))
      add_edges(*choice, divergent);
  }
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_group_operation(instruction) && divergent_blocks.contains(instruction.getParent()))
      divergent.operations.push_back(&instruction);
  return divergent;
}

} // namespace lockstep::compiler
