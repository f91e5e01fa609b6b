// Serializes all code that needs no other lane, in kernels that would take too long to compile in
// lanes.
//
// A kernel that requires its sub-group size, or observes its sub-groups, cannot get fewer lanes
// when its machine code would take too long to generate (target_model/code_cost.h). But only
// sub-group and group operations observe how lanes run. The code between these operations can be
// scalar code in a loop over the lanes. It compiles as fast as with one lane, and has jumps instead
// of masks.
//
// Input:  the kernel as canonicalize-flow leaves it, without vector variants of functions.
// Output: the largest single-entry, single-exit regions without operations on several lanes are
//         functions, as those of serialize-loops; inline-serial-loops inlines them. Ids and
//         addresses that a region can recompute are not passed to it.
#include "compiler/lanes/serialize/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/lanes/serialize/outline_region.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;

// Is the instruction a query of an id, a size or the lane, whose result is the same everywhere?
bool can_move_to_entry(const Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && called_primitive(*call) && call->doesNotAccessMemory() && !call->isConvergent() &&
         llvm::all_of(call->args(), [](const llvm::Use &argument) {
           return llvm::isa<llvm::Constant>(argument);
         });
}

// Can a scalar function execute the instruction for one lane?
bool can_be_alone(const Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    const Function *callee = call->getCalledFunction();
    if (auto primitive = called_primitive(*call))
      return *primitive == Primitive::reciprocal_sqrt;
    return callee && (is_out_of_line(*callee) || (callee->isIntrinsic() && !call->isConvergent()));
  }
  if (instruction.isTerminator())
    return llvm::isa<llvm::BranchInst>(instruction);
  if (auto *member = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
    if (auto *whole = llvm::dyn_cast<Instruction>(member->getAggregateOperand()))
      return can_be_alone(*whole); // so that no structure is passed
  return !llvm::isa<llvm::AllocaInst>(instruction);
}

bool can_be_alone(const BasicBlock &block) {
  return llvm::all_of(block, [](const Instruction &it) { return can_be_alone(it); });
}

void query_at_entry(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  Instruction *place = &*entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (can_move_to_entry(instruction) && &instruction != place)
      instruction.moveBefore(place->getIterator());
}

// Extracts the members of structures at their definitions, so that regions neither take nor return
// structures.
class Members {
public:
  void take_out_all(Function &function) {
    for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *member = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction);
          member && member->getNumIndices() == 1 && !ours_.contains(member)) {
        member->replaceAllUsesWith(
            take_out(*member->getAggregateOperand(), member->getIndices().front()));
        member->eraseFromParent();
      }
    for (llvm::WeakVH &phi : wholes_)
      if (phi)
        llvm::RecursivelyDeleteDeadPHINode(llvm::cast<llvm::PHINode>(phi));
  }

private:
  llvm::Value *take_out(llvm::Value &whole, unsigned index) {
    if (auto *constant = llvm::dyn_cast<llvm::Constant>(&whole))
      return constant->getAggregateElement(index);
    if (llvm::Value *known = members_.lookup({&whole, index}))
      return known;
    auto &instruction = llvm::cast<Instruction>(whole);
    auto *phi = llvm::dyn_cast<llvm::PHINode>(&whole);
    if (!phi) {
      llvm::IRBuilder<> builder(instruction.getNextNode());
      auto *member = llvm::cast<Instruction>(builder.CreateExtractValue(&instruction, index));
      ours_.insert(member);
      return members_[{&whole, index}] = member;
    }
    wholes_.emplace_back(phi);
    llvm::IRBuilder<> builder(phi);
    llvm::PHINode *members = builder.CreatePHI(
        llvm::ExtractValueInst::getIndexedType(phi->getType(), index), phi->getNumIncomingValues());
    members_[{&whole, index}] = members;
    for (unsigned edge = 0; edge != phi->getNumIncomingValues(); ++edge)
      members->addIncoming(take_out(*phi->getIncomingValue(edge), index),
                           phi->getIncomingBlock(edge));
    return members;
  }

  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> members_;
  llvm::SmallPtrSet<Instruction *, 8> ours_;
  llvm::SmallVector<llvm::WeakVH> wholes_;
};

