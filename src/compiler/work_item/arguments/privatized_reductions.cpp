#include "compiler/work_item/arguments/privatized_reductions.h"

#include "abi/address_spaces.h"

#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/form.h"
#include "kernel_ir/metadata_numbers.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/synchronization_notes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace lockstep::compiler {

namespace {

constexpr char list_name[] = "lockstep.privatized.arguments";

std::optional<UpdateOperation> operation_of(const llvm::AtomicRMWInst &update) {
  switch (update.getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
    return UpdateOperation::add;
  case llvm::AtomicRMWInst::And:
    return UpdateOperation::bit_and;
  case llvm::AtomicRMWInst::Or:
    return UpdateOperation::bit_or;
  case llvm::AtomicRMWInst::Xor:
    return UpdateOperation::bit_xor;
  case llvm::AtomicRMWInst::Min:
    return UpdateOperation::signed_min;
  case llvm::AtomicRMWInst::Max:
    return UpdateOperation::signed_max;
  case llvm::AtomicRMWInst::UMin:
    return UpdateOperation::unsigned_min;
  case llvm::AtomicRMWInst::UMax:
    return UpdateOperation::unsigned_max;
  case llvm::AtomicRMWInst::FAdd:
  case llvm::AtomicRMWInst::FSub:
    return UpdateOperation::float_add;
  case llvm::AtomicRMWInst::FMin:
    return UpdateOperation::float_min;
  case llvm::AtomicRMWInst::FMax:
    return UpdateOperation::float_max;
  default:
    return std::nullopt;
  }
}

bool is_known(const llvm::Type &type) {
  return type.isIntegerTy(32) || type.isIntegerTy(64) || type.isFloatTy() || type.isDoubleTy();
}

// An atomic update, or an atomic product.
struct Update {
  std::optional<UpdateOperation> operation;
  const llvm::Type *type = nullptr;
  llvm::AtomicOrdering ordering = llvm::AtomicOrdering::Monotonic;
};

// nullopt if the instruction uses the pointer otherwise.
std::optional<Update> update_through(const llvm::Use &pointer) {
  const auto &user = *llvm::cast<llvm::Instruction>(pointer.getUser());
  if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&user))
    return pointer.getOperandNo() == llvm::AtomicRMWInst::getPointerOperandIndex()
               ? std::optional(
                     Update{operation_of(*update), update->getType(), update->getOrdering()})
               : std::nullopt;
  const auto product = atomic_multiply(user);
  if (!product)
    return std::nullopt;
  const bool is_float = product->value->getType()->isFloatingPointTy();
  return Update{is_float ? UpdateOperation::float_multiply : UpdateOperation::multiply,
                product->value->getType(), product->ordering};
}

// The uses of the pointer of one argument.
struct Uses {
  llvm::SmallVector<llvm::Instruction *> updates; // their results are unused
  std::optional<Update> first;                    // all are of this operation and type
  bool are_alike = true;
  bool orders = false;            // an update orders other accesses
  const char *obstacle = nullptr; // why the memory is more than updated; null: it is not
};

bool passes_on(const llvm::User &user) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::FreezeInst,
                   llvm::PHINode, llvm::SelectInst>(user);
}

bool is_compared_with_null(const llvm::User &user) {
  const auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&user);
  return comparison && comparison->isEquality() &&
         (llvm::isa<llvm::ConstantPointerNull>(comparison->getOperand(0)) ||
          llvm::isa<llvm::ConstantPointerNull>(comparison->getOperand(1)));
}

// Accesses to the memory's shadow bits (undefined/lower_undefined.cpp), which belong to the memory
// and not to a copy.
bool is_beside(const llvm::User &user) {
  return called_primitive(user) == Primitive::check_written ||
         (llvm::isa<llvm::LoadInst, llvm::StoreInst>(user) &&
          llvm::cast<llvm::Instruction>(user).hasMetadata(llvm::LLVMContext::MD_nosanitize));
}

// Why this use is not a plain update; null if it is one.
const char *obstacle_of(const llvm::Use &use) {
  const auto update = update_through(use);
  if (!update)
    return "the kernel does more with it than to update it";
  if (!use.getUser()->use_empty())
    return "the kernel uses the result of an update";
  if (!update->operation || !is_known(*update->type))
    return "an update is none that can be made in any order";
  return nullptr;
}

void add_use(Uses &found, const llvm::Use &use) {
  if (const char *obstacle = obstacle_of(use)) {
    found.obstacle = obstacle;
    return;
  }
  const auto update = update_through(use);
  if (!found.first)
    found.first = update;
  found.orders |= llvm::isStrongerThanMonotonic(update->ordering);
  if (found.first->operation != update->operation || found.first->type != update->type)
    found.are_alike = false;
  found.updates.push_back(llvm::cast<llvm::Instruction>(use.getUser()));
}

