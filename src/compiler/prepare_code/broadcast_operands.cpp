// Replaces the broadcast of a scalar sum by a vector sum of broadcasts, where that saves an
// instruction.
//
//     float3 to = (box->low - origin) * reciprocal; // `box` and `origin` are those of the sub-group
//
// A value that is uniform in the sub-group is computed once, and its result is broadcast where
// lanes need it: `vsubss`, then `vbroadcastss` of a register. That is a shuffle, of which a core
// does one or two per cycle. A broadcast from memory needs no shuffle, and can be part of the
// instruction: `vaddps` with a broadcast memory operand.
//
// Requires: the function of a work-group after all optimization.
// Ensures: `splat(load op invariant)` in a loop becomes `splat(load) op splat(invariant)`, with the
// second splat outside of the loop, if the load and the operation have no other users. The
// operation is a sum, a difference or a product. `a - b` becomes `a + -b`, which is the same
// number, so that the load can be the memory operand.
//
// Position: last, since InstCombine would restore the scalar form.
#include "compiler/prepare_code/passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

// The sum, difference or product that is broadcast, if it has no other user.
llvm::BinaryOperator *broadcast_alone(llvm::Instruction &broadcast) {
  llvm::BinaryOperator *scalar = nullptr;
  if (!match(&broadcast,
             m_Shuffle(m_OneUse(m_InsertElt(m_Poison(), m_OneUse(m_BinOp(scalar)), m_ZeroInt())),
                       m_Value(), m_ZeroMask())))
    return nullptr;
  switch (scalar->getOpcode()) {
  case llvm::Instruction::FAdd:
  case llvm::Instruction::FSub:
  case llvm::Instruction::FMul:
    return scalar->getType()->isFloatTy() || scalar->getType()->isDoubleTy() ? scalar : nullptr;
  default:
    return nullptr;
  }
}

bool is_broadcast_as_it_loads(const llvm::Value &value, const llvm::Instruction &user) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  return load && load->isSimple() && load->hasOneUse() && load->getParent() == user.getParent();
}

bool run_on(llvm::Instruction &broadcast, const llvm::LoopInfo &loops) {
  llvm::BinaryOperator *scalar = broadcast_alone(broadcast);
  const llvm::Loop *loop = loops.getLoopFor(broadcast.getParent());
  if (!scalar || !loop || !loop->getLoopPreheader())
    return false;
  const bool is_first = is_broadcast_as_it_loads(*scalar->getOperand(0), broadcast);
  llvm::Value *loaded = scalar->getOperand(is_first ? 0 : 1);
  llvm::Value *other = scalar->getOperand(is_first ? 1 : 0);
  if ((!is_first && !is_broadcast_as_it_loads(*loaded, broadcast)) || !loop->isLoopInvariant(other))
    return false;
  // Hoists as far as the operand is invariant, so that one register serves all loops.
  while (loop->getParentLoop() && loop->getParentLoop()->getLoopPreheader() &&
         loop->getParentLoop()->isLoopInvariant(other))
    loop = loop->getParentLoop();
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(broadcast.getType())->getNumElements();
  llvm::IRBuilder<> outside(loop->getLoopPreheader()->getTerminator()), builder(&broadcast);
  auto opcode = scalar->getOpcode();
  if (opcode == llvm::Instruction::FSub && is_first) {
    opcode = llvm::Instruction::FAdd;
    other = outside.CreateFNeg(other);
  }
  llvm::Value *operands[] = {builder.CreateVectorSplat(lanes, loaded),
                             outside.CreateVectorSplat(lanes, other)};
  llvm::Value *result =
      builder.CreateBinOp(llvm::Instruction::BinaryOps(opcode), operands[!is_first],
                          operands[is_first], scalar->getName());
  if (auto *made = llvm::dyn_cast<llvm::Instruction>(result))
    made->copyFastMathFlags(scalar);
  broadcast.replaceAllUsesWith(result);
  llvm::Instruction *insertion = llvm::cast<llvm::Instruction>(broadcast.getOperand(0));
  broadcast.eraseFromParent();
  insertion->eraseFromParent();
  scalar->eraseFromParent();
  return true;
}

} // namespace

llvm::PreservedAnalyses BroadcastOperandsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &analyses) {
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty())
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::Instruction *> broadcasts;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::ShuffleVectorInst>(instruction) && broadcast_alone(instruction))
      broadcasts.push_back(&instruction);
  bool changed = false;
  for (llvm::Instruction *broadcast : broadcasts)
    changed |= run_on(*broadcast, loops);
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
