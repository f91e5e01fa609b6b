#include "compiler/prepare_code/expand_masked_accesses.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

constexpr uint32_t usual_weight = 64;  // of vectors within a page; of the others, 1
constexpr unsigned most_elements = 64; // the bits of a mask fit into a register

uint64_t bytes_of(const llvm::FixedVectorType &type, const llvm::DataLayout &layout) {
  return layout.getTypeStoreSize(type.getElementType()).getFixedValue() * type.getNumElements();
}

class Expander {
public:
  explicit Expander(llvm::Function &function)
      : function_(function), layout_(function.getDataLayout()) {}

  void expand_load(llvm::IntrinsicInst &load);
  void expand_store(llvm::IntrinsicInst &store);

private:
  using LaneBody = llvm::function_ref<void(llvm::IRBuilder<> &builder, llvm::Value *lane)>;
  void for_active(llvm::Instruction &place, llvm::Value *bits, LaneBody body);
  llvm::Value *opaque(llvm::IRBuilderBase &builder, llvm::Value *address) const;
  llvm::Value *load_active(llvm::Instruction &place, llvm::IntrinsicInst &load, llvm::Value *bits);
  llvm::AllocaInst *buffer(uint64_t bytes);

  llvm::Function &function_;
  const llvm::DataLayout &layout_;
  llvm::AllocaInst *buffer_ = nullptr; // of all loads
  uint64_t buffer_bytes_ = 0;
};

// Hides which variable an address belongs to. LLVM takes it for granted that an access that is longer
// than a variable does not touch it.
llvm::Value *Expander::opaque(llvm::IRBuilderBase &builder, llvm::Value *address) const {
  const llvm::Value *object = llvm::getUnderlyingObject(address, 0);
  if (!llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object))
    return address;
  auto *type = llvm::FunctionType::get(address->getType(), {address->getType()}, false);
  return builder.CreateCall(type, llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false),
                            {address}, "whole");
}

llvm::AllocaInst *Expander::buffer(uint64_t bytes) {
  if (!buffer_ || buffer_bytes_ < bytes) {
    llvm::BasicBlock &entry = function_.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    buffer_ =
        builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), bytes), nullptr, "elements");
    buffer_->setAlignment(llvm::Align(64));
    buffer_bytes_ = bytes;
  }
  return buffer_;
}

llvm::Value *active_bits(llvm::IRBuilder<> &builder, llvm::Value *mask) {
  const unsigned length = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  return builder.CreateZExt(builder.CreateBitCast(mask, builder.getIntNTy(length)),
                            builder.getInt64Ty(), "active.bits");
}

// Emits a loop over the active lanes before `place`, whose block is split there.
void Expander::for_active(llvm::Instruction &place, llvm::Value *bits, LaneBody body) {
  llvm::BasicBlock *before = place.getParent();
  llvm::BasicBlock *after = llvm::SplitBlock(before, &place);
  auto *test = llvm::BasicBlock::Create(place.getContext(), "element.left", &function_, after);
  auto *loop = llvm::BasicBlock::Create(place.getContext(), "element", &function_, after);
  before->getTerminator()->setSuccessor(0, test);
  llvm::IRBuilder<> builder(test);
  builder.SetCurrentDebugLocation(place.getDebugLoc());
  llvm::PHINode *left = builder.CreatePHI(bits->getType(), 2, "left");
  left->addIncoming(bits, before);
  builder.CreateCondBr(builder.CreateICmpNE(left, builder.getInt64(0)), loop, after);
  builder.SetInsertPoint(loop);
  body(builder, builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, builder.getTrue()));
  left->addIncoming(builder.CreateAnd(left, builder.CreateSub(left, builder.getInt64(1))), loop);
  builder.CreateBr(test);
}

// Copies the active elements, from memory to the buffer or from there to memory.
void copy_element(llvm::IRBuilder<> &builder, llvm::IntrinsicInst &access, llvm::Type *element,
                  llvm::Value *address, llvm::Value *buffer, llvm::Value *lane) {
  const bool is_load = access.getIntrinsicID() == llvm::Intrinsic::masked_load;
  const llvm::DataLayout &layout = access.getDataLayout();
  const llvm::Align alignment = llvm::commonAlignment(
      access.getParamAlign(is_load ? 0 : 1).valueOrOne(), layout.getTypeStoreSize(element));
  const llvm::Align in_buffer = layout.getABITypeAlign(element);
  llvm::Value *there = builder.CreateGEP(element, address, lane);
  llvm::Value *here = builder.CreateGEP(element, buffer, lane);
  auto *from =
      builder.CreateAlignedLoad(element, is_load ? there : here, is_load ? alignment : in_buffer);
  auto *to =
      builder.CreateAlignedStore(from, is_load ? here : there, is_load ? in_buffer : alignment);
  (is_load ? static_cast<llvm::Instruction *>(from) : to)->copyMetadata(access);
}

