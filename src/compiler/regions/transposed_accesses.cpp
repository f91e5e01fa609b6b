#include "compiler/regions/transposed_accesses.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/lanes/packetize/transpose_vectors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <bit>

namespace lockstep::compiler {

namespace {

// On all copies of an access, with a node that is distinct for each access.
constexpr char tile_metadata[] = "lockstep.tile";

bool is_scatter(const llvm::IntrinsicInst &access) {
  return access.getIntrinsicID() == llvm::Intrinsic::masked_scatter;
}

bool is_gather(const llvm::IntrinsicInst &access) {
  return access.getIntrinsicID() == llvm::Intrinsic::masked_gather;
}

llvm::Value *pointers_of(const llvm::IntrinsicInst &access) {
  return access.getArgOperand(is_scatter(access) ? 1 : 0);
}

const llvm::Value *mask_of(const llvm::IntrinsicInst &access) {
  return access.getArgOperand(is_scatter(access) ? 2 : 1);
}

llvm::FixedVectorType *type_of(const llvm::IntrinsicInst &access) {
  return llvm::cast<llvm::FixedVectorType>(is_scatter(access) ? access.getArgOperand(0)->getType()
                                                              : access.getType());
}

using Copies = llvm::SmallVector<llvm::IntrinsicInst *>;

// At the last of the accesses, in the order of rows: all have their values there.
void store_rows(llvm::ArrayRef<llvm::IntrinsicInst *> copies) {
  llvm::IntrinsicInst *last = copies[0];
  for (llvm::IntrinsicInst *copy : copies)
    if (last->comesBefore(copy))
      last = copy;
  llvm::IRBuilder<> builder(last);
  const unsigned count = unsigned(copies.size());
  const unsigned lanes = type_of(*copies[0])->getNumElements();
  Vectors vectors;
  for (const llvm::IntrinsicInst *copy : copies)
    vectors.push_back(copy->getArgOperand(0));
  vectors = columns_to_rows(builder, std::move(vectors));
  const llvm::Align alignment = copies[0]->getParamAlign(1).valueOrOne();
  for (unsigned lane = 0; lane != lanes; ++lane) {
    llvm::Value *row = vectors[lane * count / lanes];
    if (count != lanes) {
      llvm::SmallVector<int> elements;
      for (unsigned k = 0; k != count; ++k)
        elements.push_back(int(lane * count % lanes + k));
      row = builder.CreateShuffleVector(row, elements);
    }
    builder.CreateAlignedStore(row, builder.CreateExtractElement(pointers_of(*copies[0]), lane),
                               alignment);
  }
  for (llvm::IntrinsicInst *copy : copies)
    copy->eraseFromParent();
}

// At the first of the accesses.
void load_rows(llvm::ArrayRef<llvm::IntrinsicInst *> copies) {
  size_t first_of_code = 0;
  for (size_t index = 1; index != copies.size(); ++index)
    if (copies[index]->comesBefore(copies[first_of_code]))
      first_of_code = index;
  llvm::IRBuilder<> builder(copies[first_of_code]);
  const unsigned count = unsigned(copies.size());
  llvm::FixedVectorType *type = type_of(*copies[0]);
  llvm::Value *pointers = pointers_of(*copies[first_of_code]);
  if (first_of_code != 0) {
    const llvm::DataLayout &layout = copies[0]->getDataLayout();
    const auto size = int64_t(layout.getTypeStoreSize(type->getElementType()).getFixedValue());
    pointers = builder.CreateGEP(
        builder.getInt8Ty(), pointers,
        llvm::ConstantInt::getSigned(builder.getInt64Ty(), -size * int64_t(first_of_code)));
  }
  const unsigned lanes = type->getNumElements();
  auto *row_type = llvm::FixedVectorType::get(type->getElementType(), count);
  const llvm::Align alignment = copies[0]->getParamAlign(0).valueOrOne();
  Vectors vectors;
  for (unsigned first = 0; first != lanes; first += lanes / count) {
    Vectors rows;
    for (unsigned lane = first; lane != first + lanes / count; ++lane)
      rows.push_back(builder.CreateAlignedLoad(
          row_type, builder.CreateExtractElement(pointers, lane), alignment));
    vectors.push_back(rows.size() == 1 ? rows[0] : llvm::concatenateVectors(builder, rows));
  }
  vectors = rows_to_columns(builder, std::move(vectors));
  for (auto [copy, vector] : llvm::zip(copies, vectors)) {
    vector->takeName(copy);
    copy->replaceAllUsesWith(vector);
    copy->eraseFromParent();
  }
}

} // namespace

llvm::Value *address_of_rows(const llvm::IntrinsicInst &access) {
  return pointers_of(access);
}

llvm::FixedVectorType *type_of_columns(const llvm::IntrinsicInst &access) {
  return type_of(access);
}

unsigned size_of_element(const llvm::IntrinsicInst &access) {
  return unsigned(
      access.getDataLayout().getTypeStoreSize(type_of(access)->getElementType()).getFixedValue());
}

bool is_column(const llvm::IntrinsicInst &access) {
  if (!is_gather(access) && !is_scatter(access))
    return false;
  auto *mask = llvm::dyn_cast<llvm::Constant>(mask_of(access));
  llvm::Type *element = type_of(access)->getElementType();
  const unsigned size = size_of_element(access);
  return mask && mask->isAllOnesValue() &&
         (element->isIntegerTy() || element->isFloatingPointTy()) &&
         std::has_single_bit(type_of(access)->getNumElements()) && std::has_single_bit(size) &&
         access.getDataLayout().getTypeSizeInBits(element) == size * 8;
}

void transpose_columns(llvm::ArrayRef<llvm::IntrinsicInst *> accesses) {
  if (is_scatter(*accesses[0]))
    store_rows(accesses);
  else
    load_rows(accesses);
}

bool makes_tile(const llvm::IntrinsicInst &access, CopyDistances &distances) {
  if (!is_gather(access) && !is_scatter(access))
    return false;
  const auto *mask = llvm::dyn_cast<llvm::Constant>(mask_of(access));
  llvm::Type *element = type_of(access)->getElementType();
  if (!mask || !mask->isAllOnesValue() || !(element->isIntegerTy() || element->isFloatingPointTy()))
    return false;
  const llvm::DataLayout &layout = access.getDataLayout();
  const auto distance = distances.of(*pointers_of(access));
  return distance && uint64_t(*distance) == layout.getTypeStoreSize(element).getFixedValue() &&
         layout.getTypeStoreSizeInBits(element) == layout.getTypeSizeInBits(element);
}

void mark_tiles(llvm::ArrayRef<llvm::IntrinsicInst *> accesses) {
  for (llvm::IntrinsicInst *access : accesses)
    access->setMetadata(tile_metadata, llvm::MDNode::getDistinct(access->getContext(), {}));
}

void forget_tiles(llvm::BasicBlock &block) {
  for (llvm::Instruction &instruction : block)
    instruction.setMetadata(tile_metadata, nullptr);
}

unsigned transpose_tiles(llvm::Function &function, unsigned count) {
  llvm::MapVector<const llvm::MDNode *, Copies> tiles;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (const llvm::MDNode *node = instruction.getMetadata(tile_metadata))
      tiles[node].push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  unsigned transposed = 0;
  for (auto &[node, copies] : tiles) {
    for (llvm::IntrinsicInst *copy : copies)
      copy->setMetadata(tile_metadata, nullptr);
    if (copies.size() != count || llvm::any_of(copies, [&](const llvm::IntrinsicInst *copy) {
          return copy->getParent() != copies[0]->getParent();
        }))
      continue;
    transpose_columns(copies);
    ++transposed;
  }
  return transposed;
}

} // namespace lockstep::compiler
