// Collects the accesses to shared memory for disjoint_accesses.h, and records the assumptions under
// which it has proven them disjoint.
#include "compiler/checks/races/instrumentation.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/bounds/in_bounds_accesses.h"
#include "compiler/checks/common/assumption_metadata.h"
#include "compiler/checks/common/image_texels.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/races/instrument_accesses.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

namespace lockstep::compiler {

static constexpr char assumptions_name[] = "lockstep.check.assumptions";

// Pointers in structures are generic, as in C++, but never point to local memory
// (argument_pointers.cpp).
static unsigned space_of(const llvm::Value &object) {
  return member_of(object) ? global_space : object.getType()->getPointerAddressSpace();
}

// All objects are arguments, members or variables in one address space.
static bool are_known(llvm::ArrayRef<const llvm::Value *> objects) {
  const unsigned space = space_of(*objects.front());
  return space != generic_space && llvm::all_of(objects, [space](const llvm::Value *each) {
           return (llvm::isa<llvm::Argument, llvm::GlobalVariable>(each) || member_of(*each)) &&
                  space_of(*each) == space;
         });
}

// The value is computed from arguments, ids and variables of loops only, not from memory.
static bool is_independent_of_memory(const llvm::Value &value, const llvm::LoopInfo &loops) {
  llvm::SmallPtrSet<const llvm::Value *, 16> seen = {&value};
  llvm::SmallVector<const llvm::Value *> open = {&value};
  while (!open.empty()) {
    auto *next = llvm::dyn_cast<llvm::Instruction>(open.pop_back_val());
    if (!next)
      continue;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(next)) {
      // Memory may decide which branch leads to any other join.
      const llvm::Loop *loop = loops.getLoopFor(phi->getParent());
      if (!loop || loop->getHeader() != phi->getParent() || !loop->getLoopPredecessor() ||
          !loop->getLoopLatch())
        return false;
    } else if (next->mayReadOrWriteMemory()) {
      return false;
    }
    for (const llvm::Use &operand : next->operands())
      if (seen.size() == limits::search_steps)
        return false;
      else if (seen.insert(operand).second)
        open.push_back(operand);
  }
  return true;
}

void Instrumentation::add_shared(DisjointAccesses::Kernel &kernel, llvm::Instruction &access,
                                 llvm::Value *pointer, uint64_t size, bool writes) const {
  if (!is_wanted(*pointer))
    return;
  if (is_of_pipe(*pointer)) {
    kernel.packets.push_back({&access, pointer});
    return;
  }
  const llvm::Value *object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  unsigned space = pointer->getType()->getPointerAddressSpace();
  // Through phis and selects, the pointer may still be based on a single object.
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  if (objects.size() == 1)
    object = objects.front();
  const llvm::Argument *image = image_of_texels(*objects.front());
  if (image && llvm::all_of(objects, [image](const llvm::Value *each) {
        return image_of_texels(*each) == image;
      })) {
    object = image;
    space = global_space;
  }
  const llvm::Value *known = members_.object_of(*object);
  if (space == generic_space && known)
    space = space_of(*known); // builtins take generic pointers
  const bool is_one_of_several = objects.size() > 1 && object != image && are_known(objects);
  if (is_one_of_several)
    space = space_of(*objects.front());
  SharedAccess shared{&access, pointer, size, writes};
  shared.is_local = space == local_space;
  shared.is_generic = space == generic_space;
  if (known && !shared.is_generic)
    shared.object = known;
  shared.is_atomic = is_relaxed_at_least(access);
  shared.is_narrow =
      access.isAtomic() &&
      scope_of(access) < (shared.is_local ? CheckScope::work_group : CheckScope::device);
  if (!is_one_of_several)
    return kernel.accesses.push_back(shared);
  shared.is_one_of_several = true;
  for (const llvm::Value *each : objects) {
    shared.object = members_.object_of(*each);
    kernel.accesses.push_back(shared);
  }
}