void Expander::expand_load(llvm::IntrinsicInst &load) {
  auto *type = llvm::cast<llvm::FixedVectorType>(load.getType());
  llvm::Value *address = load.getArgOperand(0), *mask = load.getArgOperand(1),
              *otherwise = load.getArgOperand(2);
  llvm::AllocaInst *elements = buffer(bytes_of(*type, layout_));
  llvm::IRBuilder<> builder(&load);
  llvm::Value *bits = active_bits(builder, mask);
  llvm::Value *known = builder.CreateFreeze(address); // may be poison if no element is active
  llvm::Value *in_page = builder.CreateAnd(builder.CreatePtrToInt(known, builder.getInt64Ty()),
                                           smallest_page - 1, "in.page");
  llvm::Value *is_safe = builder.CreateAnd(
      builder.CreateICmpULE(in_page, builder.getInt64(smallest_page - bytes_of(*type, layout_))),
      builder.CreateICmpNE(bits, builder.getInt64(0)), "is.safe");
  llvm::Instruction *all = nullptr, *some = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(
      is_safe, load.getIterator(), &all, &some,
      llvm::MDBuilder(load.getContext()).createBranchWeights(usual_weight, 1));
  all->getParent()->setName("whole.vector");
  builder.SetInsertPoint(all);
  auto *whole =
      builder.CreateAlignedLoad(type, opaque(builder, address), load.getParamAlign(0).valueOrOne());
  whole->copyMetadata(load);
  for_active(*some, bits, [&](llvm::IRBuilder<> &at, llvm::Value *lane) {
    copy_element(at, load, type->getElementType(), address, elements, lane);
  });
  builder.SetInsertPoint(some);
  auto *part = builder.CreateAlignedLoad(type, elements, elements->getAlign(), "of.elements");
  builder.SetInsertPoint(&load);
  llvm::PHINode *loaded = builder.CreatePHI(type, 2);
  loaded->addIncoming(whole, all->getParent());
  loaded->addIncoming(part, some->getParent());
  llvm::Value *result = loaded;
  if (!llvm::isa<llvm::UndefValue>(otherwise))
    result = builder.CreateSelect(mask, loaded, otherwise);
  result->takeName(&load);
  load.replaceAllUsesWith(result);
  load.eraseFromParent();
}

void Expander::expand_store(llvm::IntrinsicInst &store) {
  llvm::Value *value = store.getArgOperand(0), *address = store.getArgOperand(1);
  auto *type = llvm::cast<llvm::FixedVectorType>(value->getType());
  llvm::AllocaInst *elements = buffer(bytes_of(*type, layout_));
  llvm::IRBuilder<> builder(&store);
  llvm::Value *bits = active_bits(builder, store.getArgOperand(2));
  llvm::Value *every = builder.getInt64(~uint64_t{0} >> (64 - type->getNumElements()));
  llvm::Instruction *all = nullptr, *some = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(builder.CreateICmpEQ(bits, every), store.getIterator(), &all,
                                      &some);
  all->getParent()->setName("whole.vector");
  builder.SetInsertPoint(all);
  builder.CreateAlignedStore(value, address, store.getParamAlign(1).valueOrOne())
      ->copyMetadata(store);
  builder.SetInsertPoint(some);
  builder.CreateAlignedStore(value, elements, elements->getAlign());
  for_active(*some, bits, [&](llvm::IRBuilder<> &at, llvm::Value *lane) {
    copy_element(at, store, type->getElementType(), address, elements, lane);
  });
  store.eraseFromParent();
}

bool is_expanded(const llvm::IntrinsicInst &access, const llvm::TargetTransformInfo &costs) {
  const bool is_load = access.getIntrinsicID() == llvm::Intrinsic::masked_load;
  if (!is_load && access.getIntrinsicID() != llvm::Intrinsic::masked_store)
    return false;
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(is_load ? access.getType()
                                                             : access.getArgOperand(0)->getType());
  const unsigned address = is_load ? 0 : 1;
  const llvm::Align alignment = access.getParamAlign(address).valueOrOne();
  const unsigned space = access.getArgOperand(address)->getType()->getPointerAddressSpace();
  return type && can_expand_masked_access(*type, access.getDataLayout()) &&
         !(is_load ? costs.isLegalMaskedLoad(type, alignment, space)
                   : costs.isLegalMaskedStore(type, alignment, space));
}

} // namespace

bool can_expand_masked_access(const llvm::FixedVectorType &type, const llvm::DataLayout &layout) {
  return type.getNumElements() <= most_elements && bytes_of(type, layout) <= most_bytes_expanded &&
         layout.typeSizeEqualsStoreSize(type.getElementType());
}

llvm::PreservedAnalyses ExpandMaskedAccessesPass::run(llvm::Function &function,
                                                      llvm::FunctionAnalysisManager &analyses) {
  const auto &costs = analyses.getResult<llvm::TargetIRAnalysis>(function);
  llvm::SmallVector<llvm::IntrinsicInst *> accesses;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        access && is_expanded(*access, costs))
      accesses.push_back(access);
  if (accesses.empty())
    return llvm::PreservedAnalyses::all();
  Expander expander(function);
  for (llvm::IntrinsicInst *access : accesses)
    if (access->getIntrinsicID() == llvm::Intrinsic::masked_load)
      expander.expand_load(*access);
    else
      expander.expand_store(*access);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
