#include "compiler/waits/analysis/loop_slice.h"

#include "abi/address_spaces.h"

#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

llvm::SmallVector<const llvm::Value *, 4> objects_of(const llvm::Value *pointer) {
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return objects;
}

unsigned space_of(const llvm::Value &object) {
  return object.getType()->getPointerAddressSpace();
}

bool is_variable_of_one(const llvm::Value &object) {
  return llvm::isa<llvm::AllocaInst>(object) ||
         (llvm::isa<llvm::Argument>(object) && space_of(object) == private_space);
}

bool may_be_same(const llvm::Value &one, const llvm::Value &other) {
  if (&one == &other)
    return true;
  if (llvm::isIdentifiedObject(&one) && llvm::isIdentifiedObject(&other))
    return false;
  // An argument points to memory of the host, not to a variable of the kernel.
  bool is_variable[] = {llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(one),
                        llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(other)};
  if ((is_variable[0] && llvm::isa<llvm::Argument>(other)) ||
      (is_variable[1] && llvm::isa<llvm::Argument>(one)))
    return false;
  return space_of(one) == space_of(other) || space_of(one) == generic_space ||
         space_of(other) == generic_space;
}

// The pointer through which a call other than a memory intrinsic reads or writes. For a group copy,
// it is argument number `of_group_copy`.
std::optional<const llvm::Value *> accessed_through(const llvm::CallBase &call,
                                                    unsigned of_group_copy) {
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
      intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd()))
    return std::nullopt;
  auto primitive = called_primitive(call);
  if (!primitive) {
    const llvm::Function *callee = call.getCalledFunction();
    const bool is_of_image = callee && callee->hasFnAttribute(image_access_function);
    return is_of_image ? call.getArgOperand(0) : nullptr;
  }
  if (is_group_copy(*primitive))
    return call.getArgOperand(of_group_copy);
  if (*primitive == Primitive::group_combine)
    return call.getArgOperand(2);
  if (*primitive == Primitive::atomic_multiply)
    return call.getArgOperand(AtomicMultiply::pointer_operand);
  return std::nullopt;
}

} // namespace

bool is_private(const llvm::Value *pointer) {
  return llvm::all_of(objects_of(pointer),
                      [](const llvm::Value *object) { return is_variable_of_one(*object); });
}

bool is_local(const llvm::Value *pointer) {
  return llvm::all_of(objects_of(pointer),
                      [](const llvm::Value *object) { return space_of(*object) == local_space; });
}

bool is_global(const llvm::Value &pointer) {
  return pointer.getType()->getPointerAddressSpace() == global_space ||
         llvm::getUnderlyingObject(&pointer)->getType()->getPointerAddressSpace() == global_space;
}

bool may_meet(const llvm::Value *pointer, const llvm::Value *other) {
  const unsigned spaces[] = {space_of(*pointer), space_of(*other)};
  if (spaces[0] != spaces[1] && !llvm::is_contained(spaces, unsigned{generic_space}))
    return false;
  for (const llvm::Value *one : objects_of(pointer))
    for (const llvm::Value *two : objects_of(other))
      if (may_be_same(*one, *two))
        return true;
  return false;
}

bool is_scratch(const llvm::Loop &loop, const llvm::Value *pointer) {
  const llvm::Value *object = llvm::getUnderlyingObject(pointer);
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (called_primitive(instruction) == Primitive::group_combine &&
          llvm::getUnderlyingObject(*written_by(instruction)) == object)
        return true;
  return false;
}

bool is_of_collective(const llvm::Loop &loop, const llvm::Instruction &instruction) {
  if (auto primitive = called_primitive(instruction))
    return *primitive == Primitive::barrier || *primitive == Primitive::group_combine ||
           is_sub_group_operation(*primitive);
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && is_scratch(loop, store->getPointerOperand());
}

// The checker's own memory (undefined/lower_undefined.cpp) does not affect the loop's exits.
static bool is_of_checker(const llvm::Instruction &instruction) {
  return instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize);
}

std::optional<const llvm::Value *> written_by(const llvm::Instruction &instruction) {
  if (is_of_checker(instruction))
    return std::nullopt;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->getPointerOperand();
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return update->getPointerOperand();
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return swap->getPointerOperand();
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || !call->mayWriteToMemory()) // LLVM treats an ordered load as a write
    return std::nullopt;
  if (auto *fill = llvm::dyn_cast<llvm::AnyMemIntrinsic>(call))
    return fill->getRawDest();
  return accessed_through(*call, 0);
}

