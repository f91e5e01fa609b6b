// Packetizes loads and stores. The forms from cheap to expensive: one scalar for all lanes; one
// vector; a wide access with shuffles (neighboring slots of a stride, reversed, rows); a gather or
// scatter; one access per lane.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "compiler/lanes/packetize/transpose_vectors.h"
#include "compiler/prepare_code/expand_masked_accesses.h"
#include "compiler/prepare_code/outline_lane_code.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Masked accesses of a function that the processor lacks. Each of them adds four blocks.
constexpr unsigned most_expanded = limits::repeated_code / limits::lanes_in_line;

// The lanes of each element of a wide access. Several lanes may load the same element. Gaps have no
// lanes, unless each lane's stride is accessed as a whole.
using LanesOfElements = llvm::SmallVector<llvm::SmallVector<int, 1>>;

LanesOfElements lanes_of_elements(const AccessGroup &group, unsigned width, unsigned length) {
  LanesOfElements lanes(length);
  for (auto &slot : group.slots)
    for (unsigned lane = 0; lane != width; ++lane)
      lanes[group.index(slot.first, lane)].push_back(lane);
  if (group.whole_strides_from && group.is_load)
    for (unsigned element = 0; element != length; ++element)
      if (lanes[element].empty())
        lanes[element].push_back(element * group.size / group.stride);
  return lanes;
}

// The mask of a wide access: an element is accessed if one of its lanes is active; gaps are not.
llvm::Value *spread_mask(llvm::IRBuilderBase &builder, llvm::Value *mask,
                         const LanesOfElements &lanes, unsigned width) {
  if (!mask) {
    llvm::SmallVector<llvm::Constant *> wanted;
    for (const auto &of_element : lanes)
      wanted.push_back(builder.getInt1(!of_element.empty()));
    return llvm::ConstantVector::get(wanted);
  }
  size_t most = 0;
  for (const auto &of_element : lanes)
    most = std::max(most, of_element.size());
  llvm::Value *wide = nullptr;
  for (size_t layer = 0; layer != most; ++layer) {
    llvm::SmallVector<int> from;
    for (const auto &of_element : lanes) // `width` selects a false element of the second operand
      from.push_back(layer < of_element.size() ? of_element[layer] : static_cast<int>(width));
    llvm::Value *one = builder.CreateShuffleVector(
        mask, llvm::Constant::getNullValue(mask->getType()), from, "wide.mask");
    wide = wide ? builder.CreateOr(wide, one) : one;
  }
  return wide;
}

bool is_identity(const AccessGroup &group, unsigned width) {
  return group.slots.size() == 1 && group.stride == group.size;
}

// If the members cover each lane's stride completely, the strides are rows of a tile: returns the
// members in the order of their elements. Returns empty otherwise, and for two members and for 8-
// and 16-bit elements, which LLVM shuffles well.
llvm::SmallVector<llvm::Instruction *> columns_of_tile(const AccessGroup &group, unsigned width) {
  const size_t count = group.slots.size();
  if (count < 4 || !llvm::isPowerOf2_64(count) || group.size < 4 ||
      uint64_t(group.stride) != count * group.size)
    return {};
  llvm::SmallVector<llvm::Instruction *> columns(count, nullptr);
  for (auto &[offset, member] : group.slots) {
    const unsigned column = group.index(offset, 0);
    if (column >= count || columns[column])
      return {};
    for (unsigned lane = 0; lane != width; ++lane)
      if (group.index(offset, lane) != lane * count + column)
        return {};
    columns[column] = member;
  }
  return columns;
}

// Gaps at the end would make a vector of odd length, which is expensive; a mask pads it.
unsigned padded_length(const AccessGroup &group, unsigned width) {
  return llvm::alignTo(group.length(), width);
}

} // namespace

void Packetizer::copy_memory_facts(llvm::Instruction &to, const llvm::Instruction &from) {
  to.copyMetadata(from, {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope,
                         llvm::LLVMContext::MD_noalias, llvm::LLVMContext::MD_nontemporal,
                         llvm::LLVMContext::MD_invariant_load});
}

bool Packetizer::is_packable(llvm::Type *type) const {
  const llvm::DataLayout &layout = function_.getDataLayout();
  return llvm::VectorType::isValidElementType(type) &&
         layout.getTypeStoreSize(type) == layout.getTypeAllocSize(type) &&
         layout.typeSizeEqualsStoreSize(type);
}

