#include "compiler/regions/values_across_barriers.h"

#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

// The blocks at whose start `value` is live.
llvm::SmallPtrSet<llvm::BasicBlock *, 16> live_in_blocks(llvm::Instruction &value) {
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> live;
  llvm::SmallVector<llvm::BasicBlock *> open;
  for (llvm::Use &use : value.uses()) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
    llvm::BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (block != value.getParent())
      open.push_back(block);
  }
  while (!open.empty()) {
    llvm::BasicBlock *block = open.pop_back_val();
    if (!live.insert(block).second)
      continue;
    for (llvm::BasicBlock *before : llvm::predecessors(block))
      if (before != value.getParent())
        open.push_back(before);
  }
  return live;
}

// A vector of ids is larger than its operands, often two registers.
bool adds_lane_numbers(const llvm::BinaryOperator &binary) {
  return binary.getOpcode() == llvm::Instruction::Add &&
         llvm::isa<llvm::Constant>(binary.getOperand(1));
}

// Whether `value` is computed from arguments, constants and id primitives by at most `budget` cheap
// instructions.
bool is_cheap_to_recompute(const llvm::Value &value, unsigned &budget) {
  if (llvm::isa<llvm::Constant, llvm::Argument>(value))
    return true;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || budget == 0)
    return false;
  --budget;
  bool cheap = llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::ICmpInst,
                         llvm::InsertElementInst, llvm::ShuffleVectorInst>(instruction);
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(instruction))
    cheap = !binary->isIntDivRem() && !binary->getType()->isFPOrFPVectorTy() &&
            (!binary->getType()->isVectorTy() || adds_lane_numbers(*binary));
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(instruction)) {
    auto primitive = called_primitive(*call);
    return primitive == Primitive::active_lanes || // or an id: its only argument is a dimension
           (primitive && call->doesNotAccessMemory() && call->arg_size() == 1 &&
            constant_dimension(*call));
  }
  if (!cheap)
    return false;
  for (const llvm::Use &operand : instruction->operands())
    if (!is_cheap_to_recompute(*operand, budget))
      return false;
  return true;
}

BarrierValueKind kind_of(const llvm::Instruction &value, const Uniformity &uniformity) {
  unsigned budget = limits::recomputed_code;
  if (is_cheap_to_recompute(value, budget))
    return BarrierValueKind::recomputed;
  if (is_group_operation(value) || uniformity.is_uniform_everywhere(value))
    return BarrierValueKind::uniform;
  return BarrierValueKind::per_sub_group;
}

llvm::Value *copy_to_recipe(llvm::Value &value, BarrierValue &live_value,
                            llvm::DenseMap<llvm::Value *, llvm::Instruction *> &copies) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction)
    return &value;
  if (llvm::Instruction *known = copies.lookup(instruction))
    return known;
  llvm::Instruction *copy = instruction->clone();
  for (llvm::Use &operand : copy->operands())
    operand.set(copy_to_recipe(*operand, live_value, copies));
  live_value.recipe.push_back(copy);
  live_value.recipe_of.push_back(instruction);
  return copies[instruction] = copy;
}

void demote(llvm::Instruction &value, llvm::AllocaInst &variable) {
  llvm::SmallVector<llvm::Use *> uses;
  for (llvm::Use &use : value.uses())
    uses.push_back(&use);
  // A phi needs the same value for all edges from one block.
  llvm::DenseMap<llvm::BasicBlock *, llvm::Value *> loaded_at_end;
  for (llvm::Use *use : uses) {
    auto *user = llvm::cast<llvm::Instruction>(use->getUser());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user)) {
      llvm::BasicBlock *block = phi->getIncomingBlock(*use);
      if (block == value.getParent())
        continue;
      llvm::Value *&loaded = loaded_at_end[block];
      if (!loaded)
        loaded = llvm::IRBuilder<>(block->getTerminator()).CreateLoad(value.getType(), &variable);
      use->set(loaded);
    } else if (user->getParent() != value.getParent()) {
      use->set(llvm::IRBuilder<>(user).CreateLoad(value.getType(), &variable));
    }
  }
  auto after = llvm::isa<llvm::PHINode>(value) ? value.getParent()->getFirstInsertionPt()
                                               : std::next(value.getIterator());
  llvm::IRBuilder<>(value.getParent(), after).CreateStore(&value, &variable);
}

} // namespace

std::vector<BarrierValue> find_barrier_values(llvm::Function &function,
                                              const BarrierRegions &regions,
                                              const Uniformity &uniformity) {
  std::vector<BarrierValue> values;
  unsigned count = regions.regions().size();
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.use_empty())
      continue;
    auto live = live_in_blocks(instruction);
    BarrierValue live_value;
    live_value.live_before_operation.resize(count);
    live_value.live_at_entry.resize(count);
    for (unsigned index = 1; index != count; ++index) {
      const BarrierRegion &region = regions.regions()[index];
      if (live.contains(region.operation->getParent()))
        live_value.live_before_operation.set(index);
      if (live.contains(region.blocks.front()))
        live_value.live_at_entry.set(index);
    }
    if (live_value.live_before_operation.none() && live_value.live_at_entry.none())
      continue;
    live_value.value = &instruction;
    live_value.kind = kind_of(instruction, uniformity);
    if (live_value.kind == BarrierValueKind::recomputed) {
      llvm::DenseMap<llvm::Value *, llvm::Instruction *> copies;
      copy_to_recipe(instruction, live_value, copies);
    }
    values.push_back(std::move(live_value));
  }
  return values;
}

void delete_recipes(std::vector<BarrierValue> &values) {
  for (BarrierValue &live_value : values) {
    for (llvm::Instruction *step : live_value.recipe)
      step->dropAllReferences();
    for (llvm::Instruction *step : live_value.recipe)
      step->deleteValue();
    live_value.recipe.clear();
  }
}

void demote_barrier_values(llvm::Function &function, std::vector<BarrierValue> &values) {
  llvm::BasicBlock &entry = function.getEntryBlock();
  for (BarrierValue &live_value : values) {
    llvm::IRBuilder<> builder(&entry, entry.begin());
    live_value.variable = builder.CreateAlloca(live_value.value->getType(), nullptr,
                                               live_value.value->getName() + ".crossing");
    demote(*live_value.value, *live_value.variable);
  }
}

} // namespace lockstep::compiler
