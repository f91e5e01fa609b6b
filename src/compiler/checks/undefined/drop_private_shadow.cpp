// Treats the shadow of memory that turns out to be private as defined.
//
// Requires: one work-item's kernel after track-undefined and SROA; structure arguments are `byval`.
// Ensures: no call of undefined_calls.h loads, stores or updates shadow bits of a private variable
//   or of such an argument. A private variable whose address escapes is never reported
//   (private_shadow.h), and the launch fills the argument block. lower-undefined would decide the
//   same, but later.
// Why here: the calls take the address of the object. After SROA, `this` of a function object is
//   known to be the argument. If the calls stayed, the object would be copied for each work-item
//   and stay in memory, and each access would have to look up its pointers. So this pass runs
//   before privatize-arguments.
#include "compiler/checks/undefined/passes.h"

#include "compiler/checks/undefined/undefined_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool is_of_one_place(const llvm::CallInst &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee &&
         llvm::any_of(
             std::initializer_list<llvm::StringRef>{undefined_load_name, computed_load_name,
                                                    undefined_store_name, undefined_update_name},
             [&](llvm::StringRef name) { return callee->getName().starts_with(name); });
}

bool is_own(const llvm::Value *object) {
  const auto *argument = llvm::dyn_cast<llvm::Argument>(object);
  return llvm::isa<llvm::AllocaInst>(object) || (argument && argument->hasByValAttr());
}

bool is_own_memory(const llvm::Value &pointer) {
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects);
  return llvm::all_of(objects, is_own);
}

} // namespace

llvm::PreservedAnalyses DropPrivateShadowPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !is_of_one_place(*call) || !is_own_memory(*call->getArgOperand(0)))
      continue;
    if (!call->getType()->isVoidTy())
      call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
    call->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
