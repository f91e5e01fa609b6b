// Narrows masked accesses whose active lanes are known.
//
// Requires: the work-group function after the final optimization, which folds masks to constants.
// Ensures: no masked load or store has a constant mask whose active lanes are a run of 1, 2, 4, ...
// lanes; it is a plain access of these lanes. No gather or scatter has a constant mask with a few
// active lanes; it is one access per lane.
//
// That is faster: the last steps of a tree reduction have 8, 4, 2 and 1 active lanes. A load gets
// the value of a narrow store from the store buffer, while many CPUs stall it after a masked store.
//
// It is also a workaround. For a masked store of a truncated value with one active lane, LLVM 22's
// x86 code generator stores the element as wide as before the truncation, over the bytes behind it.
#include "compiler/prepare_code/passes.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

#include "llvm/Transforms/Utils/Local.h"
#include <optional>

namespace lockstep::compiler {

namespace {

// A gather or scatter costs about as much as accesses of single elements, without the assembly of
// the vectors. With few active lanes it costs more.
// Storing an element needs no assembly, so twice as many elements pay.
constexpr unsigned most_loaded = limits::chains_at_once / 2, most_stored = limits::chains_at_once;

std::optional<llvm::SmallVector<unsigned>> active_lanes(const llvm::Value *mask) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(mask);
  if (!constant)
    return std::nullopt;
  llvm::SmallVector<unsigned> lanes;
  unsigned width = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  for (unsigned lane = 0; lane != width; ++lane) {
    auto *bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!bit)
      return std::nullopt;
    if (bit->isOne())
      lanes.push_back(lane);
  }
  return lanes;
}

struct Run {
  unsigned first, count;
};

std::optional<Run> as_run(llvm::ArrayRef<unsigned> lanes) {
  if (!llvm::isPowerOf2_32(lanes.size()) || lanes.back() - lanes.front() + 1 != lanes.size())
    return std::nullopt;
  return Run{lanes.front(), unsigned(lanes.size())};
}

class Narrower {
public:
  Narrower(llvm::IntrinsicInst &access, Run run)
      : access_(access), run_(run), builder_(&access), layout_(access.getDataLayout()) {}

  void load();
  void store();

private:
  llvm::Value *part_of(llvm::Value *value, unsigned depth, bool in_any_case = false);
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
  llvm::Value *part = run_.count == 1 ? builder_.CreateExtractElement(value, run_.first)
                                      : part_of(value, limits::search_steps);
  builder_.CreateAlignedStore(part, place, alignment(element, 1))->copyMetadata(access_);
  access_.eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
}

// Returns the run's lanes of a value. They are computed separately if the value has no other user.
// Products are always computed: LLVM 22 cannot select an instruction for a part of a product of
// widened integers that were the bits of floats.
llvm::Value *Narrower::part_of(llvm::Value *value, unsigned depth, bool in_any_case) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  bool is_product = instruction && instruction->getOpcode() == llvm::Instruction::Mul;
  in_any_case |= is_product;
  if (instruction && (in_any_case || (depth != 0 && instruction->hasOneUse()))) {
    auto operand = [&](unsigned index) {
      return part_of(instruction->getOperand(index), depth == 0 ? 0 : depth - 1, is_product);
    };
    llvm::Value *part = nullptr;
    if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(instruction))
      part = builder_.CreateBinOp(binary->getOpcode(), operand(0), operand(1));
    else if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction))
      part = builder_.CreateCast(
          llvm::cast<llvm::CastInst>(instruction)->getOpcode(), operand(0),
          llvm::FixedVectorType::get(instruction->getType()->getScalarType(), run_.count));
    if (auto *made = llvm::dyn_cast_or_null<llvm::Instruction>(part))
      made->copyIRFlags(instruction);
    if (part)
      return part;
  }
  return builder_.CreateShuffleVector(
      value, llvm::to_vector(llvm::seq<int>(run_.first, run_.first + run_.count)));
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

