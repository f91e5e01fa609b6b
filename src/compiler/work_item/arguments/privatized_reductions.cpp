#include "compiler/work_item/arguments/privatized_reductions.h"

#include "abi/address_spaces.h"
#include "abi/pointer_members.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/found_pointers.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/form.h"
#include "kernel_ir/metadata_numbers.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/synchronization_notes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

#include <optional>
#include <string>

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

// A pointer that the launch passes, and the values that hold it: the argument, or all loads of the
// member.
struct Root {
  uint32_t argument = 0;
  int32_t member = PrivatizedReduction::is_argument;
  std::string name;
  llvm::SmallVector<llvm::Value *, 1> values;

  uint32_t bit() const { return PrivatizedReduction{argument, member}.bit(); }
};

std::vector<Root> roots_of(llvm::Function &kernel, bool has_members) {
  std::vector<Root> roots;
  for (llvm::Argument &argument : kernel.args())
    if (const auto *type = llvm::dyn_cast<llvm::PointerType>(argument.getType());
        type && type->getAddressSpace() == global_space)
      roots.push_back({argument.getArgNo(),
                       PrivatizedReduction::is_argument,
                       argument.getName().str(),
                       {&argument}});
  if (!has_members)
    return roots;
  llvm::MapVector<std::pair<unsigned, int64_t>, Root> members;
  for (llvm::Instruction &instruction : llvm::instructions(kernel)) {
    const auto member =
        instruction.getType()->isPointerTy() ? member_of(instruction) : std::nullopt;
    if (!member || member->byte % bytes_of_member != 0 ||
        member->byte >= bytes_of_member * most_members)
      continue;
    const unsigned number = member->argument->getArgNo();
    Root &root = members[{number, member->byte}];
    root.argument = number;
    root.member = int32_t(member->byte);
    root.name = "byte " + std::to_string(member->byte) + " of " +
                (member->argument->hasName() ? member->argument->getName().str()
                                             : "argument " + std::to_string(number));
    root.values.push_back(&instruction);
  }
  for (auto &[place, root] : members)
    roots.push_back(std::move(root));
  return roots;
}

// The uses of the pointer of one root.
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

