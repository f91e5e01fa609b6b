#include "compiler/regions/hoist_uniform_values.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool can_move(const llvm::Instruction &instruction, bool memory_is_unchanged) {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isTerminator())
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() && memory_is_unchanged;
  return !instruction.mayReadOrWriteMemory() && !instruction.mayThrow() && instruction.willReturn();
}

} // namespace

void hoist_uniform_values(llvm::BasicBlock &preheader, llvm::BasicBlock &body,
                          const llvm::DominatorTree &dominators) {
  llvm::Instruction *place = preheader.getTerminator();
  bool memory_is_unchanged = true;
  for (llvm::BasicBlock *block = &body; block; block = block->getSingleSuccessor()) {
    if (block != &body && !block->getSinglePredecessor()) // the latch, or a loop of the kernel
      return;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
      bool uniform = llvm::all_of(instruction.operands(), [&](const llvm::Use &operand) {
        auto *value = llvm::dyn_cast<llvm::Instruction>(operand);
        // Operands in the preheader need no dominance query. Such a query renumbers the block after
        // each move, which takes minutes when thousands of values move.
        return !value || value->getParent() == &preheader || dominators.dominates(value, place);
      });
      if (uniform && can_move(instruction, memory_is_unchanged))
        instruction.moveBefore(place->getIterator());
      memory_is_unchanged &= !instruction.mayWriteToMemory();
    }
  }
}

} // namespace lockstep::compiler
