// Requests how often the optimization unrolls loops.
//
// LLVM unrolls a loop for this target until the copies have 75 instructions, which is two copies of
// many kernels' loops. On an H200, an n-body kernel took 322 us with two copies and 234 us with
// eight. With eight instead of four, a matrix product takes 475 us (503), a sparse product 170 (192),
// and products of rows 15.3 (19.9).
//
// Requires: optimized code, of which short loops with a constant number of iterations are unrolled.
// Ensures: innermost loops have `llvm.loop.unroll.count`: 8, or fewer if the copies would have more
// than 300 instructions. Loops that the program or another pass has marked stay as they are, and so
// do loops with calls and barriers.
//
// Position: right before LLVM vectorizes and unrolls.
#include "back_ends/nvidia/passes/passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned most_copies = 8, most_instructions = 300;

// 1: the loop stays as it is.
unsigned unroll_count(const llvm::Loop &loop) {
  unsigned instructions = 0, limit = most_copies;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() || !llvm::isa<llvm::IntrinsicInst>(call)))
        return 1;
      ++instructions;
    }
  while (limit > 1 && limit * instructions > most_instructions)
    limit /= 2;
  return limit;
}

bool is_marked(const llvm::Loop &loop) {
  for (const char *name : {"llvm.loop.unroll.disable", "llvm.loop.unroll.count",
                           "llvm.loop.unroll.enable", "llvm.loop.unroll.full"})
    if (llvm::getBooleanLoopAttribute(&loop, name) || llvm::findStringMetadataForLoop(&loop, name))
      return true;
  return false;
}

} // namespace

llvm::PreservedAnalyses ChooseUnrollCountPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &analyses) {
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && !is_marked(*loop))
      if (const unsigned count = unroll_count(*loop); count > 1)
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", count);
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
