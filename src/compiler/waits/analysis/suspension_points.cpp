#include "compiler/waits/analysis/suspension_points.h"

#include "compiler/waits/analysis/loop_slice.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// An update acquires if its result is used. A write without a used result may release.
bool may_take(const Instruction &instruction) {
  return llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction) &&
         !instruction.use_empty() && !is_private(*written_by(instruction));
}

bool may_give_back(const Instruction &instruction) {
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  bool is_atomic = store ? !store->isSimple() : llvm::isa<llvm::AtomicRMWInst>(instruction);
  return is_atomic && !may_take(instruction) && !is_private(*written_by(instruction));
}

// An acquisition or release that every iteration executes, in order. An inner loop is one step.
struct Step {
  Instruction *place; // suspend before it
  bool takes;
};

void add_steps(BasicBlock &block, llvm::SmallVectorImpl<Step> &steps) {
  for (Instruction &instruction : block)
    if (may_take(instruction) || may_give_back(instruction))
      steps.push_back({&instruction, may_take(instruction)});
}

void add_inner_loop(const llvm::Loop &loop, llvm::SmallVectorImpl<Step> &steps) {
  BasicBlock *before = loop.getLoopPreheader();
  bool takes = false, gives_back = false;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      takes |= may_take(instruction);
      gives_back |= may_give_back(instruction);
    }
  if (before && (takes || gives_back))
    steps.push_back({before->getTerminator(), takes});
}

} // namespace

Instruction *suspension_point_of(const llvm::Loop &loop, const llvm::LoopInfo &loops,
                                 const llvm::DominatorTree &dominators) {
  llvm::SmallVector<BasicBlock *, 8> passed; // by every iteration, from the latch up
  for (auto *node = dominators.getNode(loop.getLoopLatch()); node; node = node->getIDom()) {
    passed.push_back(node->getBlock());
    if (node->getBlock() == loop.getHeader())
      break;
  }
  llvm::SmallVector<Step, 8> steps;
  for (BasicBlock *block : llvm::reverse(passed)) {
    const llvm::Loop *inner = loops.getLoopFor(block);
    if (inner == &loop)
      add_steps(*block, steps);
    else if (inner->getParentLoop() == &loop && inner->getHeader() == block)
      add_inner_loop(*inner, steps);
  }
  if (steps.size() < 2 || (steps.front().takes && !steps.back().takes))
    return nullptr;
  for (unsigned index = 1; index != steps.size(); ++index)
    if (steps[index].takes && !steps[index - 1].takes)
      return steps[index].place;
  return nullptr;
}

} // namespace lockstep::compiler
