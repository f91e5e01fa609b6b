// Puts each group operation (barrier, async copy) into a basic block of its own.
//
// Requires: the kernel after the lanes stage.
// Ensures: a block with a group operation holds only that operation and a branch. It has one
// successor, which has one predecessor. The function has at most one return.
//
// Position: just before barrier regions are computed, so that regions are sets of whole blocks.
#include "compiler/regions/passes.h"

#include "kernel_ir/primitives.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses IsolateGroupOperationsPass::run(llvm::Function &function,
                                                        llvm::FunctionAnalysisManager &) {
  llvm::removeUnreachableBlocks(function);
  llvm::SmallVector<llvm::Instruction *> operations;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_group_operation(instruction))
      operations.push_back(&instruction);
  for (llvm::Instruction *operation : operations) {
    // Splits even if the operation is first in its block: the code after another operation must
    // start in a block without one.
    llvm::BasicBlock *block = llvm::SplitBlock(operation->getParent(), operation);
    block->setName("operation");
    llvm::BasicBlock *after = llvm::SplitBlock(block, operation->getNextNode());
    after->setName("after.operation");
  }
  llvm::SmallVector<llvm::ReturnInst *> returns;
  for (llvm::BasicBlock &block : function)
    if (auto *ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      returns.push_back(ret);
  if (returns.size() > 1) {
    auto *end = llvm::BasicBlock::Create(function.getContext(), "end", &function);
    llvm::ReturnInst::Create(function.getContext(), end);
    for (llvm::ReturnInst *ret : returns) {
      llvm::BranchInst::Create(end, ret->getIterator());
      ret->eraseFromParent();
    }
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