Uses uses_of(const Root &root) {
  Uses found;
  llvm::SmallVector<llvm::Value *> left(root.values.begin(), root.values.end());
  llvm::SmallPtrSet<const llvm::Value *, 16> derived(root.values.begin(), root.values.end());
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

// ---- which bytes the updates reach

// Offsets of an update from the root, in bytes; nullopt: not known.
struct Offsets {
  int64_t least = 0, most = 0;
};

std::optional<Offsets> offsets_of(const llvm::Value &pointer, const Root &root,
                                  const llvm::DataLayout &layout) {
  const unsigned bits = layout.getIndexSizeInBits(global_space);
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> steps;
  llvm::APInt constant(bits, 0);
  const llvm::Value *rest = &pointer;
  while (!llvm::is_contained(root.values, rest)) {
    if (const auto *step = llvm::dyn_cast<llvm::GEPOperator>(rest)) {
      if (!step->collectOffset(layout, bits, steps, constant))
        return std::nullopt;
      rest = step->getPointerOperand();
    } else if (llvm::isa<llvm::AddrSpaceCastOperator, llvm::FreezeInst>(rest)) {
      rest = llvm::cast<llvm::User>(rest)->getOperand(0);
    } else {
      return std::nullopt;
    }
  }
  if (constant.getSignificantBits() > 31)
    return std::nullopt;
  Offsets sum{constant.getSExtValue(), constant.getSExtValue()};
  for (const auto &[index, scale] : steps) {
    const auto range = llvm::ConstantRange::fromKnownBits(llvm::computeKnownBits(index, layout),
                                                          /*IsSigned=*/true);
    const llvm::APInt least = range.getSignedMin(), most = range.getSignedMax();
    if (least.getSignificantBits() > 31 || most.getSignificantBits() > 31 ||
        scale.getSignificantBits() > 16)
      return std::nullopt;
    const int64_t ends[] = {least.getSExtValue() * scale.getSExtValue(),
                            most.getSExtValue() * scale.getSExtValue()};
    sum.least += std::min(ends[0], ends[1]);
    sum.most += std::max(ends[0], ends[1]);
    if (!llvm::isInt<31>(sum.least) || !llvm::isInt<31>(sum.most))
      return std::nullopt;
  }
  return sum;
}

const llvm::Value &pointer_of(const llvm::Instruction &update) {
  const auto *plain = llvm::dyn_cast<llvm::AtomicRMWInst>(&update);
  return plain ? *plain->getPointerOperand() : *update.getOperand(0);
}

void set_bounds(PrivatizedReduction &copy, const Root &root, const Uses &uses) {
  const llvm::DataLayout &layout = uses.updates.front()->getModule()->getDataLayout();
  std::optional<Offsets> all;
  for (const llvm::Instruction *update : uses.updates) {
    const auto own = offsets_of(pointer_of(*update), root, layout);
    if (!own)
      return;
    all = all ? Offsets{std::min(all->least, own->least), std::max(all->most, own->most)} : *own;
  }
  copy.begin = all->least;
  copy.end = all->most + copy.element_size;
}

// ---- marks

void mark(const Root &root, const Uses &uses) {
  llvm::Module &module = *uses.updates.front()->getModule();
  llvm::LLVMContext &context = module.getContext();
  auto number = [&](int64_t value) { return metadata_number(context, uint32_t(value)); };
  llvm::MDNode *pointer = llvm::MDNode::get(context, {number(root.argument), number(root.member)});
  for (llvm::Instruction *update : uses.updates)
    update->setMetadata(privatized_metadata, pointer);
  PrivatizedReduction copy{
      root.argument, root.member, *uses.first->operation,
      uint32_t(uses.first->type->getPrimitiveSizeInBits().getFixedValue() / 8)};
  set_bounds(copy, root, uses);
  copy.is_hidden_from_host =
      llvm::all_of(uses.updates, [](auto *update) { return is_hidden_from_host(*update); });
  copy.has_found_pointers = uses_found_pointers(*uses.updates.front()->getFunction());
  module.getOrInsertNamedMetadata(list_name)->addOperand(llvm::MDNode::get(
      context, {number(copy.argument), number(copy.member), number(uint32_t(copy.operation)),
                number(copy.element_size), number(copy.begin), number(copy.end),
                number(copy.is_hidden_from_host), number(copy.has_found_pointers)}));
}

// Why the updates stay atomic though the kernel does nothing else with the pointer; null: they need
// not.
class Kernel {
public:
  explicit Kernel(const llvm::Function &kernel) : kernel_(kernel), notes_(*kernel.getParent()) {}

  const char *obstacle(const Uses &uses) {
    if (is_resumable(kernel_))
      return "the kernel waits for others, which may wait for the updates";
    if (llvm::any_of(uses.updates, [&](const llvm::Instruction *update) {
          const SynchronizationNote *note = notes_.at(update->getDebugLoc());
          return note && note->scope < CheckScope::device;
        }))
      return "the check compares the updates, whose scope does not reach other groups";
    const llvm::Module &module = *kernel_.getParent();
    if (!is_ordered_)
      is_ordered_ = has_order(module, {});
    if (*is_ordered_ && !(uses.orders && !has_order(module, uses.updates)))
      return "a fence or an access of the kernel orders the updates before others";
    return nullptr;
  }

private:
  const llvm::Function &kernel_;
  const SynchronizationNotes notes_; // empty, unless the kernel is checked
  std::optional<bool> is_ordered_;   // computed once, and only if needed
};

} // namespace

llvm::PreservedAnalyses PrivatizedReductionsPass::run(llvm::Function &kernel,
                                                      llvm::FunctionAnalysisManager &) {
  Kernel all(kernel);
  for (const Root &root : roots_of(kernel, has_members_)) {
    if (root.bit() >= most_arguments_)
      continue;
    Uses uses = uses_of(root);
    if (uses.updates.empty())
      continue;
    const llvm::Instruction &first = *uses.updates.front();
    if (llvm::all_of(uses.updates, [](auto *update) { return stays_in_group(*update); })) {
      remark(first, "atomics",
             "plain updates of '" + root.name + "': no other work-group may look");
      continue;
    }
    if (!uses.obstacle)
      uses.obstacle = all.obstacle(uses);
    if (!uses.obstacle && unprivatized_ >> root.bit() & 1)
      uses.obstacle = "of this launch, others may reach its memory, or it has too few work-items "
                      "for so large a copy";
    if (uses.obstacle) {
      remark(first, "atomics",
             "each update is atomic, without copies of '" + root.name +
                 "' for the workers: " + uses.obstacle);
      continue;
    }
    remark(first, "atomics",
           "plain updates: each worker has a copy of '" + root.name +
               "', which is added to it at the end");
    mark(root, uses);
  }
  return llvm::PreservedAnalyses::all();
}

std::vector<PrivatizedReduction> privatized_reductions(const llvm::Module &module) {
  std::vector<PrivatizedReduction> copies;
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(list_name))
    for (const llvm::MDNode *node : list->operands())
      copies.push_back({.argument = number_at(*node, 0),
                        .member = int32_t(number_at(*node, 1)),
                        .operation = UpdateOperation(number_at(*node, 2)),
                        .element_size = number_at(*node, 3),
                        .begin = int32_t(number_at(*node, 4)),
                        .end = int32_t(number_at(*node, 5)),
                        .is_hidden_from_host = number_at(*node, 6) != 0,
                        .has_found_pointers = number_at(*node, 7) != 0});
  return copies;
}

} // namespace lockstep::compiler
