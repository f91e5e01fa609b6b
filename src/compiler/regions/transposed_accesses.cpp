#include "compiler/regions/transposed_accesses.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/lanes/packetize/transpose_vectors.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

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

void store_rows(const Copies &copies) {
  llvm::IRBuilder<> builder(copies.back());
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

void load_rows(const Copies &copies) {
  llvm::IRBuilder<> builder(copies[0]);
  const unsigned count = unsigned(copies.size());
  llvm::FixedVectorType *type = type_of(*copies[0]);
  const unsigned lanes = type->getNumElements();
  auto *row_type = llvm::FixedVectorType::get(type->getElementType(), count);
  const llvm::Align alignment = copies[0]->getParamAlign(0).valueOrOne();
  Vectors vectors;
  for (unsigned first = 0; first != lanes; first += lanes / count) {
    Vectors rows;
    for (unsigned lane = first; lane != first + lanes / count; ++lane)
      rows.push_back(builder.CreateAlignedLoad(
          row_type, builder.CreateExtractElement(pointers_of(*copies[0]), lane), alignment));
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
    if (is_scatter(*copies[0]))
      store_rows(copies);
    else
      load_rows(copies);
    ++transposed;
  }
  return transposed;
}

} // namespace lockstep::compiler
