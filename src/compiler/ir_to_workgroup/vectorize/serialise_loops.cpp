#include "compiler/ir_to_workgroup/vectorize/serialise_loops.h"

#include "compiler/ir_to_workgroup/analyze/lane_shapes.h"
#include "compiler/ir_to_workgroup/lane_primitives.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/ir_to_workgroup/vectorize/outline_region.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace lockstep::compiler {

namespace {

// In instructions that one lane of a gather or scatter is worth (measured on Zen 5: two to three
// cycles for an element of a gather, four instructions in a cycle of scalar code).
constexpr unsigned gathered_element = 4;

// See share_private_arrays.h: all lanes store together, not each after the one before has read.
bool is_shared_by_lanes(const llvm::Value &pointer, const LaneShapes &shapes) {
  const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(&pointer, 0));
  return variable && variable->hasMetadata(sub_group_variable) && shapes.of(pointer).is_uniform();
}

// What decides.
struct LoopWork {
  unsigned instructions = 0;
  unsigned gathers = 0;    // and scatters
  unsigned contiguous = 0; // accesses that lanes do well
  bool can_move = true;

  LoopWork(const llvm::Loop &loop, const LaneShapes &shapes) {
    for (const llvm::BasicBlock *block : loop.blocks())
      for (const llvm::Instruction &instruction : *block)
        add(instruction, shapes);
  }

private:
  void add(const llvm::Instruction &instruction, const LaneShapes &shapes) {
    if (llvm::isa<llvm::PHINode>(instruction) || instruction.isDebugOrPseudoInst())
      return;
    ++instructions;
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      can_move &= llvm::isa<llvm::IntrinsicInst>(call) && call->doesNotAccessMemory() &&
                  !call->isConvergent();
      instructions += 4; // not all are one machine instruction
      return;
    }
    if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction)) {
      can_move &=
          !instruction.isAtomic() && !instruction.isVolatile() &&
          !(llvm::isa<llvm::StoreInst>(instruction) && is_shared_by_lanes(*pointer, shapes));
      const LaneShape &shape = shapes.of(*pointer);
      if (!shape.has_distances())
        ++gathers;
      else if (!shape.is_uniform())
        ++contiguous;
      return;
    }
    can_move &= !instruction.mayReadOrWriteMemory();
  }
};

// Does the value depend on something that the loop loads?
bool depends_on_load(llvm::Value *value, const llvm::Loop &loop) {
  llvm::SetVector<llvm::Value *> open;
  open.insert(value);
  for (unsigned index = 0; index != open.size(); ++index) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(open[index]);
    if (!instruction || !loop.contains(instruction))
      continue;
    if (llvm::isa<llvm::LoadInst>(instruction))
      return true;
    for (llvm::Use &use : instruction->operands())
      open.insert(use);
  }
  return false;
}

bool is_better_alone(const llvm::Loop &loop, const LaneShapes &shapes) {
  if (!loop.isInnermost() || !loop.getLoopPreheader() || !loop.getUniqueExitBlock() ||
      !loop.hasDedicatedExits())
    return false;
  LoopWork work(loop, shapes);
  if (!work.can_move || work.gathers == 0 || work.contiguous * 2 > work.gathers)
    return false;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  bool lanes_wait = false; // for the one with most iterations: half of the work, typically
  for (llvm::BasicBlock *block : exiting) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || depends_on_load(branch->getCondition(), loop))
      return false;
    lanes_wait |= !shapes.of(*branch->getCondition()).is_uniform();
  }
  return work.instructions < work.gathers * gathered_element * (lanes_wait ? 2 : 1);
}

// The part of the exit block that belongs to the loop: values that leave it.
void outline_loop(llvm::Loop &loop) {
  llvm::BasicBlock *exit = loop.getUniqueExitBlock();
  llvm::BasicBlock *after = llvm::SplitBlock(exit, exit->getFirstNonPHIIt());
  llvm::SmallVector<llvm::BasicBlock *> blocks(loop.blocks());
  blocks.push_back(exit);
  // Rows have any length, so what is left beside the unrolled rounds, and how many those are, would
  // be guessed wrong for each row twice; and a sum is a chain that no unrolling shortens.
  llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.runtime.disable", 1);
  outline_region(*loop.getLoopPreheader(), blocks, *after,
                 "a loop that does little but load from anywhere");
}

