#include "compiler/lanes/serialize/serialize_loops.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/lane_shapes.h"
#include "compiler/lanes/serialize/outline_region.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

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

#include <cstdlib>

namespace lockstep::compiler {

namespace {

// True for an array of share_private_arrays.cpp: all lanes must store to it together. If lanes ran
// one after the other, a store would follow another lane's reads.
bool is_shared_by_lanes(const llvm::Value &pointer, const LaneShapes &shapes) {
  const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(&pointer, 0));
  return variable && variable->hasMetadata(sub_group_variable) && shapes.of(pointer).is_uniform();
}

// The properties of a loop that decide whether it is serialized.
struct LoopWork {
  unsigned instructions = 0;
  unsigned gathers = 0;    // including scatters
  unsigned contiguous = 0; // accesses that are efficient in lanes
  unsigned rows = 0;       // of elements of each lane, which are efficient if they are transposed
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
      instructions += 4; // not all intrinsics are one machine instruction
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
        ++(is_row(shape, instruction) ? rows : contiguous);
      return;
    }
    can_move &= !instruction.mayReadOrWriteMemory();
  }

  // Whether neighbors access elements that are so far apart that no wide access has both.
  static bool is_row(const LaneShape &shape, const llvm::Instruction &access) {
    const auto size =
        access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue();
    return uint64_t(std::abs(shape.distance(1))) > limits::elements_per_lane * size;
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
  if (!work.can_move || work.gathers + work.rows == 0)
    return false;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  bool lanes_wait = false; // for the lane with the most iterations: typically half of the work
  for (llvm::BasicBlock *block : exiting) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || depends_on_load(branch->getCondition(), loop))
      return false;
    lanes_wait |= !shapes.of(*branch->getCondition()).is_uniform();
  }
  // Rows of different lengths are not transposed.
  (lanes_wait ? work.gathers : work.contiguous) += work.rows;
  if (work.gathers == 0 || work.contiguous * 2 > work.gathers)
    return false;
  return CostModel::scalars(work.instructions) <
         work.gathers * CostModel::gathered_lane() * (lanes_wait ? 2 : 1);
}

// Outlines the loop with the phis of its exit block, which hold the live-out values.
void outline_loop(llvm::Loop &loop) {
  llvm::BasicBlock *exit = loop.getUniqueExitBlock();
  llvm::BasicBlock *after = llvm::SplitBlock(exit, exit->getFirstNonPHIIt());
  llvm::SmallVector<llvm::BasicBlock *> blocks(loop.blocks());
  blocks.push_back(exit);
  // Disable run-time unrolling. Rows have any length, so both the number of unrolled iterations and
  // the remainder would be mispredicted for each row. A sum is a dependence chain that unrolling
  // does not shorten.
  llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.runtime.disable", 1);
  outline_region(*loop.getLoopPreheader(), blocks, *after,
                 "a loop that does little but load from anywhere");
}

// ---- serialized regions

llvm::SmallVector<llvm::CallInst *> calls_of(llvm::Function &function, Primitive primitive) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == primitive)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  return calls;
}

void erase_marks(llvm::Function &function) {
  for (Primitive primitive : {Primitive::serial_begin, Primitive::serial_end})
    for (llvm::CallInst *call : calls_of(function, primitive))
      call->eraseFromParent();
}

// Returns all blocks that are reachable from `first` without passing `after`.
llvm::SmallVector<llvm::BasicBlock *> blocks_of_region(llvm::BasicBlock &first,
                                                       llvm::BasicBlock &after) {
  llvm::SmallSetVector<llvm::BasicBlock *, 8> blocks;
  blocks.insert(&first);
  for (unsigned index = 0; index != blocks.size(); ++index)
    for (llvm::BasicBlock *next : llvm::successors(blocks[index]))
      if (next != &after)
        blocks.insert(next);
  return llvm::SmallVector<llvm::BasicBlock *>(blocks.begin(), blocks.end());
}

// Returns the end of the serialized region that starts at `begin`.
llvm::CallInst *end_of_region(llvm::CallInst &begin) {
  llvm::SmallSetVector<llvm::BasicBlock *, 8> open;
  open.insert(begin.getParent());
  for (unsigned index = 0; index != open.size(); ++index) {
    for (llvm::Instruction &instruction : *open[index])
      if (called_primitive(instruction) == Primitive::serial_end &&
          (open[index] != begin.getParent() || begin.comesBefore(&instruction)))
        return llvm::cast<llvm::CallInst>(&instruction);
    open.insert_range(llvm::successors(open[index]));
  }
  return nullptr;
}

void outline_serial_region(llvm::CallInst &begin, llvm::CallInst &end) {
  llvm::BasicBlock *before = begin.getParent();
  llvm::BasicBlock *first = llvm::SplitBlock(before, begin.getNextNode());
  llvm::BasicBlock *after = llvm::SplitBlock(end.getParent(), &end);
  outline_region(*before, blocks_of_region(*first, *after), *after, "they contend for a location");
}

// Returns true if there was a serialized region.
bool outline_serial_regions(llvm::Function &function) {
  llvm::SmallVector<llvm::CallInst *> begins = calls_of(function, Primitive::serial_begin);
  size_t ends = calls_of(function, Primitive::serial_end).size();
  for (llvm::CallInst *begin : begins)
    if (llvm::CallInst *end = end_of_region(*begin))
      outline_serial_region(*begin, *end);
    else if (ends == begins.size()) // otherwise undefined behavior has removed an end
      function.getContext().diagnose(llvm::DiagnosticInfoGeneric(
          "serialize-loops: a serialized region has no end", llvm::DS_Error));
  erase_marks(function);
  return !begins.empty();
}

} // namespace

llvm::PreservedAnalyses SerializeLoopsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  unsigned lanes = sub_group_size(function);
  if (lanes == 1) {
    erase_marks(function);
    return llvm::PreservedAnalyses::none();
  }
  bool changed = outline_serial_regions(function);
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
