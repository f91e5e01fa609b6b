#include "compiler/ir_to_workgroup/vectorize/narrow_masked_stores.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace lockstep::compiler {

namespace {

std::optional<unsigned> only_active_lane(const llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant)
    return std::nullopt;
  std::optional<unsigned> found;
  unsigned width = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  for (unsigned lane = 0; lane != width; ++lane) {
    auto *bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!bit || (bit->isOne() && found))
      return std::nullopt;
    if (bit->isOne())
      found = lane;
  }
  return found;
}

} // namespace

llvm::PreservedAnalyses NarrowMaskedStoresPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
      continue;
    llvm::Value *value = store->getArgOperand(0),
                *mask = store->getArgOperand(store->arg_size() - 1);
    auto lane = only_active_lane(mask);
    if (!lane)
      continue;
    llvm::IRBuilder<> builder(store);
    llvm::Type *element = value->getType()->getScalarType();
    llvm::Value *address =
        builder.CreateConstInBoundsGEP1_64(element, store->getArgOperand(1), *lane);
    uint64_t size = function.getDataLayout().getTypeStoreSize(element);
    llvm::Align alignment =
        llvm::commonAlignment(store->getParamAlign(1).valueOrOne(), *lane * size);
    auto *narrow =
        builder.CreateAlignedStore(builder.CreateExtractElement(value, *lane), address, alignment);
    narrow->copyMetadata(*store);
    store->eraseFromParent();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
