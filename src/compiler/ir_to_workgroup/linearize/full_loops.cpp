#include "compiler/ir_to_workgroup/linearize/full_loops.h"

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/ir_to_workgroup/vectorize/lane_primitives.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

constexpr unsigned most_instructions = 64; // code that is there twice

// May it be there twice, and is it small?
bool can_be_copied(const llvm::Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      size += !instruction.isDebugOrPseudoInst();
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (!llvm::isa<llvm::IntrinsicInst>(call) || call->isConvergent()))
        return false;
    }
  return size <= most_instructions;
}

// The comparison that is true if a work-item goes round again: index < limit. None of another kind.
struct GoesOn {
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::BAD_ICMP_PREDICATE;
  llvm::Value *index = nullptr, *limit = nullptr;
};

GoesOn goes_on(const llvm::BranchInst &latch, const BasicBlock &header) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(latch.getCondition());
  if (!compare)
    return {};
  GoesOn found{compare->getPredicate(), compare->getOperand(0), compare->getOperand(1)};
  if (latch.getSuccessor(0) != &header)
    found.predicate = llvm::CmpInst::getInversePredicate(found.predicate);
  if (llvm::ICmpInst::isGT(found.predicate) || llvm::ICmpInst::isGE(found.predicate)) {
    found.predicate = llvm::CmpInst::getSwappedPredicate(found.predicate);
    std::swap(found.index, found.limit);
  }
  return found;
}

bool is_worth_a_copy(const llvm::Loop &loop, const LaneShapes &shapes) {
  if (!loop.isInnermost() || !loop.getLoopPreheader() || !loop.getLoopLatch() ||
      loop.getExitingBlock() != loop.getLoopLatch() || !loop.getExitBlock() ||
      !loop.hasDedicatedExits() || !can_be_copied(loop))
    return false;
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
  if (!branch)
    return false;
  GoesOn test = goes_on(*branch, *loop.getHeader());
  if (!test.index ||
      (!llvm::ICmpInst::isLT(test.predicate) && !llvm::ICmpInst::isLE(test.predicate)))
    return false;
  const LaneShape &index = shapes.of(*test.index);
  return shapes.of(*test.limit).is_uniform() && !index.is_uniform() && index.has_distances();
}

class Copier {
public:
  explicit Copier(llvm::Loop &loop)
      : loop_(loop), function_(*loop.getHeader()->getParent()), before_(*loop.getLoopPreheader()),
        header_(*loop.getHeader()), latch_(*loop.getLoopLatch()), exit_(*loop.getExitBlock()) {}

  void run() {
    full_ = block("full");
    rest_ = block("rest");
    copy();
    enter();
    leave();
  }

private:
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(function_.getContext(), header_.getName() + "." + name, &function_,
                              &header_);
  }

  void copy() {
    map_[&before_] = full_;
    llvm::SmallVector<BasicBlock *> copies;
    for (BasicBlock *original : loop_.blocks()) {
      copies.push_back(llvm::CloneBasicBlock(original, map_, ".full", &function_));
      copies.back()->moveBefore(rest_);
      map_[original] = copies.back();
    }
    for (BasicBlock *copied : copies)
      for (llvm::Instruction &instruction : *copied)
        llvm::RemapInstruction(&instruction, map_,
                               llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  }

  llvm::Value *copied(llvm::Value *value) {
    llvm::Value *copy = map_.lookup(value);
    return copy ? copy : value;
  }

  void enter() {
    llvm::IRBuilder<> builder(before_.getTerminator());
    builder.CreateCondBr(emit_all_active(builder), full_, rest_);
    before_.getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(llvm::cast<BasicBlock>(copied(&header_)), full_);
  }

  // From the copy's latch: round again together, or each its way.
  void leave() {
    auto *latch = llvm::cast<BasicBlock>(copied(&latch_));
    auto *old = llvm::cast<llvm::BranchInst>(latch->getTerminator());
    BasicBlock *apart = block("apart"), *more = block("more"), *done = block("done");
    GoesOn test = goes_on(*old, *llvm::cast<BasicBlock>(copied(&header_)));
    llvm::IRBuilder<> builder(old);
    llvm::Value *again = builder.CreateICmp(test.predicate, test.index, test.limit, "again");
    builder.CreateCondBr(emit_all_lanes(builder, again), llvm::cast<BasicBlock>(copied(&header_)),
                         apart);
    old->eraseFromParent();
    builder.SetInsertPoint(apart);
    // Compared anew, so that only what comes here pays for a comparison of each lane.
    builder.CreateCondBr(builder.CreateICmp(test.predicate, test.index, test.limit), more, done);
    llvm::BranchInst::Create(rest_, more);
    llvm::BranchInst::Create(&exit_, done);
    builder.SetInsertPoint(rest_);
    for (llvm::PHINode &phi : header_.phis()) {
      llvm::PHINode *start = builder.CreatePHI(phi.getType(), 2, phi.getName() + ".rest");
      start->addIncoming(phi.getIncomingValueForBlock(&before_), &before_);
      start->addIncoming(copied(phi.getIncomingValueForBlock(&latch_)), more);
      phi.setIncomingValueForBlock(&before_, start);
      phi.replaceIncomingBlockWith(&before_, rest_);
    }
    builder.CreateBr(&header_);
    for (llvm::PHINode &phi : exit_.phis())
      phi.addIncoming(copied(phi.getIncomingValueForBlock(&latch_)), done);
  }

  llvm::Loop &loop_;
  llvm::Function &function_;
  BasicBlock &before_, &header_, &latch_, &exit_;
  BasicBlock *full_ = nullptr, *rest_ = nullptr;
  llvm::ValueToValueMapTy map_;
};

} // namespace

llvm::PreservedAnalyses FullLoopsPass::run(llvm::Function &function,
                                           llvm::FunctionAnalysisManager &analyses) {
  unsigned lanes = sub_group_size(function);
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (lanes == 1 || loops.empty())
    return llvm::PreservedAnalyses::all();
  LaneShapes shapes(function, lanes);
  llvm::SmallVector<llvm::Loop *> chosen;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (is_worth_a_copy(*loop, shapes))
      chosen.push_back(loop);
  for (llvm::Loop *loop : chosen)
    Copier(*loop).run();
  if (chosen.empty())
    return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  run(llvm::LoopSimplifyPass());
  run(llvm::LCSSAPass());
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
