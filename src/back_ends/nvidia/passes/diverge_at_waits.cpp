// Lets a lane that has ended its wait run on while other lanes of the warp still wait.
//
// The driver's assembler joins the lanes of a warp again where the paths from a branch meet: behind
// a loop, a lane that has left it waits for the others. If the lane has a lock that the others wait
// for, none of them runs any more. So each loop that waits gets an edge to the end of the function,
// which is never taken: the paths meet only there.
//
// Requires: the back edges of loops that wait have the mark of note-group-waits.
// Ensures: a function with such a loop has one return. The condition of the edge is a comparison
// with a clock, and another clock is read in front of the return: the assembler cannot fold either.
// Lanes may reach a barrier of the group one by one, so barriers are not `.aligned`.
//
// Position: after lower-gpu-primitives, for which code behind a wait is not divergent.
#include "back_ends/nvidia/passes/passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {
namespace {

using llvm::BasicBlock;

llvm::Value *read_clock(llvm::IRBuilder<> &builder) {
  auto *type = llvm::FunctionType::get(builder.getInt64Ty(), false);
  return builder.CreateCall(llvm::InlineAsm::get(type, "mov.u64 $0, %clock64;", "=l",
                                                 /*hasSideEffects=*/true));
}

// Makes a block with the only return. Null: the function does not return.
BasicBlock *merge_returns(llvm::Function &function) {
  llvm::SmallVector<llvm::ReturnInst *> returns;
  for (BasicBlock &block : function)
    if (auto *leave = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      returns.push_back(leave);
  if (returns.empty())
    return nullptr;
  BasicBlock *end = BasicBlock::Create(function.getContext(), "end", &function);
  llvm::IRBuilder<> builder(end);
  llvm::PHINode *result = nullptr;
  if (!function.getReturnType()->isVoidTy())
    result = builder.CreatePHI(function.getReturnType(), unsigned(returns.size()) + 1);
  read_clock(builder);
  result ? builder.CreateRet(result) : builder.CreateRetVoid();
  for (llvm::ReturnInst *leave : returns) {
    if (result)
      result->addIncoming(leave->getReturnValue(), leave->getParent());
    llvm::BranchInst::Create(end, leave->getIterator());
    leave->eraseFromParent();
  }
  return end;
}

void add_edge(llvm::BranchInst &back, BasicBlock &end) {
  BasicBlock *const latch = back.getParent();
  BasicBlock *const rest = latch->splitBasicBlock(&back, "waits");
  latch->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(latch);
  llvm::Value *const never = builder.CreateICmpEQ(
      read_clock(builder), llvm::Constant::getAllOnesValue(builder.getInt64Ty()));
  builder.CreateCondBr(never, &end, rest);
  for (llvm::PHINode &result : end.phis())
    result.addIncoming(llvm::PoisonValue::get(result.getType()), latch);
}

bool diverges(llvm::Function &function) {
  llvm::SmallVector<llvm::BranchInst *> back;
  for (BasicBlock &block : function)
    if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        branch && branch->getMetadata(wait_metadata))
      back.push_back(branch);
  BasicBlock *const end = back.empty() ? nullptr : merge_returns(function);
  if (!end)
    return false;
  for (llvm::BranchInst *branch : back)
    add_edge(*branch, *end);
  return true;
}

} // namespace

llvm::PreservedAnalyses DivergeAtWaitsPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  bool any = false;
  for (llvm::Function &function : module)
    any |= diverges(function);
  if (!any)
    return llvm::PreservedAnalyses::all();
  if (llvm::Function *aligned = llvm::Intrinsic::getDeclarationIfExists(
          &module, llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all))
    aligned->replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
        &module, llvm::Intrinsic::nvvm_barrier_cta_sync_all));
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
