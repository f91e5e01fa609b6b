#include "compiler/ir_to_workgroup/check/parted_meetings.h"

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

const llvm::Instruction *first_operation(const llvm::BasicBlock &block) {
  for (const llvm::Instruction &instruction : block)
    if (is_group_operation(instruction))
      return &instruction;
  return nullptr;
}

// What can be met first from here: operations, or the return.
llvm::SmallPtrSet<const llvm::Instruction *, 8> met_first(const llvm::BasicBlock &from,
                                                          bool &meets_operation) {
  llvm::SmallPtrSet<const llvm::Instruction *, 8> met;
  Blocks seen;
  llvm::SmallVector<const llvm::BasicBlock *> open = {&from};
  while (!open.empty()) {
    const llvm::BasicBlock *block = open.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    if (const llvm::Instruction *operation = first_operation(*block)) {
      met.insert(operation);
      meets_operation = true;
    } else if (llvm::succ_empty(block)) {
      met.insert(block->getTerminator());
    } else {
      open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
  }
  return met;
}

bool lead_to_different_ones(const llvm::BasicBlock &one, const llvm::BasicBlock &other) {
  bool one_meets = false, other_meets = false;
  const auto left = met_first(one, one_meets), right = met_first(other, other_meets);
  return one_meets && other_meets &&
         llvm::none_of(left, [&](const llvm::Instruction *each) { return right.contains(each); });
}

// Its ways, but for that of the default, that lead to others than all of the rest do.
void add_ways(llvm::SwitchInst &choice, PartedMeetings &parted) {
  llvm::SmallSetVector<llvm::BasicBlock *, 8> ways;
  for (auto each : choice.cases())
    if (each.getCaseSuccessor() != choice.getDefaultDest())
      ways.insert(each.getCaseSuccessor());
  for (llvm::BasicBlock *way : ways)
    if (llvm::all_of(llvm::successors(choice.getParent()), [&](const llvm::BasicBlock *other) {
          return other == way || lead_to_different_ones(*way, *other);
        }))
      parted.ways.push_back({&choice, way});
}

} // namespace

PartedMeetings find_parted_meetings(llvm::Function &function, const Uniformity &group) {
  PartedMeetings parted;
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
      parted.choices.push_back(branch);
    if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator()))
      add_ways(*choice, parted);
  }
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_group_operation(instruction) && apart.contains(instruction.getParent()))
      parted.operations.push_back(&instruction);
  return parted;
}

} // namespace lockstep::compiler