Uses uses_of(llvm::Argument &argument) {
  Uses found;
  llvm::SmallVector<llvm::Value *> left{&argument};
  llvm::SmallPtrSet<const llvm::Value *, 16> derived{&argument};
  while (!left.empty())
    for (llvm::Use &use : left.pop_back_val()->uses()) {
      llvm::User *user = use.getUser();
      if (is_compared_with_null(*user) || is_beside(*user))
        continue;
      if (passes_on(*user)) {
        if (derived.insert(user).second)
          left.push_back(user);
        continue;
      }
      add_use(found, use);
    }
  // A phi or select that may also yield a pointer to other memory.
  for (const llvm::Value *value : derived)
    if (const auto *user = llvm::dyn_cast<llvm::Instruction>(value);
        user && llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
      for (const llvm::Value *operand : user->operands())
        if (operand->getType()->isPointerTy() && !derived.contains(operand))
          found.obstacle = "a pointer points to it or to something else";
  if (!found.are_alike)
    found.obstacle = "the updates are of several kinds";
  return found;
}

// Whether another thread must see an update before what follows this instruction.
bool is_ordering(const llvm::Instruction &instruction) {
  if (stays_in_group(instruction)) // other groups cannot see it, so it orders nothing for them
    return false;
  if (llvm::isa<llvm::FenceInst>(instruction))
    return true;
  if (called_primitive(instruction) == Primitive::barrier) {
    const auto *flags = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(0));
    return !flags || flags->getZExtValue() & barrier_for_device;
  }
  if (const auto product = atomic_multiply(instruction))
    return llvm::isStrongerThanMonotonic(product->ordering);
  if (!instruction.isAtomic())
    return false;
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
  auto ordering = llvm::AtomicOrdering::SequentiallyConsistent;
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    ordering = load->getOrdering();
  } else if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    ordering = store->getOrdering();
  } else if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    ordering = update->getOrdering();
    pointer = update->getPointerOperand();
  } else if (const auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    ordering = swap->getMergedOrdering();
    pointer = swap->getPointerOperand();
  }
  const unsigned space = pointer ? pointer->getType()->getPointerAddressSpace() : global_space;
  return space != private_space && llvm::isStrongerThanMonotonic(ordering);
}

// Whether an instruction is ordering, other than `updates`.
bool has_order(const llvm::Module &module, llvm::ArrayRef<llvm::Instruction *> updates) {
  const llvm::SmallPtrSet<const llvm::Instruction *, 8> except(updates.begin(), updates.end());
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (is_ordering(instruction) && !except.contains(&instruction))
        return true;
  return false;
}

void mark(const llvm::Argument &argument, const Uses &uses) {
  llvm::LLVMContext &context = argument.getContext();
  auto number = [&](uint32_t value) { return metadata_number(context, value); };
  llvm::MDNode *of_argument = llvm::MDNode::get(context, {number(argument.getArgNo())});
  for (llvm::Instruction *update : uses.updates)
    update->setMetadata(privatized_metadata, of_argument);
  const uint32_t bits = uses.first->type->getPrimitiveSizeInBits().getFixedValue();
  llvm::Module &module = *uses.updates.front()->getModule();
  module.getOrInsertNamedMetadata(list_name)->addOperand(
      llvm::MDNode::get(context, {number(argument.getArgNo()),
                                  number(uint32_t(*uses.first->operation)), number(bits / 8)}));
}

} // namespace

llvm::PreservedAnalyses PrivatizedReductionsPass::run(llvm::Function &kernel,
                                                      llvm::FunctionAnalysisManager &) {
  const SynchronizationNotes notes(*kernel.getParent()); // empty, unless the kernel is checked
  std::optional<bool> is_ordered;                        // computed once, and only if needed
  for (llvm::Argument &argument : kernel.args()) {
    const auto *type = llvm::dyn_cast<llvm::PointerType>(argument.getType());
    if (!type || type->getAddressSpace() != global_space || argument.getArgNo() >= most_arguments_)
      continue;
    Uses uses = uses_of(argument);
    if (uses.updates.empty())
      continue;
    const llvm::Instruction &first = *uses.updates.front();
    if (llvm::all_of(uses.updates, [](auto *update) { return stays_in_group(*update); })) {
      remark(first, "atomics",
             "plain updates of '" + argument.getName() + "': no other work-group may look");
      continue;
    }
    if (!uses.obstacle && is_resumable(kernel))
      uses.obstacle = "the kernel waits for others, which may wait for the updates";
    if (!uses.obstacle && llvm::any_of(uses.updates, [&](const llvm::Instruction *update) {
          const SynchronizationNote *note = notes.at(update->getDebugLoc());
          return note && note->scope < CheckScope::device;
        }))
      uses.obstacle = "the check compares the updates, whose scope does not reach other groups";
    if (!uses.obstacle && !is_ordered)
      is_ordered = has_order(*kernel.getParent(), {});
    if (!uses.obstacle && *is_ordered &&
        !(uses.orders && !has_order(*kernel.getParent(), uses.updates)))
      uses.obstacle = "a fence or an access of the kernel orders the updates before others";
    if (!uses.obstacle && unprivatized_ >> argument.getArgNo() & 1)
      uses.obstacle = "of this launch, others may reach its memory, or it has too few work-items "
                      "for so large a copy";
    if (uses.obstacle) {
      remark(first, "atomics",
             "each update is atomic, without copies of '" + argument.getName() +
                 "' for the workers: " + uses.obstacle);
      continue;
    }
    remark(first, "atomics",
           "plain updates: each worker has a copy of '" + argument.getName() +
               "', which is added to it at the end");
    mark(argument, uses);
  }
  return llvm::PreservedAnalyses::all();
}

std::vector<PrivatizedReduction> privatized_reductions(const llvm::Module &module) {
  std::vector<PrivatizedReduction> copies;
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(list_name))
    for (const llvm::MDNode *node : list->operands())
      copies.push_back(
          {number_at(*node, 0), UpdateOperation(number_at(*node, 1)), number_at(*node, 2)});
  return copies;
}

} // namespace lockstep::compiler
