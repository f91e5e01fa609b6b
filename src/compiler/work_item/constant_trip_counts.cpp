// Counts the iterations of loops that have the same number in all work-items.
//
//     for (uint k = get_local_id(0); k < 256; k += get_local_size(0)) tile[k] = from[k];
//
// With a local size of 64, each work-item has four iterations. Its exit compares an index that differs
// from lane to lane, so the loop would be divergent, and LLVM would not unroll it.
//
// Requires: the kernel of one work-item, after SROA, with the ranges of its local ids.
// Ensures: if the number of iterations is a constant in that range, but not by itself, the exit
// compares a counter. Such a loop with atomics is not unrolled: lanes make each of them long.
//
// Position: before scalar optimization, which folds the index into masks of bits.
#include "compiler/work_item/passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace lockstep::compiler {

namespace {

// The branch by which the loop ends; null if there are several.
llvm::BranchInst *only_exit(const llvm::Loop &loop, const llvm::DominatorTree &dominators) {
  llvm::BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch();
  if (!exiting || !latch || !dominators.dominates(exiting, latch))
    return nullptr;
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  return branch && branch->isConditional() && !llvm::isa<llvm::Constant>(branch->getCondition())
             ? branch
             : nullptr;
}

bool has_atomics(const llvm::Loop &loop) {
  return llvm::any_of(loop.blocks(), [](const llvm::BasicBlock *block) {
    return llvm::any_of(*block, [](const llvm::Instruction &each) { return each.isAtomic(); });
  });
}

void count_iterations(llvm::Loop &loop, llvm::BranchInst &exit, uint64_t continued) {
  llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  llvm::IRBuilder<> builder(header, header->begin());
  llvm::Type *type = builder.getInt32Ty();
  auto *counter = builder.CreatePHI(type, 2, "iteration");
  builder.SetInsertPoint(latch->getTerminator());
  llvm::Value *next = builder.CreateNUWAdd(counter, builder.getInt32(1), "iteration.next");
  for (llvm::BasicBlock *from : llvm::predecessors(header))
    counter->addIncoming(from == latch ? next : builder.getInt32(0), from);
  builder.SetInsertPoint(&exit);
  const bool stays_if_true = loop.contains(exit.getSuccessor(0));
  exit.setCondition(stays_if_true
                        ? builder.CreateICmpULT(counter, builder.getInt32(uint32_t(continued)))
                        : builder.CreateICmpUGE(counter, builder.getInt32(uint32_t(continued))));
}

} // namespace

llvm::PreservedAnalyses ConstantTripCountsPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  const auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  llvm::SmallVector<std::pair<llvm::Loop *, uint64_t>> found;
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!only_exit(*loop, dominators))
      continue;
    const llvm::SCEV *taken = evolution.getBackedgeTakenCount(loop);
    if (llvm::isa<llvm::SCEVCouldNotCompute, llvm::SCEVConstant>(taken))
      continue;
    const llvm::ConstantRange range = evolution.getUnsignedRange(taken);
    const llvm::APInt *number = range.getSingleElement();
    if (number && number->getActiveBits() < 32)
      found.emplace_back(loop, number->getZExtValue());
  }
  if (found.empty())
    return llvm::PreservedAnalyses::all();
  for (auto [loop, continued] : found) {
    count_iterations(*loop, *only_exit(*loop, dominators), continued);
    if (has_atomics(*loop))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