void Packetizer::visit_load(llvm::LoadInst &load) {
  if (shape(load).is_uniform())
    return;
  if (!load.isSimple() || !is_packable(load.getType())) {
    remark(load, load.isSimple() ? "one lane after the other: load of an odd type"
                                 : "one lane after the other: volatile or atomic load");
    return lane_by_lane(load);
  }
  dead_.push_back(&load);
  if (values_.has_vector(&load)) // loaded with the first member of its group
    return;
  if (const AccessGroup *group = groups_.of(load))
    return load_group(*group, load);
  load_from_anywhere(load);
}

llvm::Value *Packetizer::masked_load(Builder &builder, llvm::Type *type, llvm::Value *address,
                                     llvm::Align alignment, llvm::Value *wanted) {
  if (!wanted)
    return builder.CreateAlignedLoad(type, address, alignment);
  return builder.CreateMaskedLoad(type, address, alignment, wanted);
}

// Loads exactly the elements from the lowest to the highest, by vectors of a power of two. The last
// one overlaps the one before.
void Packetizer::load_in_pieces(Builder &builder, const AccessGroup &group, llvm::Value *address,
                                llvm::Align alignment) {
  const unsigned length = group.length();
  const unsigned piece = std::min(llvm::bit_floor(length), values_.width());
  auto *type = llvm::FixedVectorType::get(group.element, piece);
  Vectors pieces;
  llvm::SmallVector<unsigned> starts;
  for (unsigned at = 0; at < length; at += piece) {
    starts.push_back(std::min(at, length - piece));
    const uint64_t bytes = starts.back() * group.size;
    auto *part = builder.CreateAlignedLoad(
        type, builder.CreateConstGEP1_64(builder.getInt8Ty(), address, bytes),
        llvm::commonAlignment(alignment, bytes), group.first()->getName());
    copy_memory_facts(*part, *group.first());
    pieces.push_back(part);
  }
  llvm::Value *all =
      pieces.size() == 1 ? pieces.front() : llvm::concatenateVectors(builder, pieces);
  for (auto &slot : group.slots) {
    llvm::SmallVector<int> elements;
    for (unsigned lane = 0; lane != values_.width(); ++lane) {
      const unsigned element = group.index(slot.first, lane), in = element / piece;
      elements.push_back(in * piece + element - starts[in]);
    }
    values_.set_vector(slot.second,
                       builder.CreateShuffleVector(all, elements, slot.second->getName()));
  }
}

// Counts masked accesses that expand-masked-accesses will handle: a function gets only some.
bool Packetizer::expands_masked_access(const llvm::FixedVectorType &type) {
  return can_expand_masked_access(type, function_.getDataLayout()) &&
         ++expanded_accesses_ <= most_expanded;
}

// Loads all members at once, or only `requested` if the target has no such masked load.
void Packetizer::load_group(const AccessGroup &group, llvm::LoadInst &requested) {
  auto &first = llvm::cast<llvm::LoadInst>(*group.first());
  Builder builder(&first);
  unsigned width = values_.width();
  unsigned length = group.length();
  LanesOfElements lanes = lanes_of_elements(group, width, length);
  if (length % width != 0) {
    length = padded_length(group, width);
    lanes.resize(length);
  }
  bool reads_beyond = length != group.length();
  auto *wide = llvm::FixedVectorType::get(group.element, length);
  llvm::Value *wanted =
      mask() || reads_beyond ? spread_mask(builder, mask(), lanes, width) : nullptr;
  int64_t distance = group.lowest() - group.slots.front().first;
  llvm::Align alignment = llvm::commonAlignment(first.getAlign(), distance);
  const bool is_lacking =
      wanted && !target_.isLegalMaskedLoad(wide, alignment, first.getPointerAddressSpace());
  // Without a mask, the first and the last element are accessed, so that no page between them is
  // missing.
  const bool in_pieces =
      is_lacking && !mask() && group.length() * group.size <= most_bytes_expanded;
  if (is_lacking && !in_pieces && !expands_masked_access(*wide)) {
    Builder at(&requested);
    values_.set_vector(&requested, gather(at, requested));
    return;
  }
  llvm::Value *address = values_.base(first.getPointerOperand());
  if (distance != 0)
    address = builder.CreatePtrAdd(address, builder.getInt64(distance));
  if (in_pieces)
    return load_in_pieces(builder, group, address, alignment);
  llvm::Value *loaded = masked_load(builder, wide, address, alignment, wanted);
  loaded->setName(first.getName());
  copy_memory_facts(*llvm::cast<llvm::Instruction>(loaded), first);
  if (auto columns = columns_of_tile(group, width); !columns.empty()) {
    Vectors vectors;
    for (unsigned row = 0; row != columns.size(); ++row)
      vectors.push_back(builder.CreateExtractVector(values_.vector_type(group.element), loaded,
                                                    uint64_t(row) * width));
    vectors = rows_to_columns(builder, std::move(vectors));
    for (auto [member, vector] : llvm::zip(columns, vectors))
      values_.set_vector(member, vector);
    return;
  }
  for (auto &slot : group.slots) {
    llvm::SmallVector<int> elements;
    for (unsigned lane = 0; lane != width; ++lane)
      elements.push_back(group.index(slot.first, lane));
    llvm::Value *member =
        is_identity(group, width)
            ? loaded
            : builder.CreateShuffleVector(loaded, elements, slot.second->getName());
    values_.set_vector(slot.second, member);
  }
}