// Splits blocks, so that the instructions of each block either all can be serialized or all cannot.
void split_blocks(Function &function) {
  llvm::SmallVector<BasicBlock *> blocks(llvm::make_pointer_range(function));
  for (BasicBlock *block : blocks) {
    Instruction *first = &*block->getFirstNonPHIIt();
    bool alone = block != &function.getEntryBlock() && can_be_alone(*first);
    for (Instruction *next = first; next; next = next->getNextNode()) {
      if (can_be_alone(*next) == alone || next->isDebugOrPseudoInst())
        continue;
      // The branch that SplitBlock inserts fits both kinds of block.
      if (next != first)
        llvm::SplitBlock(next->getParent(), next);
      alone = !alone;
    }
  }
}

struct Region {
  llvm::SmallSetVector<BasicBlock *, 16> blocks; // the entry block first
  BasicBlock *end = nullptr;                     // where all paths converge
};

class Finder {
public:
  explicit Finder(Function &function) : function_(function), post_dominators_(function) {
    for (const BasicBlock &block : function)
      if (can_be_alone(block))
        alone_.insert(&block);
    for (const Instruction &instruction : llvm::instructions(function))
      if (called_primitive(instruction) == Primitive::serial_begin)
        leave_serial_region(*instruction.getParent());
  }

  std::vector<Region> find() {
    std::vector<Region> found;
    llvm::ReversePostOrderTraversal<Function *> order(&function_);
    for (BasicBlock *block : order) {
      if (block == &function_.getEntryBlock() || taken_.contains(block))
        continue;
      Region region = largest_from(*block);
      taken_.insert_range(region.blocks);
      size_t instructions = 0;
      for (const BasicBlock *inside : region.blocks)
        instructions += inside->size();
      if (instructions >= limits::small_code / 2)
        found.push_back(std::move(region));
    }
    return found;
  }

private:
  // Excludes the code of a marked serialized region: serialize-loops outlines all of it later.
  void leave_serial_region(const BasicBlock &begin) {
    llvm::SmallSetVector<const BasicBlock *, 8> blocks;
    blocks.insert(&begin);
    for (unsigned index = 0; index != blocks.size(); ++index) {
      alone_.erase(blocks[index]);
      if (llvm::none_of(*blocks[index], [](const Instruction &it) {
            return called_primitive(it) == Primitive::serial_end;
          }))
        blocks.insert_range(llvm::successors(blocks[index]));
    }
  }

  BasicBlock *after(BasicBlock &block) const {
    auto *node = post_dominators_.getNode(&block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }

  // Extends the region from one convergence point to the next while the code between them can be
  // serialized.
  Region largest_from(BasicBlock &first) const {
    Region region;
    BasicBlock *from = &first;
    while (BasicBlock *end = after(*from)) {
      const size_t old = region.blocks.size();
      if (!add_edges(region, *from, *end)) {
        while (region.blocks.size() != old)
          region.blocks.pop_back();
        break;
      }
      region.end = from = end;
    }
    return region;
  }

  // Is the block reached only from inside the region?
  static bool is_left_alone(const Region &region, BasicBlock &end) {
    return llvm::all_of(llvm::predecessors(&end),
                        [&](BasicBlock *before) { return region.blocks.contains(before); });
  }

  bool add_edges(Region &region, BasicBlock &from, const BasicBlock &end) const {
    const size_t old = region.blocks.size();
    region.blocks.insert(&from);
    for (size_t index = old; index != region.blocks.size(); ++index) {
      BasicBlock *block = region.blocks[index];
      if (!alone_.contains(block) || taken_.contains(block))
        return false;
      for (BasicBlock *next : llvm::successors(block))
        if (next != &end)
          region.blocks.insert(next);
    }
    for (size_t index = std::max<size_t>(old, 1); index != region.blocks.size(); ++index)
      if (!is_left_alone(region, *region.blocks[index]))
        return false;
    return true;
  }

  Function &function_;
  llvm::PostDominatorTree post_dominators_;
  llvm::SmallPtrSet<const BasicBlock *, 32> alone_, taken_;
};

// Rematerializes cheap values in a region, mainly addresses of elements of private arrays. If such
// a value were passed, each region that uses it would extract it for each lane from several
// registers.
class ComputedAgain {
public:
  explicit ComputedAgain(const Region &region)
      : region_(region), place_(&*region.blocks.front()->getFirstNonPHIIt()) {}

