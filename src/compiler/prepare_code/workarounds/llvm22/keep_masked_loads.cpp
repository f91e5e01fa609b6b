// Keeps masked loads from moving across stores.
//
// `select mask, (masked load, mask), other` equals a masked load that yields `other` where the mask
// is false. InstCombine of LLVM 22 creates that load at the select: behind stores to the same
// memory in between, whose values it then loads. This pass removes each such select that could see
// changed memory: the load itself gets `other` as its passthrough operand. If `other` is not
// available at the load, a freeze separates the load from the select.
//
// Position: right after packetize, before InstCombine.
//
// Upstream: llvm/llvm-project#215453, fixed in LLVM 23.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned mask_argument = 1, otherwise_argument = 2;

bool is_masked_load(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_load ||
                       intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_gather);
}

bool sees_the_same_memory(const llvm::Instruction &load, const llvm::Instruction &later) {
  if (load.getParent() != later.getParent())
    return false;
  for (const llvm::Instruction *between = load.getNextNode(); between && between != &later;
       between = between->getNextNode())
    if (between->mayWriteToMemory())
      return false;
  return true;
}

// Handles a load whose only user is a select; `other` is the select's value where the mask is
// false.
void keep(llvm::IntrinsicInst &load, const llvm::DominatorTree &dominators) {
  auto *select = llvm::dyn_cast<llvm::SelectInst>(*load.user_begin());
  if (!select || sees_the_same_memory(load, *select))
    return;
  llvm::Value *other = select->getFalseValue();
  if (select->getCondition() == load.getArgOperand(mask_argument) &&
      select->getTrueValue() == &load &&
      llvm::isa<llvm::UndefValue>(load.getArgOperand(otherwise_argument)) &&
      dominators.dominates(other, &load)) {
    load.setArgOperand(otherwise_argument, other);
    select->replaceAllUsesWith(&load);
    select->eraseFromParent();
    return;
  }
  llvm::IRBuilder<> builder(load.getNextNode());
  auto *kept = llvm::cast<llvm::Instruction>(builder.CreateFreeze(&load, "kept"));
  load.replaceUsesWithIf(kept, [&](const llvm::Use &use) { return use.getUser() != kept; });
}

} // namespace

llvm::PreservedAnalyses KeepMaskedLoadsPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  llvm::SmallVector<llvm::IntrinsicInst *> loads;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_masked_load(instruction) && instruction.hasOneUse())
      loads.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  if (loads.empty())
    return llvm::PreservedAnalyses::all();
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  for (llvm::IntrinsicInst *load : loads)
    keep(*load, dominators);
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
