#include "compiler/lanes/packetize/access_groups.h"

#include "abi/address_spaces.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

// The most elements of a wide access per lane; beyond that, a gather is cheaper. Local memory is in
// the L1 cache.
constexpr int64_t longest = 8, longest_in_local_memory = 16;
constexpr unsigned deepest = 8; // recursion limit for the decomposition of an index

llvm::Value *pointer_of(llvm::Instruction &access) {
  return llvm::getLoadStorePointerOperand(&access);
}

} // namespace

DecomposedAddress::DecomposedAddress(llvm::Value *pointer, const llvm::DataLayout &layout) {
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> scales;
  llvm::APInt offset(64, 0);
  while (auto *gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    if (!gep->collectOffset(layout, 64, scales, offset))
      break;
    pointer = gep->getPointerOperand();
  }
  base = pointer;
  constant = offset.getSExtValue();
  for (auto &[index, scale] : scales) {
    unsigned bits = index->getType()->getScalarSizeInBits();
    add(index, bits < 64 ? Widening::sign : Widening::none, scale.getZExtValue(), 0);
  }
  llvm::sort(indices);
}

// Adds a term of an index. Arithmetic is modulo 2^64, as for addresses.
void DecomposedAddress::add(llvm::Value *value, Widening widening, uint64_t scale, unsigned depth) {
  using namespace llvm::PatternMatch;
  llvm::Value *one, *other;
  const llvm::APInt *number;
  if (match(value, m_APInt(number)) && number->getBitWidth() <= 64) {
    bool negative = widening == Widening::sign;
    constant += scale * (negative ? uint64_t(number->getSExtValue()) : number->getZExtValue());
    return;
  }
  // Does extending the operands before the operation give the same result?
  auto *operation = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
  bool exact = widening == Widening::none ||
               (operation && (widening == Widening::zero ? operation->hasNoUnsignedWrap()
                                                         : operation->hasNoSignedWrap()));
  bool disjoint = match(value, m_DisjointOr(m_Value(one), m_Value(other)));
  if (disjoint && widening == Widening::sign) // the sign bit would count twice
    disjoint = match(other, m_NonNegative());
  if (depth < deepest) {
    if (disjoint || (exact && match(value, m_Add(m_Value(one), m_Value(other))))) {
      add(one, widening, scale, depth + 1);
      return add(other, widening, scale, depth + 1);
    }
    if (exact && match(value, m_Shl(m_Value(one), m_APInt(number))) && number->ult(64))
      return add(one, widening, scale << number->getZExtValue(), depth + 1);
    if (exact && match(value, m_Mul(m_Value(one), m_APInt(number))) && number->isNonNegative() &&
        number->getBitWidth() <= 64)
      return add(one, widening, scale * number->getZExtValue(), depth + 1);
    bool is_wide = widening == Widening::none && value->getType()->isIntegerTy(64);
    if (is_wide && match(value, m_ZExt(m_Value(one))))
      return add(one, Widening::zero, scale, depth + 1);
    if (is_wide && match(value, m_SExt(m_Value(one))))
      return add(one, Widening::sign, scale, depth + 1);
  }
  for (Index &index : indices)
    if (index.value == value && index.widening == widening) {
      index.scale = int64_t(uint64_t(index.scale) + scale);
      return;
    }
  indices.push_back({value, widening, int64_t(scale)});
}

void AccessGroup::find_whole_strides() {
  llvm::Value *pointer = pointer_of(*first());
  if (pointer->getType()->getPointerAddressSpace() != local_space || stride <= size ||
      !llvm::isa<llvm::Argument, llvm::GlobalVariable>(address.base))
    return;
  llvm::SimplifyQuery query(first()->getDataLayout());
  for (const DecomposedAddress::Index &index : address.indices)
    if (index.scale < 0 || (index.widening != DecomposedAddress::Widening::zero &&
                            !llvm::isKnownNonNegative(index.value, query)))
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

AccessGroups::AccessGroups(llvm::Function &function, const LaneShapes &shapes) {
  for (llvm::BasicBlock &block : function)
    scan(block, shapes);
  for (auto &group : groups_)
    group->find_whole_strides();
}

std::unique_ptr<AccessGroup> AccessGroups::make(llvm::Instruction &access,
                                                const LaneShapes &shapes) const {
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
  AccessGroup group{
      load != nullptr, element, size, DecomposedAddress(pointer, layout), {}, 0, {}, {}, {}};
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

void AccessGroups::scan(llvm::BasicBlock &block, const LaneShapes &shapes) {
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
    DecomposedAddress address(pointer, instruction.getDataLayout());
    int64_t offset = address.constant;
    std::unique_ptr<AccessGroup> own = make(instruction, shapes);
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
