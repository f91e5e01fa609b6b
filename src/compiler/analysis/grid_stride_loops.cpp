#include "compiler/analysis/grid_stride_loops.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

// A larger loop may need more registers than there are.
constexpr unsigned most_instructions = 100;

// True if `value` is derived from the number of work-items or groups, as in `i +=
// get_global_size(0)`.
bool counts_work_items(const llvm::Value &value, unsigned depth = 0) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || depth == 4)
    return false;
  auto primitive = called_primitive(*instruction);
  if (primitive)
    return *primitive == Primitive::global_size || *primitive == Primitive::num_groups;
  return llvm::isa<llvm::CastInst, llvm::BinaryOperator>(instruction) &&
         llvm::any_of(instruction->operands(), [depth](const llvm::Use &operand) {
           return counts_work_items(*operand, depth + 1);
         });
}

} // namespace

bool is_strided(const llvm::Loop &loop) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  if (!loop.isInnermost() || !latch)
    return false;
  bool steps = llvm::any_of(loop.getHeader()->phis(), [&](const llvm::PHINode &phi) {
    using namespace llvm::PatternMatch;
    const llvm::Value *step = nullptr;
    return match(phi.getIncomingValueForBlock(latch), m_c_Add(m_Specific(&phi), m_Value(step))) &&
           loop.isLoopInvariant(step) && counts_work_items(*step);
  });
  unsigned instructions = 0;
  bool reads = false;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    instructions += block->size();
    reads |= llvm::any_of(*block, llvm::IsaPred<llvm::LoadInst>);
  }
  return steps && reads && instructions <= most_instructions;
}

} // namespace lockstep::compiler
