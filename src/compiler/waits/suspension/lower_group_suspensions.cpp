// Lowers the waits of a work-group that is suspended as a whole.
//
// Input:  the function of one sub-group, before work-item-loops makes it the function of the group.
//         Other functions are unchanged.
// Output: a wait becomes `__lockstep_suspend(i32 Step::waiting, i32 site, i1 changed)`. Each
//         `__lockstep_seen` records its sub-group, by `__lockstep_sub_group`, which work-item-loops
//         lowers. Barriers stay: loops over sub-groups end there.
//
//         The suspension of a loop that all work-items repeat together is a group operation: it
//         happens once, between two loops over sub-groups.
//
// The pass runs before work-item-loops, because only that pass knows the number of the sub-group. A
// suspension is then a call in the middle of its loop, and make-coroutine finds the values live
// across it.
#include "compiler/waits/suspension/passes.h"

#include "abi/resumable_abi.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

void suspend(llvm::CallInst &wait) {
  llvm::IRBuilder<> builder(&wait);
  auto callee =
      declare_primitive(*wait.getModule(), Primitive::suspend, builder.getVoidTy(),
                        {builder.getInt32Ty(), builder.getInt32Ty(), builder.getInt1Ty()});
  auto *call = builder.CreateCall(callee, {builder.getInt32(static_cast<uint32_t>(Step::waiting)),
                                           wait.getArgOperand(0), wait.getArgOperand(1)});
  call->setDoesNotThrow();
  call->setConvergent();
  call->setDebugLoc(wait.getDebugLoc());
  if (wait.hasFnAttr(once_for_group)) // from here on a group operation
    call->addFnAttr(wait.getFnAttr(once_for_group));
  wait.eraseFromParent();
}

// The read of the first sub-group is the first one: any later change of memory is worth an
// iteration.
void record_first_only(llvm::CallInst &seen, llvm::Value &sub_group) {
  llvm::IRBuilder<> builder(&seen);
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
      builder.CreateICmpEQ(&sub_group, builder.getInt64(0), "is.first"), seen.getIterator(),
      /*Unreachable=*/false);
  seen.moveBefore(then->getIterator());
}

// Records the number of the sub-group in operand `which`.
void record_sub_group(llvm::CallInst &record, unsigned which) {
  llvm::IRBuilder<> builder(&record);
  auto callee = declare_primitive(*record.getModule(), Primitive::sub_group, builder.getInt64Ty());
  llvm::CallInst *number = builder.CreateCall(callee, {}, "sub.group");
  number->setDoesNotThrow();
  number->setDoesNotAccessMemory();
  llvm::Value *plus_one =
      builder.CreateAdd(builder.CreateTrunc(number, builder.getInt32Ty()), builder.getInt32(1));
  record.setArgOperand(which,
                       builder.CreateOr(builder.CreateShl(plus_one, WaitRecord::sub_group_shift),
                                        record.getArgOperand(which)));
  if (record.hasFnAttr(once_for_group))
    record_first_only(record, *number);
}

} // namespace

llvm::PreservedAnalyses LowerGroupSuspensionsPass::run(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  if (!is_resumable_by_group(function))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto primitive = called_primitive(instruction); primitive == Primitive::wait ||
                                                        primitive == Primitive::seen ||
                                                        primitive == Primitive::ends_with)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst *call : calls)
    called_primitive(*call) == Primitive::wait
        ? suspend(*call)
        : record_sub_group(*call, called_primitive(*call) == Primitive::seen ? 2 : 1);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
