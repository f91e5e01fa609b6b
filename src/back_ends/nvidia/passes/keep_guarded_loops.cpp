// Keeps loops with barriers as they are, in which few work-items change much local memory.
//
//     for (uint n = 1; n < 512; n *= 2) {
//       barrier(CLK_LOCAL_MEM_FENCE);
//       if (get_local_id(0) < n) swap(...); // two loads, two stores
//     }
//
// LLVM unrolls such a loop completely. Then it computes all addresses in advance, and NVIDIA's
// assembler executes the short rest of the `if` under a predicate. The warps that have nothing to do
// execute it, too: their loads and stores of local memory cost as much as others. On an H200, a
// prefix sum in groups of 256 took 165 us with the loop unrolled, and 139 us with a branch around
// its swap. With a load less, as in a tree that adds, unrolled code is faster: 104 us to 116 us.
//
// Requires: the kernel of one work-item, after SROA.
// Ensures: such loops are not unrolled.
//
// Position: before the optimization that all devices share, which unrolls.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned least_accesses = 4;

bool is_barrier(const llvm::Instruction &instruction) {
  return called_primitive(instruction) == Primitive::barrier;
}

bool accesses_local_memory(const llvm::Instruction &instruction) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
  return pointer && pointer->getType()->getPointerAddressSpace() == local_space;
}

bool is_guarded(const llvm::Loop &loop, const llvm::DominatorTree &dominators) {
  bool has_barrier = false, has_guard = false;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    has_barrier |= llvm::any_of(*block, is_barrier);
    has_guard |= !dominators.dominates(block, loop.getLoopLatch()) &&
                 llvm::count_if(*block, accesses_local_memory) >= least_accesses;
  }
  return has_barrier && has_guard;
}

} // namespace

llvm::PreservedAnalyses KeepGuardedLoopsPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  const auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopLatch() && is_guarded(*loop, dominators))
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
