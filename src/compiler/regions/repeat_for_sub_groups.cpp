#include "compiler/regions/repeat_for_sub_groups.h"

#include "compiler/analysis/copy_distances.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

class Repeater {
public:
  Repeater(llvm::Function &function, const Repetition &repetition, CopyDistances &distances)
      : function_(function), repetition_(repetition), copies_(repetition.count) {
    find_steps(distances);
  }

  void run();

private:
  void find_steps(CopyDistances &distances);
  void give_end(const DivergentRegion &region);
  void repeat_in_place();
  void repeat(const DivergentRegion &region);
  BasicBlock *copy_region(const DivergentRegion &region, unsigned copy, BasicBlock *last_end);
  void use_own_values(Instruction &instruction, unsigned copy);
  bool read_last_copy(llvm::CallInst &call);
  void ask_all();

  llvm::Function &function_;
  const Repetition &repetition_;
  llvm::SmallVector<llvm::DenseMap<Value *, Value *>> copies_; // from original to copy
  llvm::SmallVector<std::pair<Instruction *, unsigned>> made_; // with the number of the copy
  llvm::DenseMap<const llvm::CallInst *, uint64_t> steps_;     // of indices of all_lanes
  llvm::DenseMap<const BasicBlock *, BasicBlock *> ends_; // the end blocks of regions, by `from`
  llvm::SmallPtrSet<const BasicBlock *, 32> in_region_;
};

// Finds the indices that grow from copy to copy, before the function changes.
void Repeater::find_steps(CopyDistances &distances) {
  for (Instruction &instruction : llvm::instructions(function_)) {
    if (called_primitive(instruction) != Primitive::all_lanes)
      continue;
    auto &call = llvm::cast<llvm::CallInst>(instruction);
    const auto index = index_of_all_lanes(call);
    if (!index || repetition_.repeated.contains(index->bound))
      continue;
    const Value *narrow = index->first;
    if (auto *extended = llvm::dyn_cast<llvm::CastInst>(narrow))
      narrow = extended->getOperand(0);
    const auto distance = distances.of(*narrow);
    if (distance && *distance >= 0 && *distance <= INT16_MAX)
      steps_[&call] = uint64_t(*distance);
  }
}

// Inserts a separate end block for the region, with a phi for each value that leaves the region.
void Repeater::give_end(const DivergentRegion &region) {
  llvm::SmallPtrSet<const BasicBlock *, 16> inside(region.blocks.begin(), region.blocks.end());
  llvm::SmallSetVector<BasicBlock *, 4> last;
  for (BasicBlock *before : llvm::predecessors(region.to))
    if (before == region.from || inside.contains(before))
      last.insert(before);
  BasicBlock *end = llvm::SplitBlockPredecessors(region.to, last.getArrayRef(), ".met");
  ends_[region.from] = end;
  inside.insert(end);
  for (BasicBlock *block : region.blocks)
    for (Instruction &instruction : *block) {
      llvm::SmallVector<llvm::Use *> outside;
      for (llvm::Use &use : instruction.uses()) {
        auto *user = llvm::cast<Instruction>(use.getUser());
        auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
        if (!inside.contains(phi ? phi->getIncomingBlock(use) : user->getParent()))
          outside.push_back(&use);
      }
      if (outside.empty())
        continue;
      auto *leaves = llvm::PHINode::Create(instruction.getType(), last.size(),
                                           instruction.getName() + ".met", end->begin());
      for (BasicBlock *before : last)
        leaves->addIncoming(&instruction, before);
      for (llvm::Use *use : outside)
        use->set(leaves);
    }
  in_region_.insert(inside.begin(), inside.end());
}

void Repeater::repeat_in_place() {
  std::vector<Instruction *> originals;
  llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_);
  for (BasicBlock *block : order)
    if (!in_region_.contains(block))
      for (Instruction &instruction : *block)
        if (repetition_.repeated.contains(&instruction))
          originals.push_back(&instruction);
  for (Instruction *original : originals) {
    Instruction *last = original;
    for (unsigned copy = 1; copy != repetition_.count; ++copy) {
      Instruction *made;
      if (called_primitive(*original) == Primitive::local_id) {
        made = llvm::BinaryOperator::CreateNUWAdd(
            original,
            llvm::ConstantInt::get(original->getType(), uint64_t{copy} * repetition_.step));
        made->setHasNoSignedWrap();
      } else {
        made = original->clone();
        made_.emplace_back(made, copy);
      }
      made->insertAfter(last->getIterator());
      made->setName(original->getName());
      copies_[copy][original] = made;
      last = made;
    }
  }
}