// Whether every lane of the address is a scalar with a constant distance.
bool is_made_of_scalars(const llvm::GetElementPtrInst &gep) {
  return llvm::all_of(gep.operands(), [](const llvm::Use &use) {
    if (!use->getType()->isVectorTy() || llvm::isa<llvm::Constant>(use) || llvm::getSplatValue(use))
      return true;
    auto *inner = llvm::dyn_cast<llvm::GetElementPtrInst>(use);
    return inner && is_made_of_scalars(*inner);
  });
}

// Extracts one lane from a vector of addresses, as a scalar address if the vector was built from
// one. InstCombine does not scalarize a vector that has other users.
llvm::Value *lane_of(llvm::IRBuilderBase &builder, llvm::Value *vector, unsigned lane) {
  if (!vector->getType()->isVectorTy())
    return vector;
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(vector))
    if (llvm::Constant *element = constant->getAggregateElement(lane))
      return element;
  if (llvm::Value *same = llvm::getSplatValue(vector))
    return same;
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(vector);
  if (!gep || !is_made_of_scalars(*gep))
    return builder.CreateExtractElement(vector, lane);
  llvm::SmallVector<llvm::Value *, 4> indices;
  for (llvm::Value *index : gep->indices())
    indices.push_back(lane_of(builder, index, lane));
  return builder.CreateGEP(gep->getSourceElementType(),
                           lane_of(builder, gep->getPointerOperand(), lane), indices, "",
                           gep->getNoWrapFlags());
}

void expand_gather(llvm::IntrinsicInst &gather, llvm::ArrayRef<unsigned> lanes) {
  llvm::IRBuilder<> builder(&gather);
  llvm::Value *result = gather.getArgOperand(2);
  for (unsigned lane : lanes) {
    llvm::Value *place = lane_of(builder, gather.getArgOperand(0), lane);
    auto *element = builder.CreateAlignedLoad(gather.getType()->getScalarType(), place,
                                              gather.getParamAlign(0).valueOrOne());
    element->copyMetadata(gather);
    result = builder.CreateInsertElement(result, element, lane);
  }
  gather.replaceAllUsesWith(result);
  gather.eraseFromParent();
}

void expand_scatter(llvm::IntrinsicInst &scatter, llvm::ArrayRef<unsigned> lanes) {
  llvm::IRBuilder<> builder(&scatter);
  for (unsigned lane : lanes) { // in this order, as a scatter does
    llvm::Value *place = lane_of(builder, scatter.getArgOperand(1), lane);
    llvm::Value *element = builder.CreateExtractElement(scatter.getArgOperand(0), lane);
    builder.CreateAlignedStore(element, place, scatter.getParamAlign(1).valueOrOne())
        ->copyMetadata(scatter);
  }
  scatter.eraseFromParent();
}

// Which argument is the mask, and whether the access stores (its value is then argument 0).
struct Form {
  unsigned mask;
  bool stores;
};

std::optional<Form> form_of(const llvm::IntrinsicInst &access) {
  switch (access.getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather:
    return Form{1, false};
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    return Form{2, true};
  default:
    return std::nullopt;
  }
}

void narrow(llvm::IntrinsicInst &access, Form form) {
  auto lanes = active_lanes(access.getArgOperand(form.mask));
  llvm::Type *type = form.stores ? access.getArgOperand(0)->getType() : access.getType();
  if (!lanes || lanes->empty() ||
      !access.getDataLayout().typeSizeEqualsStoreSize(type->getScalarType()))
    return;
  switch (access.getIntrinsicID()) {
  case llvm::Intrinsic::masked_gather:
    if (lanes->size() <= most_loaded)
      expand_gather(access, *lanes);
    return;
  case llvm::Intrinsic::masked_scatter:
    if (lanes->size() <= most_stored)
      expand_scatter(access, *lanes);
    return;
  default:
    break;
  }
  auto run = as_run(*lanes);
  if (!run)
    return;
  Narrower narrower(access, *run);
  form.stores ? narrower.store() : narrower.load();
}

} // namespace

llvm::PreservedAnalyses NarrowMaskedAccessesPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      if (auto form = form_of(*access))
        narrow(*access, *form);
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