// ---- turns

llvm::SmallVector<llvm::CallInst *> calls_of(llvm::Function &function, Primitive primitive) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == primitive)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  return calls;
}

void erase_marks(llvm::Function &function) {
  for (Primitive primitive : {Primitive::turn_begin, Primitive::turn_end})
    for (llvm::CallInst *call : calls_of(function, primitive))
      call->eraseFromParent();
}

// All blocks that are reached from the first one before `after`.
llvm::SmallVector<llvm::BasicBlock *> blocks_of_turn(llvm::BasicBlock &first,
                                                     llvm::BasicBlock &after) {
  llvm::SmallSetVector<llvm::BasicBlock *, 8> blocks;
  blocks.insert(&first);
  for (unsigned index = 0; index != blocks.size(); ++index)
    for (llvm::BasicBlock *next : llvm::successors(blocks[index]))
      if (next != &after)
        blocks.insert(next);
  return llvm::SmallVector<llvm::BasicBlock *>(blocks.begin(), blocks.end());
}

// The end of the turn that begins there.
llvm::CallInst *end_of_turn(llvm::CallInst &begin) {
  llvm::SmallSetVector<llvm::BasicBlock *, 8> open;
  open.insert(begin.getParent());
  for (unsigned index = 0; index != open.size(); ++index) {
    for (llvm::Instruction &instruction : *open[index])
      if (called_primitive(instruction) == Primitive::turn_end &&
          (open[index] != begin.getParent() || begin.comesBefore(&instruction)))
        return llvm::cast<llvm::CallInst>(&instruction);
    open.insert_range(llvm::successors(open[index]));
  }
  return nullptr;
}

void outline_turn(llvm::CallInst &begin, llvm::CallInst &end) {
  llvm::BasicBlock *before = begin.getParent();
  llvm::BasicBlock *first = llvm::SplitBlock(before, begin.getNextNode());
  llvm::BasicBlock *after = llvm::SplitBlock(end.getParent(), &end);
  outline_region(*before, blocks_of_turn(*first, *after), *after, "they contend for a location");
}

// True if there was one.
bool outline_turns(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> begins = calls_of(function, Primitive::turn_begin);
  size_t ends = calls_of(function, Primitive::turn_end).size();
  for (llvm::CallInst *begin : begins)
    if (llvm::CallInst *end = end_of_turn(*begin))
      outline_turn(*begin, *end);
    else if (ends == begins.size()) // else what a turn leads to is undefined, and so is not there
      function.getContext().diagnose(llvm::DiagnosticInfoGeneric(
          "serialise-loops: a turn of the lanes does not come to its end", llvm::DS_Error));
  erase_marks(function);
  return !begins.empty();
}

} // namespace

llvm::PreservedAnalyses SerialiseLoopsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  unsigned lanes = sub_group_size(function);
  if (lanes == 1) {
    erase_marks(function);
    return llvm::PreservedAnalyses::none();
  }
  bool changed = outline_turns(function);
  if (changed)
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::SmallVector<llvm::Loop *> chosen;
  if (!loops.empty()) {
    LaneShapes shapes(function, lanes);
    for (llvm::Loop *loop : loops.getLoopsInPreorder())
      if (is_better_alone(*loop, shapes))
        chosen.push_back(loop);
  }
  for (llvm::Loop *loop : chosen)
    outline_loop(*loop);
  return chosen.empty() && !changed ? llvm::PreservedAnalyses::all()
                                    : llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses InlineSerialLoopsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  llvm::SetVector<llvm::Function *> called;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (llvm::Function *callee = call->getCalledFunction();
          callee && callee->hasFnAttribute(serial_loop)) {
        calls.push_back(call);
        called.insert(callee);
      }
  for (llvm::CallInst *call : calls) {
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*call, info);
  }
  for (llvm::Function *callee : called)
    callee->eraseFromParent();
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
