// Lets the work-items of a group meet between a wait and an operation of their sub-group.
//
// In a group that make-persistent may suspend, a work-item that waits long meets the others: they
// are at barriers, at their ends, or wait. A work-item that is in an operation of its sub-group
// would never come, because the operation needs the one that waits.
//
// Requires: the kernel of a launch with persistent groups, before lower-gpu-primitives, with the
// calls of note-group-waits.
// Ensures: on each path from a wait to an operation that needs all work-items of a sub-group, there
// is a barrier if all of the group go there, else a call of lockstep_nvidia_sub_group_rendezvous. An
// operation of a part of a sub-group that only some lanes reach is an error: it waits for them.
#include "back_ends/nvidia/passes/passes.h"

#include "back_ends/nvidia/passes/divergent_blocks.h"
#include "back_ends/nvidia/passes/gpu_kernel.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {
namespace {

using llvm::BasicBlock;

bool is_wait(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->getName() == wait_begins_function;
}

bool is_of_part(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() &&
         llvm::is_contained(part_functions, call->getCalledFunction()->getName());
}

// Whether work-items may have waited since they met, behind the block.
bool waits_behind(const BasicBlock &block, bool waits) {
  for (const llvm::Instruction &instruction : block)
    if (is_wait(instruction))
      waits = true;
    else if (called_primitive(instruction) == Primitive::barrier)
      waits = false;
  return waits;
}

llvm::SmallPtrSet<const BasicBlock *, 16> blocks_behind_waits(const llvm::Function &kernel) {
  llvm::SmallPtrSet<const BasicBlock *, 16> behind;
  llvm::SmallVector<const BasicBlock *> open;
  for (const BasicBlock &block : kernel)
    if (waits_behind(block, false))
      open.push_back(&block);
  while (!open.empty())
    for (const BasicBlock *next : llvm::successors(open.pop_back_val()))
      if (behind.insert(next).second && waits_behind(*next, true))
        open.push_back(next);
  return behind;
}

} // namespace

llvm::PreservedAnalyses MeetBehindWaitsPass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &) {
  llvm::Function &kernel = *gpu_kernel(module);
  const auto behind = blocks_behind_waits(kernel);
  llvm::SmallVector<llvm::Instruction *> operations;
  for (BasicBlock &block : kernel) {
    bool waits = behind.contains(&block);
    for (llvm::Instruction &instruction : block) {
      const auto primitive = called_primitive(instruction);
      if (waits && (is_of_part(instruction) || (primitive && is_sub_group_operation(*primitive)))) {
        operations.push_back(&instruction);
        waits = false;
      } else if (primitive == Primitive::barrier || is_wait(instruction)) {
        waits = primitive != Primitive::barrier;
      }
    }
  }
  if (operations.empty())
    return llvm::PreservedAnalyses::all();
  const auto of_some_lanes = divergent_blocks(kernel, UniformityLevel::lanes),
             of_some_items = divergent_blocks(kernel, UniformityLevel::work_group);
  llvm::IRBuilder<> builder(module.getContext());
  for (llvm::Instruction *operation : operations) {
    if (of_some_lanes.contains(operation->getParent())) {
      if (is_of_part(*operation))
        module.getContext().diagnose(llvm::DiagnosticInfoGeneric(
            "a kernel whose work-groups wait uses a group that is a part of a sub-group behind a "
            "wait, in divergent control flow, which NVIDIA devices do not support",
            llvm::DS_Error));
      continue; // others take the lanes that are there
    }
    builder.SetInsertPoint(operation);
    if (of_some_items.contains(operation->getParent()))
      builder
          .CreateCall(
              module.getOrInsertFunction(sub_group_rendezvous_function, builder.getVoidTy()))
          ->setConvergent();
    else
      builder
          .CreateCall(declare_primitive(module, Primitive::barrier, builder.getVoidTy(),
                                        {builder.getInt32Ty()}),
                      {builder.getInt32(0)})
          ->setConvergent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