std::optional<const llvm::Value *> read_by(const llvm::Instruction &instruction) {
  if (is_of_checker(instruction))
    return std::nullopt;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->getPointerOperand();
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    return written_by(instruction);
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || !call->mayReadFromMemory())
    return std::nullopt;
  if (auto *transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(call))
    return transfer->getRawSource();
  if (llvm::isa<llvm::AnyMemIntrinsic>(call))
    return std::nullopt;
  return accessed_through(*call, 1);
}

const llvm::Value *condition_of(const llvm::Instruction &terminator) {
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&terminator))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&terminator);
  return choice ? choice->getCondition() : nullptr;
}

bool is_same_value(const llvm::Value *one, const llvm::Value *other) {
  if (one == other)
    return true;
  auto *first = llvm::dyn_cast<llvm::Instruction>(one),
       *second = llvm::dyn_cast<llvm::Instruction>(other);
  return first && second && !llvm::isa<llvm::PHINode, llvm::AllocaInst>(first) &&
         !first->mayReadOrWriteMemory() && !first->isTerminator() &&
         first->isIdenticalToWhenDefined(second);
}

// ---- LoopSlice

void LoopSlice::add_exits(bool through_memory) {
  through_memory_ = through_memory;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop_.getExitingBlocks(exiting);
  for (const llvm::BasicBlock *block : exiting)
    if (const llvm::Value *condition = condition_of(*block->getTerminator())) {
      add_control_of(*block);
      open_.push_back(condition);
    }
  follow();
}

void LoopSlice::add_writes() {
  for (const llvm::BasicBlock *block : loop_.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (auto written = written_by(instruction);
          written && (!*written || !is_private(*written)) && writes_.insert(&instruction).second)
        add_write(instruction);
  follow();
}

void LoopSlice::add_control_of(const llvm::BasicBlock &block) {
  const llvm::BasicBlock *latch = loop_.getLoopLatch();
  if (!latch || !dominators_.dominates(&block, latch))
    add_conditions_before({&block}, loop_.getHeader());
}

void LoopSlice::follow() {
  while (!open_.empty()) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(open_.pop_back_val());
    if (!instruction || !loop_.contains(instruction) || !found_.insert(instruction))
      continue;
    open_.append(instruction->op_begin(), instruction->op_end());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction))
      add_choice_of(*phi);
    else if (auto pointer = read_by(*instruction);
             pointer && (through_memory_ || !llvm::isa<llvm::LoadInst>(instruction) ||
                         is_private(*pointer) || is_local(*pointer)))
      add_writes_to(*pointer);
  }
}

// Adds the conditions that select the incoming edge of a phi, if the values of the edges differ.
void LoopSlice::add_choice_of(const llvm::PHINode &phi) {
  llvm::SmallVector<const llvm::BasicBlock *> ways;
  bool is_choice = false;
  const llvm::Value *value = nullptr;
  for (const llvm::BasicBlock *from : phi.blocks())
    if (loop_.contains(from)) {
      ways.push_back(from);
      const llvm::Value *other = phi.getIncomingValueForBlock(from);
      is_choice |= value && !is_same_value(value, other);
      value = other;
    }
  if (ways.size() < 2 || !is_choice)
    return;
  const llvm::BasicBlock *block = phi.getParent();
  const auto *above = dominators_.getNode(block)->getIDom();
  bool stays = above && loop_.contains(above->getBlock());
  add_conditions_before(ways, block == loop_.getHeader() || !stays ? loop_.getHeader()
                                                                   : above->getBlock());
}

// Adds the conditions of all blocks on the paths from `first` to `blocks`.
void LoopSlice::add_conditions_before(llvm::SmallVector<const llvm::BasicBlock *> blocks,
                                      const llvm::BasicBlock *first) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
  while (!blocks.empty()) {
    const llvm::BasicBlock *block = blocks.pop_back_val();
    if (!loop_.contains(block) || !seen.insert(block).second)
      continue;
    if (const llvm::Value *condition = condition_of(*block->getTerminator()))
      open_.push_back(condition);
    if (block != first)
      blocks.append(llvm::pred_begin(block), llvm::pred_end(block));
  }
}

// Adds the loop's own writes that a read of `pointer` may observe. For an atomic update, its
// operands are added.
void LoopSlice::add_writes_to(const llvm::Value *pointer) {
  for (const llvm::BasicBlock *block : loop_.blocks())
    for (const llvm::Instruction &instruction : *block) {
      auto written = written_by(instruction);
      if (!written || (*written && pointer && !may_meet(pointer, *written)) ||
          !writes_.insert(&instruction).second)
        continue;
      add_write(instruction);
    }
}

void LoopSlice::add_write(const llvm::Instruction &write) {
  if (llvm::isa<llvm::CallBase>(write)) // copies: add what they read as well
    open_.push_back(&write);
  else
    open_.append(write.op_begin(), write.op_end());
  add_control_of(*write.getParent());
}

} // namespace lockstep::compiler
