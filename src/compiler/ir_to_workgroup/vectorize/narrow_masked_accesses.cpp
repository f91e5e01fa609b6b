#include "compiler/ir_to_workgroup/vectorize/narrow_masked_accesses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace lockstep::compiler {

namespace {

struct Run {
  unsigned first, count;
};

std::optional<Run> active_lanes(const llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant)
    return std::nullopt;
  Run run{0, 0};
  unsigned width = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  for (unsigned lane = 0; lane != width; ++lane) {
    auto *bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!bit)
      return std::nullopt;
    if (bit->isZero())
      continue;
    if (run.count == 0)
      run.first = lane;
    if (run.first + run.count != lane)
      return std::nullopt; // a gap
    ++run.count;
  }
  if (!llvm::isPowerOf2_32(run.count))
    return std::nullopt;
  return run;
}

class Narrower {
public:
  Narrower(llvm::IntrinsicInst &access, Run run)
      : access_(access), run_(run), builder_(&access), layout_(access.getDataLayout()) {}

  void load();
  void store();

private:
  llvm::Value *address(llvm::Type *element, llvm::Value *first_lane) {
    return run_.first == 0 ? first_lane
                           : builder_.CreateConstInBoundsGEP1_64(element, first_lane, run_.first);
  }
  llvm::Align alignment(llvm::Type *element, unsigned argument) const {
    return llvm::commonAlignment(access_.getParamAlign(argument).valueOrOne(),
                                 run_.first * layout_.getTypeStoreSize(element).getFixedValue());
  }

  llvm::IntrinsicInst &access_;
  Run run_;
  llvm::IRBuilder<> builder_;
  const llvm::DataLayout &layout_;
};

void Narrower::store() {
  llvm::Value *value = access_.getArgOperand(0);
  llvm::Type *element = value->getType()->getScalarType();
  llvm::Value *place = address(element, access_.getArgOperand(1));
  llvm::Value *part =
      run_.count == 1
          ? builder_.CreateExtractElement(value, run_.first)
          : builder_.CreateShuffleVector(
                value, llvm::to_vector(llvm::seq<int>(run_.first, run_.first + run_.count)));
  builder_.CreateAlignedStore(part, place, alignment(element, 1))->copyMetadata(access_);
  access_.eraseFromParent();
}

void Narrower::load() {
  auto *type = llvm::cast<llvm::FixedVectorType>(access_.getType());
  llvm::Type *element = type->getElementType();
  llvm::Value *place = address(element, access_.getArgOperand(0));
  llvm::Value *otherwise = access_.getArgOperand(2);
  llvm::Value *all;
  llvm::Type *narrow = run_.count == 1 ? element : llvm::FixedVectorType::get(element, run_.count);
  auto *part = builder_.CreateAlignedLoad(narrow, place, alignment(element, 0));
  part->copyMetadata(access_);
  if (run_.count == 1) {
    all = builder_.CreateInsertElement(otherwise, part, run_.first);
  } else {
    llvm::SmallVector<int> wide(type->getNumElements(), llvm::PoisonMaskElem);
    llvm::SmallVector<int> blend;
    for (unsigned lane = 0; lane != type->getNumElements(); ++lane) {
      bool active = lane >= run_.first && lane < run_.first + run_.count;
      if (active)
        wide[lane] = lane - run_.first;
      blend.push_back(active ? lane : lane + type->getNumElements());
    }
    all = builder_.CreateShuffleVector(part, wide);
    if (!llvm::isa<llvm::UndefValue>(otherwise))
      all = builder_.CreateShuffleVector(all, otherwise, blend);
  }
  all->takeName(&access_);
  access_.replaceAllUsesWith(all);
  access_.eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses NarrowMaskedAccessesPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!access)
      continue;
    bool is_store = access->getIntrinsicID() == llvm::Intrinsic::masked_store;
    if (!is_store && access->getIntrinsicID() != llvm::Intrinsic::masked_load)
      continue;
    auto run = active_lanes(access->getArgOperand(is_store ? 2 : 1));
    llvm::Type *type = is_store ? access->getArgOperand(0)->getType() : access->getType();
    if (!run || !function.getDataLayout().typeSizeEqualsStoreSize(type->getScalarType()))
      continue;
    Narrower narrower(*access, *run);
    is_store ? narrower.store() : narrower.load();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
