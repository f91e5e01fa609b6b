#include "tools/lockstep++/replace_throws.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::driver {

bool ends_the_kernel(llvm::StringRef name) {
  // A throw expression begins with a call of __cxa_allocate_exception.
  static constexpr llvm::StringRef names[] = {"__cxa_allocate_exception",
                                              "__cxa_throw",
                                              "__cxa_rethrow",
                                              "__cxa_bad_cast",
                                              "__cxa_bad_typeid",
                                              "__cxa_pure_virtual",
                                              "__cxa_throw_bad_array_new_length",
                                              "__assert_fail",
                                              "_ZSt9terminatev",
                                              "_ZSt21__glibcxx_assert_failPKciS0_S0_",
                                              "abort"};
  return llvm::is_contained(names, name) || (name.starts_with("_ZSt") && name.contains("__throw_"));
}

namespace {

// Returns the first call of a block after which the rest of the block is not executed.
llvm::CallBase *end_in(llvm::BasicBlock &block) {
  for (llvm::Instruction &instruction : block)
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (auto *callee =
              llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts()))
        if (callee->isDeclaration() && ends_the_kernel(callee->getName()))
          return call;
  return nullptr;
}

} // namespace

void replace_throws(llvm::Module &module) {
  for (llvm::Function &function : module) {
    bool changed = false;
    for (llvm::BasicBlock &block : function)
      if (llvm::CallBase *call = end_in(block)) {
        llvm::IRBuilder<>(call).CreateIntrinsic(llvm::Intrinsic::trap, {});
        llvm::changeToUnreachable(call);
        changed = true;
      }
    if (changed)
      llvm::removeUnreachableBlocks(function);
  }
}

} // namespace lockstep::driver