// Appends a copy after `last_end`, the end block of the previous copy; returns the end block of
// this copy.
BasicBlock *Repeater::copy_region(const DivergentRegion &region, unsigned copy,
                                  BasicBlock *last_end) {
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<BasicBlock *> originals(region.blocks), clones;
  originals.push_back(ends_[region.from]);
  for (BasicBlock *block : originals) {
    clones.push_back(llvm::CloneBasicBlock(block, map, "", &function_));
    map[block] = clones.back();
  }
  llvm::remapInstructionsInBlocks(clones, map);
  clones.back()->getTerminator()->eraseFromParent(); // the original's may lead to a copy by now
  llvm::BranchInst::Create(region.to, clones.back());
  for (unsigned index = 0; index != originals.size(); ++index) {
    for (llvm::PHINode &phi : clones[index]->phis())
      phi.replaceIncomingBlockWith(region.from, last_end);
    for (Instruction &instruction : *originals[index])
      copies_[copy][&instruction] = map[&instruction];
    for (Instruction &instruction : *clones[index])
      // the terminator of the end block is replaced later
      if (clones[index] != clones.back() || !instruction.isTerminator())
        made_.emplace_back(&instruction, copy);
  }
  Instruction *enter = region.from->getTerminator()->clone();
  llvm::RemapInstruction(enter, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  last_end->getTerminator()->eraseFromParent();
  enter->insertInto(last_end, last_end->end());
  made_.emplace_back(enter, copy);
  return clones.back();
}

void Repeater::repeat(const DivergentRegion &region) {
  BasicBlock *first_end = ends_[region.from], *last_end = first_end;
  for (unsigned copy = 1; copy != repetition_.count; ++copy)
    last_end = copy_region(region, copy, last_end);
  for (llvm::PHINode &phi : region.to->phis())
    phi.replaceIncomingBlockWith(first_end, last_end);
}

void Repeater::use_own_values(Instruction &instruction, unsigned copy) {
  for (llvm::Use &operand : instruction.operands())
    if (Value *own = copies_[copy].lookup(operand))
      operand.set(own);
}

// If the index grows from copy to copy, the last lane of the last copy has the largest one. A
// narrow index that wraps exceeds the bound in the wide comparison.
bool Repeater::read_last_copy(llvm::CallInst &call) {
  const auto step = steps_.find(&call);
  auto index = index_of_all_lanes(call);
  if (step == steps_.end() || !index)
    return false;
  index->last += step->second * (repetition_.count - 1);
  set_index_of_all_lanes(call, *index);
  return true;
}

void Repeater::ask_all() {
  for (BasicBlock &block : function_)
    for (Instruction &instruction : block) {
      if (in_region_.contains(&block) || called_primitive(instruction) != Primitive::all_lanes)
        continue;
      auto &call = llvm::cast<llvm::CallInst>(instruction);
      if (read_last_copy(call))
        continue;
      llvm::IRBuilder<> builder(&call);
      Value *all = expand_all_lanes(builder, call);
      for (unsigned copy = 1; copy != repetition_.count; ++copy) {
        llvm::Instruction *of_copy = call.clone();
        of_copy->insertBefore(call.getIterator());
        use_own_values(*of_copy, copy);
        all =
            builder.CreateAnd(all, expand_all_lanes(builder, llvm::cast<llvm::CallInst>(*of_copy)));
        of_copy->eraseFromParent();
      }
      set_condition_of_all_lanes(call, all);
    }
}

void Repeater::run() {
  for (const DivergentRegion &region : repetition_.regions)
    give_end(region);
  repeat_in_place();
  ask_all();
  for (const DivergentRegion &region : repetition_.regions)
    repeat(region);
  for (auto [instruction, copy] : made_)
    use_own_values(*instruction, copy);
}

} // namespace

void repeat_for_sub_groups(llvm::Function &function, const Repetition &repetition,
                           CopyDistances &distances) {
  Repeater(function, repetition, distances).run();
}

} // namespace lockstep::compiler
