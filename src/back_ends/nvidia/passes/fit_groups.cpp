// Lets CUDA blocks of one size run groups of different sizes.
//
// Requires: the kernel after lower-gpu-primitives, with the call of bind-launch that tells the size
// of the group. The blocks have one dimension, and at least as many work-items as the largest group.
// Ensures: ids and sizes that the kernel reads are those of its group: the first work-items of the
// block are the group, in linear order, and so are its sub-groups. The others are at the end at once.
//
// Position: before diverge-at-waits, which merges the returns.
#include "back_ends/nvidia/passes/passes.h"

#include "back_ends/nvidia/passes/gpu_kernel.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

#include <map>

namespace lockstep::compiler {

llvm::PreservedAnalyses FitGroupsPass::run(llvm::Module &module,
                                           llvm::ModuleAnalysisManager &analyses) {
  llvm::Function *declared = module.getFunction(group_size_function);
  if (!declared)
    return llvm::PreservedAnalyses::all();
  llvm::AlwaysInlinerPass().run(module, analyses); // primitives read ids and sizes
  llvm::Function &kernel = *gpu_kernel(module);
  auto *call = llvm::cast<llvm::CallInst>(*declared->user_begin());
  llvm::SmallVector<llvm::IntrinsicInst *> queries;
  for (llvm::Instruction &instruction : llvm::instructions(kernel))
    if (auto *query = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      queries.push_back(query);

  llvm::IRBuilder<> builder(call);
  llvm::Value *const x = call->getArgOperand(0), *const y = call->getArgOperand(1),
                     *const z = call->getArgOperand(2);
  llvm::Value *item =
      builder.CreateIntrinsic(builder.getInt32Ty(), llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  llvm::Value *const of_plane = builder.CreateMul(x, y), *const rows = builder.CreateUDiv(item, x);
  const std::map<llvm::Intrinsic::ID, llvm::Value *> values = {
      {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x, x},
      {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y, y},
      {llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z, z},
      {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, builder.CreateURem(item, x)},
      {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y, builder.CreateURem(rows, y)},
      {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z, builder.CreateUDiv(item, of_plane)}};
  for (llvm::IntrinsicInst *query : queries)
    if (auto value = values.find(query->getIntrinsicID()); value != values.end()) {
      query->replaceAllUsesWith(value->second);
      query->eraseFromParent();
    }

  llvm::Value *const is_there = builder.CreateICmpULT(item, builder.CreateMul(of_plane, z));
  llvm::BasicBlock *begin = call->getParent(), *group = begin->splitBasicBlock(call, "group");
  auto *end = llvm::BasicBlock::Create(kernel.getContext(), "not_in_group", &kernel);
  llvm::ReturnInst::Create(kernel.getContext(), end);
  begin->getTerminator()->eraseFromParent();
  llvm::BranchInst::Create(group, end, is_there, begin);
  call->eraseFromParent();
  declared->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
