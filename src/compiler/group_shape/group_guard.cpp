#include "compiler/group_shape/group_guard.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool only_returns(const BasicBlock &block) {
  return llvm::isa<llvm::ReturnInst>(block.getTerminator()) && block.sizeWithoutDebug() == 1;
}

// The instructions of the entry block that are computed from the own ids of the groups, in order.
llvm::SmallVector<Instruction *> computed_from(GroupIds ids, BasicBlock &entry) {
  llvm::SmallPtrSet<const Value *, 16> different;
  for (const auto &[first, own] : ids)
    different.insert(own);
  llvm::SmallVector<Instruction *> found;
  for (Instruction &instruction : entry)
    if (!instruction.isTerminator() &&
        (different.contains(&instruction) ||
         llvm::any_of(instruction.operands(),
                      [&](const llvm::Use &use) { return different.contains(use); }))) {
      different.insert(&instruction);
      found.push_back(&instruction);
    }
  return found;
}

// Those of them that `value` is computed from, and `value`.
llvm::SmallVector<Instruction *> needed_for(const Value &value,
                                            llvm::ArrayRef<Instruction *> computed) {
  llvm::SmallPtrSet<const Value *, 16> needed = {&value};
  llvm::SmallVector<Instruction *> found;
  for (Instruction *instruction : llvm::reverse(computed))
    if (needed.contains(instruction)) {
      needed.insert_range(instruction->operand_values());
      found.push_back(instruction);
    }
  std::reverse(found.begin(), found.end());
  return found;
}

// `number` is a local id, too, and does not count.
bool depends_on_local_id(const Value &value, const Instruction &number, unsigned depth = 0) {
  if (&value == &number)
    return false;
  if (called_primitive(value) == Primitive::local_id || depth == limits::search_depth)
    return true;
  auto *instruction = llvm::dyn_cast<Instruction>(&value);
  return instruction && llvm::any_of(instruction->operands(), [&](const llvm::Use &use) {
           return depends_on_local_id(*use, number, depth + 1);
         });
}

bool is_local_or_private(const llvm::StoreInst &store) {
  return store.getPointerAddressSpace() == local_space ||
         llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store.getPointerOperand()));
}

// Whether a group may execute the instruction with the ids of another one.
bool can_be_repeated(const Instruction &instruction) {
  if (instruction.isAtomic() || instruction.isVolatile())
    return false;
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      intrinsic && intrinsic->isAssumeLikeIntrinsic())
    return true;
  return !instruction.mayWriteToMemory() || llvm::isa<llvm::StoreInst>(instruction) ||
         called_primitive(instruction) == Primitive::barrier;
}

// Copies `instructions` to the builder's position, with the operands that `map` replaces.
void copy(llvm::IRBuilder<> &builder, llvm::ArrayRef<Instruction *> instructions,
          llvm::ValueToValueMapTy &map) {
  for (Instruction *instruction : instructions) {
    if (map.count(instruction))
      continue;
    Instruction *made = instruction->clone();
    builder.Insert(made, instruction->getName());
    llvm::RemapInstruction(made, map, llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
    map[instruction] = made;
  }
}

Value *negated_unless(llvm::IRBuilder<> &builder, Value *condition, bool is_so) {
  return is_so ? condition : builder.CreateNot(condition);
}

} // namespace

std::optional<GroupGuard> find_group_guard(llvm::Function &function, GroupIds ids,
                                           const Instruction &number) {
  BasicBlock &entry = function.getEntryBlock();
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(entry.getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  const unsigned side = only_returns(*branch->getSuccessor(0)) ? 1 : 0;
  BasicBlock *first = branch->getSuccessor(side), *end = branch->getSuccessor(1 - side);
  if (!only_returns(*end) || first == end || first->getSinglePredecessor() != &entry)
    return std::nullopt;
  const auto computed = computed_from(ids, entry);
  const auto needed = needed_for(*branch->getCondition(), computed);
  if (needed.empty() || needed.size() > limits::search_steps)
    return std::nullopt;
  for (const Instruction *instruction : computed)
    if (instruction->mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(instruction))
      return std::nullopt;
  if (depends_on_local_id(*branch->getCondition(), number))
    return std::nullopt;
  bool has_barrier = false;
  for (const Instruction &instruction : llvm::instructions(function)) {
    if (!can_be_repeated(instruction))
      return std::nullopt;
    has_barrier |= called_primitive(instruction) == Primitive::barrier;
  }
  return has_barrier ? std::optional(GroupGuard{branch, side}) : std::nullopt;
}

void add_version_for_guard(llvm::Function &function, const GroupGuard &guard, GroupIds ids,
                           Instruction &number, uint32_t count) {
  BasicBlock &entry = function.getEntryBlock();
  BasicBlock *first = guard.branch->getSuccessor(guard.side),
             *end = guard.branch->getSuccessor(1 - guard.side);
  const auto computed = computed_from(ids, entry);
  const auto needed = needed_for(*guard.branch->getCondition(), computed);
  llvm::IRBuilder<> builder(guard.branch);
  auto set_number = [&](llvm::ValueToValueMapTy &map, Value *other) {
    for (const auto &[first_id, own] : ids)
      map[own] = builder.CreateNUWAdd(first_id, other, "group.id");
  };
  Value *stays = negated_unless(builder, guard.branch->getCondition(), guard.side == 0);
  Value *all = nullptr, *any = nullptr, *staying = builder.getInt64(0);
  for (uint32_t k = count; k-- != 0;) {
    llvm::ValueToValueMapTy map;
    set_number(map, builder.getInt64(k));
    copy(builder, needed, map);
    Value *one = negated_unless(builder, map[guard.branch->getCondition()], guard.side == 0);
    all = all ? builder.CreateAnd(all, one, "all.stay") : one;
    any = any ? builder.CreateOr(any, one, "any.stays") : one;
    staying = builder.CreateSelect(one, builder.getInt64(k), staying);
  }

  // The second version.
  llvm::SmallVector<BasicBlock *> blocks, copies;
  for (BasicBlock &block : function)
    if (&block != &entry && &block != end)
      blocks.push_back(&block);
  auto *some = BasicBlock::Create(function.getContext(), "some.groups.leave", &function);
  llvm::ValueToValueMapTy map;
  builder.CreateCondBr(all, first, some);
  guard.branch->eraseFromParent();
  builder.SetInsertPoint(some);
  set_number(map, builder.CreateSelect(stays, &number, staying, "group.number.of.ids"));
  copy(builder, computed, map);
  map[&entry] = some;
  for (BasicBlock *block : blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".some", &function));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  builder.CreateCondBr(any, llvm::cast<BasicBlock>(static_cast<Value *>(map[first])), end);

  llvm::SmallVector<llvm::StoreInst *> stores;
  for (BasicBlock *block : copies)
    for (Instruction &instruction : *block)
      if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
          store && !is_local_or_private(*store))
        stores.push_back(store);
  for (llvm::StoreInst *store : stores) {
    Instruction *then = llvm::SplitBlockAndInsertIfThen(stays, store->getIterator(), false);
    store->moveBefore(then->getIterator());
  }
  remark(entry.front(), "groups",
         "if all groups of a call pass the guard at the entry, they run without it");
}

} // namespace lockstep::compiler
