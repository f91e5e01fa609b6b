// Computes which lanes come to a place in the code together, for SYCL's tangle_group.
//
// The hardware does not promise that lanes which take the same path run at the same time, so the
// lanes that happen to be active are not all of them. The code counts them instead: where lanes
// diverge, all that are at the branch vote by its condition.
//
// Requires: kernel IR after the shared stages; calls of lockstep_nvidia_tangle
// (nvidia/parts_of_sub_groups.cl) are in the kernel.
// Ensures: none of these calls is left. The control flow of a kernel with such calls is structured:
// a block is behind one edge, or lanes that have diverged meet again there. So the lanes at a block
// are those of an earlier block, or those of its vote. At the head of a loop, they are those that
// have voted to go on.
//
// Position: after meet-in-loops, so that each cycle is a natural loop.
#include "back_ends/nvidia/passes/passes.h"

#include "compiler/analysis/uniformity.h"
#include "kernel_ir/kernel_function.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/StructurizeCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"

namespace lockstep::compiler {
namespace {

using llvm::BasicBlock;

constexpr char tangle_function[] = "lockstep_nvidia_tangle";
constexpr char lanes_function[] = "lockstep_nvidia_lanes"; // of the sub-group

// The lanes at each block, as words with a bit for each.
class Lanes {
public:
  Lanes(llvm::Function &function, const llvm::LoopInfo &loops)
      : function_(function), loops_(loops), dominators_(function), behind_(function),
        uniformity_(function, dominators_, UniformityLevel::lanes),
        word_(llvm::Type::getInt32Ty(function.getContext())) {}

  // Null: the control flow is not structured there.
  llvm::Value *at(BasicBlock &block) {
    if (auto known = at_.find(&block); known != at_.end())
      return known->second;
    llvm::Value *const lanes = compute(block);
    at_[&block] = lanes;
    return lanes;
  }

private:
  llvm::Value *compute(BasicBlock &block) {
    if (&block == &function_.getEntryBlock())
      return all();
    const llvm::Loop *loop = loops_.getLoopFor(&block);
    if (loop && loop->getHeader() == &block)
      return at_head(*loop);
    // All that are in front of a loop are behind it later.
    BasicBlock *before = dominators_.getNode(&block)->getIDom()->getBlock();
    const llvm::Loop *left = loops_.getLoopFor(before);
    while (left && !left->contains(&block)) {
      before = left->getLoopPreheader();
      if (!before)
        return nullptr;
      left = loops_.getLoopFor(before);
    }
    if (behind_.dominates(&block, before))
      return at(*before);
    BasicBlock *const only = block.getSinglePredecessor();
    return only ? on_edge(*only, block) : nullptr;
  }

  llvm::Value *all() {
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    return builder.CreateCall(function_.getParent()->getOrInsertFunction(lanes_function, word_));
  }

  llvm::Value *at_head(const llvm::Loop &loop) {
    BasicBlock &head = *loop.getHeader();
    BasicBlock *const before = loop.getLoopPreheader(), *const latch = loop.getLoopLatch();
    if (!before || !latch)
      return nullptr;
    llvm::Value *const first = at(*before);
    auto *lanes = llvm::PHINode::Create(word_, 2, "lanes", head.begin());
    at_[&head] = lanes; // the vote at the end refers to it
    llvm::Value *const next = first ? on_edge(*latch, head) : nullptr;
    if (!next) {
      lanes->replaceAllUsesWith(llvm::PoisonValue::get(word_));
      lanes->eraseFromParent();
      return nullptr;
    }
    lanes->addIncoming(first, before);
    lanes->addIncoming(next, latch);
    return lanes;
  }

  // Those that go from one block to another.
  llvm::Value *on_edge(BasicBlock &from, BasicBlock &to) {
    llvm::Value *const here = at(from);
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
    if (!here || !branch || branch->isUnconditional() || uniformity_.has_uniform_branch(from))
      return branch ? here : nullptr;
    llvm::IRBuilder<> builder(branch);
    llvm::Value *&vote = votes_[&from];
    if (!vote) {
      auto function =
          function_.getParent()->getOrInsertFunction(part_functions[0], word_, word_, word_);
      llvm::CallInst *call = builder.CreateCall(
          function, {here, builder.CreateZExt(branch->getCondition(), word_)}, "vote");
      call->setConvergent();
      call->addFnAttr(llvm::Attribute::NoMerge);
      vote = call;
    }
    return branch->getSuccessor(0) == &to ? vote : builder.CreateXor(here, vote);
  }

  llvm::Function &function_;
  const llvm::LoopInfo &loops_;
  const llvm::DominatorTree dominators_;
  const llvm::PostDominatorTree behind_;
  const Uniformity uniformity_;
  llvm::Type *const word_;
  llvm::DenseMap<const BasicBlock *, llvm::Value *> at_, votes_;
};

void fail(llvm::Module &module, const llvm::Twine &reason) {
  module.getContext().diagnose(llvm::DiagnosticInfoGeneric(
      "a kernel uses tangle_group " + reason + ", which NVIDIA devices do not support",
      llvm::DS_Error));
}

// Paths that never end, such as those of a trap, must not hide that the others meet.
void return_where_unreachable(llvm::Function &function) {
  for (BasicBlock &block : function)
    if (auto *end = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator())) {
      llvm::ReturnInst::Create(function.getContext(), nullptr, end->getIterator());
      end->eraseFromParent();
    }
}

void structurize(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  return_where_unreachable(function);
  const auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  run(llvm::LowerSwitchPass());
  run(llvm::UnifyFunctionExitNodesPass());
  run(llvm::LoopSimplifyPass());
  run(llvm::UnifyLoopExitsPass());
  run(llvm::StructurizeCFGPass());
  run(llvm::LoopSimplifyPass());
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
}

} // namespace

llvm::PreservedAnalyses NameTangledLanesPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  llvm::Function *const tangle = function.getParent()->getFunction(tangle_function);
  llvm::SmallVector<llvm::CallInst *> calls;
  if (tangle)
    for (llvm::User *user : tangle->users())
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user);
          call && call->getFunction() == &function)
        calls.push_back(call);
  if (calls.empty())
    return llvm::PreservedAnalyses::all();
  if (&function != kernel_function(*function.getParent())) {
    fail(*function.getParent(), "in a function that is not inlined");
    return llvm::PreservedAnalyses::all();
  }
  structurize(function, analyses);
  Lanes lanes(function, analyses.getResult<llvm::LoopAnalysis>(function));
  for (llvm::CallInst *call : calls) {
    llvm::Value *there = lanes.at(*call->getParent());
    if (!there) {
      fail(*function.getParent(), "behind branches that cannot be structured");
      there = llvm::PoisonValue::get(call->getType());
    }
    call->replaceAllUsesWith(there);
    call->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