// Counts another access that runs lane by lane. Returns true if there are so many that
// outline-lane-code should handle it.
bool Packetizer::is_beyond_line() {
  lanes_in_line_ += values_.width();
  return values_.width() >= fewest_outlined_lanes && lanes_in_line_ > most_lanes_in_line;
}

llvm::Value *Packetizer::gather(Builder &builder, llvm::LoadInst &load) {
  auto *type = llvm::cast<llvm::VectorType>(values_.vector_type(load.getType()));
  llvm::Value *pointers = pointers_for(builder, load.getPointerOperand());
  const bool is_legal = target_.isLegalMaskedGather(type, load.getAlign()) &&
                        !target_.forceScalarizeMaskedGather(type, load.getAlign());
  remark(load, is_legal ? "gather: every lane loads from its own address"
                        : "one lane after the other: load from an address of its own, for which "
                          "this processor has no gather");
  if (is_legal || is_beyond_line()) {
    llvm::CallInst *result = builder.CreateMaskedGather(type, pointers, load.getAlign(), mask(),
                                                        nullptr, load.getName());
    copy_memory_facts(*result, load);
    return result;
  }
  return load_lane_by_lane(builder, load, pointers);
}

// One load per lane. An inactive lane loads from the address of an active one. Where all lanes have
// the same base, their indices are selected and extracted instead of their addresses: they are often
// half as wide.
llvm::Value *Packetizer::load_lane_by_lane(Builder &builder, llvm::LoadInst &load,
                                           llvm::Value *pointers) {
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
  if (gep && (gep->getNumIndices() != 1 || gep->getPointerOperandType()->isVectorTy()))
    gep = nullptr;
  llvm::Value *varying = gep ? gep->getOperand(1) : pointers;
  auto *extended = gep ? llvm::dyn_cast<llvm::CastInst>(varying) : nullptr;
  if (extended && !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(extended))
    extended = nullptr;
  if (extended)
    varying = extended->getOperand(0);
  if (mask()) {
    llvm::Value *safe = builder.CreateExtractElement(varying, first_lane(builder, mask()));
    varying =
        builder.CreateSelect(mask(), varying, builder.CreateVectorSplat(values_.width(), safe));
  }
  llvm::Value *result = llvm::PoisonValue::get(values_.vector_type(load.getType()));
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    llvm::Value *address = builder.CreateExtractElement(varying, lane);
    if (extended)
      address =
          builder.CreateCast(extended->getOpcode(), address, extended->getType()->getScalarType());
    if (gep)
      address = builder.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), address,
                                  "", gep->getNoWrapFlags());
    auto *one = builder.CreateAlignedLoad(load.getType(), address, load.getAlign());
    copy_memory_facts(*one, load);
    result = builder.CreateInsertElement(result, one, lane);
  }
  return result;
}

void Packetizer::visit_store(llvm::StoreInst &store) {
  llvm::Type *type = store.getValueOperand()->getType();
  if (!store.isSimple() || !is_packable(type)) {
    remark(store, store.isSimple() ? "one lane after the other: store of an odd type"
                                   : "one lane after the other: volatile or atomic store");
    return lane_by_lane(store);
  }
  if (shape(*store.getPointerOperand()).is_uniform())
    return store_to_uniform(store);
  dead_.push_back(&store);
  if (const AccessGroup *group = groups_.of(store)) {
    if (group->last() == &store)
      store_group(*group);
    return;
  }
  store_to_anywhere(store);
}

// Either one lane is active, or all store the same value: anything else is a data race.
void Packetizer::store_to_uniform(llvm::StoreInst &store) {
  if (shape(*store.getValueOperand()).is_uniform())
    return;
  Builder builder(&store);
  llvm::Value *value = builder.CreateExtractElement(values_.vector(store.getValueOperand()),
                                                    first_lane(builder, mask()));
  store.setOperand(0, value);
}

