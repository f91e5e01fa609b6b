#include "compiler/lanes/packetize/access_groups.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// The most elements of a wide access per lane. Local memory is in the L1 cache.
constexpr int64_t longest = limits::elements_per_lane, longest_in_local_memory = 2 * longest;

llvm::Value *pointer_of(llvm::Instruction &access) {
  return llvm::getLoadStorePointerOperand(&access);
}

} // namespace

void AccessGroup::find_whole_strides() {
  llvm::Value *pointer = pointer_of(*first());
  if (pointer->getType()->getPointerAddressSpace() != local_space || stride <= size ||
      exact.constant != address.constant)
    return;
  llvm::SimplifyQuery query(first()->getDataLayout());
  unsigned variables = 0;
  for (const IndexExpression::Term &term : exact.terms) {
    const llvm::Value *value = term.symbol.value;
    const bool is_variable = term.coefficient == 1 &&
                             llvm::isa_and_nonnull<llvm::Argument, llvm::GlobalVariable>(value) &&
                             value->getType()->isPointerTy();
    variables += is_variable;
    if (is_variable)
      continue;
    const bool is_non_negative = !value || term.symbol.extension == Extension::zero ||
                                 llvm::isKnownNonNegative(value, query);
    if (term.coefficient < 0 || !is_non_negative)
      return;
  }
  if (variables != 1)
    return;
  int64_t low = slots.front().first, high = low;
  for (auto &slot : slots) {
    low = std::min(low, slot.first);
    high = std::max(high, slot.first);
  }
  int64_t begin = low - low % stride;
  if (low >= 0 && high + size == begin + stride)
    whole_strides_from = begin;
}

int64_t AccessGroup::lowest() const {
  if (whole_strides_from) // the stride is positive, so lane 0 is the lowest
    return *whole_strides_from;
  int64_t offset = slots.front().first;
  for (auto &slot : slots)
    offset = std::min(offset, slot.first);
  return offset + *llvm::min_element(distances);
}

int64_t AccessGroup::highest() const {
  int64_t offset = slots.front().first;
  for (auto &slot : slots)
    offset = std::max(offset, slot.first);
  return offset + *llvm::max_element(distances);
}

AccessGroups::AccessGroups(llvm::Function &function, const LaneShapes &shapes,
                           IndexExpressions &expressions) {
  for (llvm::BasicBlock &block : function)
    scan(block, shapes, expressions);
  for (auto &group : groups_)
    group->find_whole_strides();
}

std::unique_ptr<AccessGroup> AccessGroups::make(llvm::Instruction &access, const LaneShapes &shapes,
                                                const IndexExpression &address,
                                                const IndexExpression &exact) const {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&access);
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&access);
  if (load ? !load->isSimple() : !store || !store->isSimple())
    return nullptr;
  llvm::Value *pointer = pointer_of(access);
  const LaneShape &shape = shapes.of(*pointer);
  if (!shape.has_distances() || shape.is_uniform())
    return nullptr;
  const llvm::DataLayout &layout = access.getDataLayout();
  llvm::Type *element = llvm::getLoadStoreType(&access);
  int64_t size = layout.getTypeStoreSize(element);
  AccessGroup group{load != nullptr, element, size, address, exact, {}, 0, {}, {}, {}};
  llvm::SmallSet<int64_t, 32> distinct;
  for (unsigned lane = 0; lane != shapes.width(); ++lane) {
    int64_t distance = shape.distance(lane);
    if (distance % size != 0)
      return nullptr;
    group.distances.push_back(distance);
    distinct.insert(distance);
  }
  // Several lanes store to one address, so their order matters.
  if (!load && distinct.size() != shapes.width())
    return nullptr;
  group.stride = group.distances[1];
  for (unsigned lane = 1; lane != shapes.width(); ++lane)
    if (group.distances[lane] != group.stride * lane)
      group.stride = 0;
  group.slots.insert({group.address.constant, &access});
  bool is_local = pointer->getType()->getPointerAddressSpace() == local_space;
  if (group.length() > (is_local ? longest_in_local_memory : longest) * shapes.width())
    return nullptr;
  return std::make_unique<AccessGroup>(std::move(group));
}

void AccessGroups::scan(llvm::BasicBlock &block, const LaneShapes &shapes,
                        IndexExpressions &expressions) {
  llvm::SmallVector<AccessGroup *> open;
  for (llvm::Instruction &instruction : block) {
    if (!instruction.mayReadOrWriteMemory() || called_primitive(instruction) == Primitive::mask ||
        llvm::isa<llvm::AssumeInst>(instruction))
      continue;
    llvm::Value *pointer = pointer_of(instruction);
    if (!pointer || instruction.isAtomic() || instruction.isVolatile()) {
      open.clear();
      continue;
    }
    bool is_load = llvm::isa<llvm::LoadInst>(instruction);
    const IndexExpression &address = expressions.of(*pointer, Depth::address);
    int64_t offset = address.constant;
    std::unique_ptr<AccessGroup> own = make(instruction, shapes, address, expressions.of(*pointer));
    AccessGroup *joined = nullptr;
    llvm::SmallVector<AccessGroup *> still_open;
    for (AccessGroup *group : open) {
      bool neighbor = own && group->stride != 0 && group->distances == own->distances &&
                      group->size == own->size && group->address.differs_by_constant(address) &&
                      (offset - group->lowest()) % group->size == 0;
      // All slots must be within one stride, so that the accesses of two lanes do not overlap.
      if (neighbor)
        for (auto &slot : group->slots)
          neighbor &= std::abs(slot.first - offset) <= std::abs(group->stride) - group->size;
      bool is_free = !group->slots.contains(offset) && !llvm::is_contained(group->blocked, offset);
      if (!joined && neighbor && is_free && group->is_load == is_load &&
          group->element == own->element) {
        group->slots.insert({offset, &instruction});
        joined = group;
      } else if (neighbor && !(group->is_load && is_load)) {
        if (!group->is_load && group->slots.contains(offset))
          continue; // reads or overwrites a value that the group stores later
        group->blocked.push_back(offset);
      } else if ((!is_load || !group->is_load) &&
                 may_overlap(pointer->getType()->getPointerAddressSpace(),
                             pointer_of(*group->first())->getType()->getPointerAddressSpace())) {
        continue;
      }
      still_open.push_back(group);
    }
    open = std::move(still_open);
    if (joined) {
      member_of_[&instruction] = joined;
    } else if (own) {
      open.push_back(own.get());
      member_of_[&instruction] = own.get();
      groups_.push_back(std::move(own));
    }
  }
}

} // namespace lockstep::compiler
