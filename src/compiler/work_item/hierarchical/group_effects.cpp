#include "compiler/work_item/hierarchical/group_effects.h"

#include "compiler/work_item/hierarchical/group_variables.h"
#include "compiler/work_item/hierarchical/item_scopes.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {
namespace {

constexpr unsigned all_fences = 3; // CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE

bool is_of_all_items(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic()))
    return true;
  auto primitive = called_primitive(instruction);
  return llvm::isa<llvm::FenceInst>(instruction) ||
         (primitive && (is_group_operation(*primitive) || is_sub_group_operation(*primitive) ||
                        *primitive == Primitive::group_scratch));
}

bool is_scope_mark(const llvm::Instruction &instruction) {
  return is_call_of(instruction, item_scope_begin) || is_call_of(instruction, item_scope_end);
}

// Whether only the first work-item must execute it.
bool is_effect(const llvm::Instruction &instruction) {
  if (!instruction.mayWriteToMemory() || is_of_all_items(instruction) || is_scope_mark(instruction))
    return false;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return !is_private_or_constant(store->getPointerOperand());
  if (auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
    return !is_private_or_constant(memory->getRawDest());
  return true;
}

// Whether it reads memory that other work-items may write.
bool reads_shared(const llvm::Instruction &instruction) {
  if (!instruction.mayReadFromMemory() || is_of_all_items(instruction))
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return !is_private_or_constant(load->getPointerOperand());
  if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
    return !is_private_or_constant(copy->getRawSource());
  return true;
}

// What the first work-item executes between two barriers; more than one only for stores.
struct Effects {
  llvm::SmallVector<llvm::Instruction *, 4> all;
  bool is_barrier_before, is_barrier_after = true;
};

class GroupEffects {
public:
  GroupEffects(llvm::Function &kernel, const ItemScopes &scopes) : kernel_(kernel) {
    for (llvm::BasicBlock &block : kernel)
      if (!scopes.contains(block.front()))
        blocks_.push_back(&block);
  }

  void order() {
    find_reads();
    find_users();
    place_barriers_of_scopes();
    for (llvm::BasicBlock *block : blocks_)
      collect_effects(*block);
    for (const Effects &effects : effects_)
      place(effects);
  }

private:
  // Whether memory was read since the last barrier when the block ends; `read`: whether it was when
  // the block begins.
  bool read_at_end(const llvm::BasicBlock &block, bool read) const {
    for (const llvm::Instruction &instruction : block)
      if (is_call_of(instruction, item_scope_end) || is_effect(instruction) ||
          called_primitive(instruction) == Primitive::barrier)
        read = !instruction.use_empty(); // others read the result through its slot
      else if (reads_shared(instruction) && !is_scope_mark(instruction))
        read = true;
    return read;
  }

  bool read_at_begin(const llvm::BasicBlock &block) const {
    for (const llvm::BasicBlock *before : llvm::predecessors(&block))
      if (read_.lookup(before))
        return true;
    return false;
  }

  void find_reads() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock *block : blocks_) {
        const bool read = read_at_end(*block, read_at_begin(*block));
        changed |= read_.lookup(block) != read;
        read_[block] = read;
      }
    }
  }

  bool is_used_after(const llvm::BasicBlock &block) const {
    return llvm::any_of(llvm::successors(&block),
                        [&](const llvm::BasicBlock *next) { return used_from_.contains(next); });
  }

  // Whether the instruction must come after the first work-item's effects.
  static bool needs_effects(const llvm::Instruction &instruction) {
    return reads_shared(instruction) || is_effect(instruction) ||
           (is_of_all_items(instruction) && called_primitive(instruction));
  }

  // Finds the blocks from which an access to memory or an item scope is reachable.
  void find_users() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock *block : llvm::reverse(blocks_)) {
        if (used_from_.contains(block))
          continue;
        bool used = is_used_after(*block);
        for (const llvm::Instruction &instruction : *block)
          used |= is_call_of(instruction, item_scope_begin) || needs_effects(instruction);
        if (used)
          changed |= used_from_.insert(block).second;
      }
    }
  }

  void place_barriers_of_scopes() {
    llvm::Module &module = *kernel_.getParent();
    for (llvm::CallInst *begin : calls_of(module, item_scope_begin)) {
      if (read_at_begin(*begin->getParent()))
        barrier(begin);
      begin->eraseFromParent();
    }
    for (llvm::CallInst *end : calls_of(module, item_scope_end)) {
      if (used_from_.contains(end->getParent()->getSingleSuccessor()))
        barrier(end);
      end->eraseFromParent();
    }
  }

  // Groups stores without a memory access in between.
  void collect_effects(llvm::BasicBlock &block) {
    bool read = read_at_begin(block), open = false;
    llvm::Instruction *last = nullptr;
    for (llvm::Instruction &instruction : block) {
      if (is_effect(instruction)) {
        const bool is_store = llvm::isa<llvm::StoreInst>(instruction);
        if (!open || !is_store)
          effects_.push_back({{}, read});
        effects_.back().all.push_back(&instruction);
        last = &instruction;
        open = is_store;
        read = !instruction.use_empty();
      } else if (called_primitive(instruction) == Primitive::barrier) {
        read = open = false;
      } else if (instruction.mayReadOrWriteMemory()) {
        open = false;
        read |= reads_shared(instruction);
      }
    }
    if (last && last->use_empty() && !is_used_after(block))
      effects_.back().is_barrier_after =
          std::any_of(std::next(last->getIterator()), block.end(), needs_effects);
  }

  void place(const Effects &effects) {
    llvm::Instruction *last = effects.all.back();
    llvm::Instruction *then =
        llvm::SplitBlockAndInsertIfThen(is_first(), last->getIterator(), /*Unreachable=*/false);
    llvm::BasicBlock *head = then->getParent()->getSinglePredecessor();
    llvm::BasicBlock *tail = then->getParent()->getSingleSuccessor();
    if (effects.is_barrier_before)
      barrier(head->getTerminator());
    for (llvm::Instruction *effect : effects.all)
      effect->moveBefore(then->getIterator());
    llvm::Instruction *after = &*tail->getFirstNonPHIIt();
    if (effects.is_barrier_after)
      barrier(after);
    if (!last->use_empty())
      spread(*last, then, after);
  }

  // Passes the result to all work-items. A structure is passed member by member, since later passes
  // expect no aggregate values.
  void spread(llvm::Instruction &effect, llvm::Instruction *store_before,
              llvm::Instruction *load_before) {
    llvm::IRBuilder<> store(store_before), load(load_before);
    auto through_slot = [&](llvm::Value *value) -> llvm::Value * {
      const llvm::Align alignment =
          kernel_.getParent()->getDataLayout().getABITypeAlign(value->getType());
      auto *slot =
          make_local_variable(*kernel_.getParent(), value->getType(), alignment, "group.result");
      store.CreateAlignedStore(value, slot, alignment);
      return load.CreateAlignedLoad(value->getType(), slot, alignment);
    };
    llvm::SmallVector<llvm::Use *> uses;
    for (llvm::Use &use : effect.uses())
      uses.push_back(&use);
    llvm::Value *result = nullptr;
    if (auto *type = llvm::dyn_cast<llvm::StructType>(effect.getType())) {
      result = llvm::PoisonValue::get(type);
      for (unsigned i = 0; i < type->getNumElements(); ++i)
        result =
            load.CreateInsertValue(result, through_slot(store.CreateExtractValue(&effect, i)), i);
    } else {
      result = through_slot(&effect);
    }
    for (llvm::Use *use : uses)
      use->set(result);
  }

  llvm::Value *is_first() {
    if (is_first_)
      return is_first_;
    llvm::IRBuilder<> builder(&*kernel_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::FunctionCallee local_id = declare_primitive(*kernel_.getParent(), Primitive::local_id,
                                                      builder.getInt64Ty(), {builder.getInt32Ty()});
    auto *declared = llvm::cast<llvm::Function>(local_id.getCallee());
    declared->setDoesNotThrow();
    declared->setDoesNotAccessMemory();
    declared->setWillReturn();
    llvm::Value *any = nullptr;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      llvm::CallInst *id = builder.CreateCall(local_id, {builder.getInt32(dimension)});
      any = any ? builder.CreateOr(any, id) : id;
    }
    return is_first_ = builder.CreateICmpEQ(any, builder.getInt64(0), "is.first");
  }

  void barrier(llvm::Instruction *before) {
    llvm::IRBuilder<> builder(before);
    llvm::FunctionCallee function = declare_primitive(*kernel_.getParent(), Primitive::barrier,
                                                      builder.getVoidTy(), {builder.getInt32Ty()});
    auto *declared = llvm::cast<llvm::Function>(function.getCallee());
    declared->setConvergent();
    declared->setDoesNotThrow();
    builder.CreateCall(function, {builder.getInt32(all_fences)});
  }

  llvm::Function &kernel_;
  llvm::SmallVector<llvm::BasicBlock *> blocks_; // of the group's code
  llvm::DenseMap<const llvm::BasicBlock *, bool> read_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> used_from_;
  llvm::SmallVector<Effects> effects_;
  llvm::Value *is_first_ = nullptr;
};

} // namespace

void order_group_effects(llvm::Function &kernel, const ItemScopes &scopes) {
  GroupEffects(kernel, scopes).order();
}

} // namespace lockstep::compiler
