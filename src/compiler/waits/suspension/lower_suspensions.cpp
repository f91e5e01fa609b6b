// Lowers barriers, group copies and waits of the coroutine form to suspensions of a sub-group.
//
// Input:  the function of one sub-group with barriers, group copies and the calls of mark-waits.
// Output: a barrier becomes `__lockstep_suspend(i32 Step::at_barrier, i32 site, i1 false)`. So does
//         a group copy, followed by the copy itself, guarded by "this is sub-group 0". The launch
//         resumes sub-group 0 first (resumable_abi.h), so the copy is complete before another
//         sub-group continues. A wait becomes `__lockstep_suspend(i32 Step::waiting, i32 site, i1
//         changed)`. `__lockstep_seen` stays.
//
// Between two suspensions the code runs on one thread. The launch therefore provides the fences of
// a barrier when it moves a sub-group from thread to thread.
#include "compiler/waits/suspension/passes.h"

#include "compiler/waits/suspension/suspension_sites.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

void suspend(llvm::Instruction &before, Step step, llvm::Value *site, llvm::Value *changed) {
  llvm::IRBuilder<> builder(&before);
  auto callee =
      declare_primitive(*before.getModule(), Primitive::suspend, builder.getVoidTy(),
                        {builder.getInt32Ty(), builder.getInt32Ty(), builder.getInt1Ty()});
  auto *call =
      builder.CreateCall(callee, {builder.getInt32(static_cast<uint32_t>(step)), site, changed});
  call->setDoesNotThrow();
  call->setConvergent();
  call->setDebugLoc(before.getDebugLoc());
}

void suspend_at_barrier(llvm::Instruction &before) {
  uint32_t site = add_suspension_site(*before.getModule(), SuspensionSite::Kind::barrier,
                                      before.getDebugLoc(), /*is_pure=*/false);
  llvm::LLVMContext &context = before.getContext();
  suspend(before, Step::at_barrier, llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), site),
          llvm::ConstantInt::getFalse(context));
}

// Executes an operation of the group once, in the sub-group that is resumed first.
void do_in_first_sub_group(llvm::CallInst &operation) {
  llvm::IRBuilder<> builder(&operation);
  auto callee =
      declare_primitive(*operation.getModule(), Primitive::sub_group, builder.getInt64Ty());
  auto *number = builder.CreateCall(callee, {}, "sub.group");
  number->setDoesNotThrow();
  number->setDoesNotAccessMemory();
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
      builder.CreateICmpEQ(number, builder.getInt64(0), "is.first"), operation.getIterator(),
      /*Unreachable=*/false);
  operation.moveBefore(then->getIterator());
}

} // namespace

llvm::PreservedAnalyses LowerSuspensionsPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &) {
  // Lanes that should wait separately may read different locations, but a record describes only
  // one.
  if (function.hasFnAttribute(lanes_wait_for_each_other) && sub_group_size(function) > 1) {
    make_sites_impure(*function.getParent());
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (called_primitive(instruction) == Primitive::seen)
        llvm::cast<llvm::CallInst>(instruction).removeFnAttr(wait_record_is_complete);
  }
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_group_operation(instruction) || called_primitive(instruction) == Primitive::wait)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst *call : calls) {
    Primitive primitive = *called_primitive(*call);
    if (primitive == Primitive::wait)
      suspend(*call, Step::waiting, call->getArgOperand(0), call->getArgOperand(1));
    else
      suspend_at_barrier(*call);
    if (is_group_operation(primitive) && primitive != Primitive::barrier)
      do_in_first_sub_group(*call);
  }
  for (llvm::CallInst *call : calls)
    if (called_primitive(*call) == Primitive::barrier || called_primitive(*call) == Primitive::wait)
      call->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
