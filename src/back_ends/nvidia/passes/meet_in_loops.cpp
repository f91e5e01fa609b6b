// Lets the lanes of a warp that take different paths of a loop meet at its barriers and sub-group
// operations.
//
//     first:  r = r * 3;                 Some lanes continue at `first`, others at `second`, and all
//     second: barrier(); ...             reach the barrier next. The driver's assembler lets lanes
//     if (divergent) goto second;        meet where the paths from a branch meet. Without this pass,
//     goto first;                        it finds no such place in a cycle with several entries.
//
// Requires: the kernel and its out-of-line functions, with primitives.
// Ensures: cycles with barriers or sub-group operations have one entry. Lanes that leave a loop with
// barriers to enter it again stay in one loop (lanes/linearize/merge_barrier_loops.cpp).
//
// Position: before note-group-waits, whose analysis needs natural loops, and before the operations
// are chosen by where lanes diverge.
#include "back_ends/nvidia/passes/passes.h"

#include "compiler/lanes/linearize/merge_barrier_loops.h"
#include "compiler/work_item/passes.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

namespace lockstep::compiler {

namespace {

bool is_met_at(const llvm::Instruction &instruction) {
  const auto primitive = called_primitive(instruction);
  return primitive && (is_group_operation(*primitive) || is_sub_group_operation(*primitive));
}

// Whether some lanes may leave an inner loop with barriers while others stay.
bool some_lanes_leave_inner_loop(llvm::Function &function) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  llvm::SmallPtrSet<const llvm::Cycle *, 4> inner;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (const llvm::Cycle *cycle = cycles.getCycle(instruction.getParent());
        cycle && cycle->getParentCycle() && is_group_operation(instruction))
      inner.insert(cycle);
  if (inner.empty())
    return false;
  const llvm::DominatorTree dominators(function);
  const Uniformity uniformity(function, dominators, UniformityLevel::lanes);
  return llvm::any_of(inner, [&](const llvm::Cycle *cycle) {
    llvm::SmallVector<llvm::BasicBlock *> exiting;
    cycle->getExitingBlocks(exiting);
    return llvm::any_of(exiting, [&](const llvm::BasicBlock *block) {
      return !uniformity.has_uniform_branch(*block);
    });
  });
}

} // namespace

llvm::PreservedAnalyses MeetInLoopsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  if (llvm::none_of(llvm::instructions(function), is_met_at))
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved = MakeReduciblePass().run(function, analyses);
  if (!some_lanes_leave_inner_loop(function))
    return preserved;
  analyses.invalidate(function, preserved);
  llvm::LowerSwitchPass().run(function, analyses);
  llvm::UnifyFunctionExitNodesPass().run(function, analyses);
  merge_barrier_loops(function, UniformityLevel::lanes);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