void Packetizer::store_group(const AccessGroup &group) {
  auto &last = llvm::cast<llvm::StoreInst>(*group.last());
  Builder builder(&last);
  unsigned width = values_.width();
  unsigned length = padded_length(group, width);
  LanesOfElements lanes = lanes_of_elements(group, width, length);
  bool has_gaps = llvm::any_of(lanes, [](auto &of_element) { return of_element.empty(); });
  auto *wide = llvm::FixedVectorType::get(group.element, length);
  llvm::Value *wanted = mask() || has_gaps ? spread_mask(builder, mask(), lanes, width) : nullptr;
  auto &first = llvm::cast<llvm::StoreInst>(*group.first());
  int64_t distance = group.lowest() - group.slots.front().first;
  llvm::Align alignment = llvm::commonAlignment(first.getAlign(), distance);
  if (wanted && !target_.isLegalMaskedStore(wide, alignment, last.getPointerAddressSpace()) &&
      (has_gaps || !expands_masked_access(*wide))) {
    for (auto &slot : group.slots) {
      Builder at(&last);
      scatter(at, llvm::cast<llvm::StoreInst>(*slot.second));
    }
    return;
  }
  llvm::Value *value;
  if (is_identity(group, width)) {
    value = values_.vector(last.getValueOperand());
  } else if (auto columns = columns_of_tile(group, width); !columns.empty()) {
    Vectors vectors;
    for (llvm::Instruction *member : columns)
      vectors.push_back(values_.vector(llvm::cast<llvm::StoreInst>(member)->getValueOperand()));
    value = llvm::concatenateVectors(builder, columns_to_rows(builder, std::move(vectors)));
  } else {
    llvm::SmallVector<llvm::Value *> members;
    llvm::SmallVector<int> elements(length, -1);
    for (auto &slot : group.slots) {
      for (unsigned lane = 0; lane != width; ++lane)
        elements[group.index(slot.first, lane)] = members.size() * width + lane;
      members.push_back(
          values_.vector(llvm::cast<llvm::StoreInst>(slot.second)->getValueOperand()));
    }
    llvm::Value *all =
        members.size() == 1 ? members[0] : llvm::concatenateVectors(builder, members);
    value = builder.CreateShuffleVector(all, elements);
  }
  llvm::Value *address = values_.base(last.getPointerOperand());
  if (int64_t offset = group.lowest() - group.slots.back().first; offset != 0)
    address = builder.CreatePtrAdd(address, builder.getInt64(offset));
  llvm::Instruction *stored = wanted ? static_cast<llvm::Instruction *>(builder.CreateMaskedStore(
                                           value, address, alignment, wanted))
                                     : builder.CreateAlignedStore(value, address, alignment);
  copy_memory_facts(*stored, last);
}

void Packetizer::scatter(Builder &builder, llvm::StoreInst &store) {
  llvm::Value *value = values_.vector(store.getValueOperand());
  llvm::Value *pointers = pointers_for(builder, store.getPointerOperand());
  const bool is_legal = target_.isLegalMaskedScatter(value->getType(), store.getAlign());
  remark(store, is_legal ? "scatter: every lane stores to its own address"
                         : "one lane after the other: store to an address of its own, for which "
                           "this processor has no scatter");
  if (is_legal || is_beyond_line()) {
    copy_memory_facts(*builder.CreateMaskedScatter(value, pointers, store.getAlign(), mask()),
                      store);
    return;
  }
  if (stores_same_byte(store))
    return store_byte_to_line(builder, store, pointers);
  store_lane_by_lane(builder, store, pointers);
}

void Packetizer::store_lane_by_lane(Builder &builder, llvm::StoreInst &store,
                                    llvm::Value *pointers) {
  llvm::Value *value = values_.vector(store.getValueOperand());
  auto store_lane = [&](llvm::IRBuilderBase &at, llvm::Value *lane) {
    auto *one = at.CreateAlignedStore(at.CreateExtractElement(value, lane),
                                      at.CreateExtractElement(pointers, lane), store.getAlign());
    copy_memory_facts(*one, store);
    return llvm::SmallVector<llvm::Value *, 2>();
  };
  if (mask()) {
    emit_lane_loop(*builder.GetInsertPoint(), mask(), values_.width(), {}, store_lane);
    return;
  }
  for (unsigned lane = 0; lane != values_.width(); ++lane)
    store_lane(builder, builder.getInt64(lane));
}

} // namespace lockstep::compiler