const llvm::Value *Instrumentation::object_of(const llvm::Value &pointer) const {
  const llvm::Value *object = llvm::getUnderlyingObject(&pointer, /*MaxLookup=*/0),
                    *known = members_.object_of(*object);
  return known ? known : object;
}

DisjointAccesses::Kernel Instrumentation::shared_accesses(const llvm::LoopInfo &loops,
                                                          uint64_t failed) const {
  DisjointAccesses::Kernel kernel(function_);
  for (const llvm::BasicBlock &block : function_)
    if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        branch && branch->isConditional() && group_.has_uniform_branch(block) &&
        is_independent_of_memory(*branch->getCondition(), loops))
      kernel.uniform_branches.insert(&block);
  kernel.synchronizes = synchronizes();
  kernel.failed = failed;
  for (const InBoundsAccess &each : assumed_in_bounds(module_))
    kernel.numbers = std::min(kernel.numbers, each.places.number);
  const llvm::DataLayout &layout = module_.getDataLayout();
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    if (is_of_checker(instruction) || is_atomic_of_pipe(instruction))
      continue;
    const auto primitive = called_primitive(instruction);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
        add_shared(kernel, *load, load->getPointerOperand(),
                   layout.getTypeStoreSize(load->getType()), false);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      add_shared(kernel, *store, store->getPointerOperand(),
                 layout.getTypeStoreSize(store->getValueOperand()->getType()), true);
    } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      add_shared(kernel, *update, update->getPointerOperand(),
                 layout.getTypeStoreSize(update->getType()), true);
    } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      add_shared(kernel, *swap, swap->getPointerOperand(),
                 layout.getTypeStoreSize(swap->getNewValOperand()->getType()), true);
    } else if (const auto product = atomic_multiply(instruction)) {
      add_shared(kernel, instruction, product->pointer,
                 layout.getTypeStoreSize(product->value->getType()), true);
    } else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      auto *size = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
      kernel.copies_anything |= !size;
      add_shared(kernel, *copy, copy->getRawDest(), size ? size->getZExtValue() : 0, true);
      if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
        add_shared(kernel, *copy, transfer->getRawSource(), size ? size->getZExtValue() : 0, false);
    } else if (primitive && is_group_copy(*primitive)) {
      for (unsigned operand : {0u, 1u}) {
        const llvm::Value *object = object_of(*instruction.getOperand(operand));
        (operand == 0 ? kernel.copied_to : kernel.copied_from).insert(object);
        kernel.copies[object].push_back({&instruction, operand == 0});
        kernel.copies_anything |= !members_.object_of(*object);
      }
    } else if (primitive == Primitive::barrier) {
      const SynchronizationNote *note = notes_.at(instruction.getDebugLoc());
      auto *flags = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(0));
      if (flags && flags->getZExtValue() & local_fence && !(note && note->kind))
        kernel.local_barriers.insert(&instruction);
      if (note && note->kind == SynchronizationNote::waits_for_copies)
        kernel.waits.insert(&instruction);
    }
  }
  return kernel;
}

// Without a check for races there are no assumptions. The comparison of commands only needs to know
// whether kernels may synchronize with each other.
void Instrumentation::record_assumptions() {
  Assumptions known =
      wanted_.races
          ? disjoint_->assumptions()
          : Assumptions{.synchronizes = disjoint_->assumptions().synchronizes, .uses_others = true};
  if (must_accesses_)
    known.must_accesses = must_accesses_->found();
  set_assumptions(module_, assumptions_name, known);
}

Assumptions all_assumptions(const llvm::Module &module) {
  Assumptions all = assumptions_in(module, assumptions_name);
  if (all.are_none()) // no pass has analyzed its memory
    all.uses_others = true;
  all.in_bounds = assumed_in_bounds(module);
  return all;
}

} // namespace lockstep::compiler