  void run() {
    for (BasicBlock *block : region_.blocks)
      for (Instruction &instruction : *block)
        if (!llvm::isa<llvm::PHINode>(instruction) || block != region_.blocks.front())
          for (llvm::Use &use : instruction.operands())
            if (auto *value = llvm::dyn_cast<Instruction>(use.get()); value && is_outside(*value))
              if (unsigned budget = limits::recomputed_code; can_be_again(*value, budget))
                use.set(again(*value));
  }

private:
  bool is_outside(const Instruction &value) const {
    return !region_.blocks.contains(const_cast<BasicBlock *>(value.getParent()));
  }

  // Accepts only values whose operands need not be passed per lane or are available anyway.
  static bool can_be_again(const Instruction &value, unsigned &budget) {
    const bool is_cheap = llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(value) ||
                          (llvm::isa<llvm::BinaryOperator>(value) && !value.isIntDivRem() &&
                           value.getType()->isIntegerTy());
    if (!is_cheap || budget == 0)
      return false;
    --budget;
    return llvm::all_of(value.operands(), [&](const llvm::Use &operand) {
      auto *instruction = llvm::dyn_cast<Instruction>(operand);
      return !instruction || llvm::isa<llvm::AllocaInst>(instruction) ||
             can_move_to_entry(*instruction) || can_be_again(*instruction, budget);
    });
  }

  llvm::Value *again(Instruction &value) {
    if (llvm::isa<llvm::AllocaInst>(value) || can_move_to_entry(value))
      return &value;
    if (Instruction *known = made_.lookup(&value))
      return known;
    Instruction *copy = value.clone();
    for (llvm::Use &operand : copy->operands())
      if (auto *instruction = llvm::dyn_cast<Instruction>(operand.get()))
        operand.set(again(*instruction));
    copy->insertBefore(place_->getIterator());
    return made_[&value] = copy;
  }

  const Region &region_;
  Instruction *place_;
  llvm::DenseMap<Instruction *, Instruction *> made_;
};

// Outlines a region. Phis at its start remain in front of it: the end of another region or of a
// loop may be there. Regions are processed in the order of the control flow.
void outline(const Region &region) {
  llvm::SmallSetVector<BasicBlock *, 16> blocks;
  auto inside = [&](BasicBlock *block) { return blocks.contains(block); };
  blocks.insert_range(region.blocks);
  BasicBlock *first = blocks.front(), *entry = first;
  if (llvm::any_of(llvm::predecessors(first), inside)) { // the region starts with a loop header
    llvm::SmallVector<BasicBlock *> before;
    llvm::copy_if(llvm::predecessors(first), std::back_inserter(before), std::not_fn(inside));
    entry = llvm::SplitBlockPredecessors(first, before, ".alone");
  } else {
    blocks.clear();
    blocks.insert(llvm::SplitBlock(first, first->getFirstNonPHIIt()));
    blocks.insert_range(llvm::drop_begin(region.blocks));
  }
  llvm::SmallVector<BasicBlock *> ends;
  llvm::copy_if(llvm::predecessors(region.end), std::back_inserter(ends), inside);
  BasicBlock *exit = llvm::SplitBlockPredecessors(region.end, ends, ".alone");
  BasicBlock *behind = llvm::SplitBlock(exit, exit->getTerminator());
  blocks.insert(exit);
  outline_region(*entry, blocks.getArrayRef(), *behind,
                 "machine code for all at once would take too long to make");
}

} // namespace

llvm::PreservedAnalyses SerializeRegionsPass::run(Function &function,
                                                  llvm::FunctionAnalysisManager &) {
  if (sub_group_size(function) == 1)
    return llvm::PreservedAnalyses::all();
  query_at_entry(function);
  Members().take_out_all(function);
  split_blocks(function);
  const std::vector<Region> regions = Finder(function).find();
  for (const Region &region : regions)
    ComputedAgain(region).run();
  for (const Region &region : regions)
    outline(region);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
