#include "compiler/checks/races/pin_plain_waits.h"

#include "abi/address_spaces.h"

#include "compiler/waits/analysis/loop_slice.h"
#include "kernel_ir/check_attributes.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool writes_for_others(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      if (is_group_operation(instruction))
        return true;
      if (!instruction.mayWriteToMemory() || instruction.isLifetimeStartOrEnd())
        continue;
      const auto written = written_by(instruction);
      if (!written || !*written || !is_private(*written))
        return true;
    }
  return false;
}

// The value is the same in each iteration, though it may be computed again.
bool stays(const llvm::Value &value, const llvm::Loop &loop) {
  if (loop.isLoopInvariant(&value))
    return true;
  const auto *instruction = llvm::cast<llvm::Instruction>(&value);
  return !llvm::isa<llvm::PHINode>(instruction) && !instruction->mayReadOrWriteMemory() &&
         llvm::all_of(instruction->operands(),
                      [&loop](const llvm::Use &operand) { return stays(*operand, loop); });
}

// Returns the loads whose values end the loop, if nothing else can end it.
llvm::SmallVector<llvm::LoadInst *> loads_that_end(const llvm::Loop &loop,
                                                   const llvm::DominatorTree &dominators) {
  llvm::SmallVector<llvm::LoadInst *> loads;
  LoopSlice slice(loop, dominators);
  slice.add_exits(/*through_memory=*/false);
  for (const llvm::Instruction *each : slice.found()) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(each);
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(each);
        (phi && phi->getParent() == loop.getHeader()) || (!load && each->mayReadOrWriteMemory()))
      return {};
    if (!load)
      continue;
    const llvm::Value *place = load->getPointerOperand();
    if (!load->isSimple() || !stays(*place, loop) || is_private(place) ||
        place->getType()->getPointerAddressSpace() == constant_space ||
        load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
      return {};
    loads.push_back(const_cast<llvm::LoadInst *>(load));
  }
  return loads;
}

} // namespace

llvm::PreservedAnalyses PinPlainWaitsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  const auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  bool changed = false;
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopLatch() || writes_for_others(*loop))
      continue;
    for (llvm::LoadInst *load : loads_that_end(*loop, dominators)) {
      load->setVolatile(true);
      load->setMetadata(plain_wait_metadata, llvm::MDNode::get(function.getContext(), {}));
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
