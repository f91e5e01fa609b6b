// Accesses whose addresses are only known when the kernel runs, lie close together and ascend: a
// butterfly with a small distance, a stride of 2 that is an argument.
//
// If all lanes' elements lie among 2 * W that follow the first one's, two vectors hold them, and a
// permutation of each does what a gather does for a third of its price. A scatter is turned around:
// for each of the 2 * W places, which lane stores there? Since the places ascend from lane to lane,
// that is the number of lanes before it, which is a count of bits.
//
// The first and the last lane's elements are in the same buffer, and so is what lies between them;
// nothing else is read, and nothing written but what active lanes store.
#include "compiler/ir_to_workgroup/lane_loop.h"
#include "compiler/ir_to_workgroup/sub_groups/expand_permutations.h"
#include "compiler/ir_to_workgroup/vectorize/packetizer.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned most_lanes = 16; // the places of a window are bits of 32

// Do the lanes' places ascend within a window?
llvm::Value *fits(llvm::IRBuilderBase &builder, llvm::Value *places, llvm::Value *is_exact,
                  unsigned width) {
  llvm::SmallVector<int> next;
  for (unsigned lane = 1; lane <= width; ++lane)
    next.push_back(static_cast<int>(lane)); // the last one's is the end of the window
  llvm::Value *end = llvm::ConstantInt::get(places->getType(), 2 * width);
  llvm::Value *bad = builder.CreateICmpUGE(places, builder.CreateShuffleVector(places, end, next));
  bad = builder.CreateOr(bad, builder.CreateICmpUGE(places, end));
  llvm::Value *bits = mask_bits(builder, bad);
  llvm::Value *none = builder.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0));
  return is_exact ? builder.CreateAnd(none, is_exact) : none;
}

// It ends with the last lane's element, and overlaps with the first half.
llvm::Value *start_of_second_half(llvm::IRBuilderBase &builder, llvm::Value *places,
                                  unsigned width) {
  llvm::Value *last = builder.CreateExtractElement(places, uint64_t{width - 1});
  return builder.CreateSub(last, llvm::ConstantInt::get(last->getType(), width - 1));
}

llvm::Constant *numbers_from_zero(llvm::Type *vector) {
  llvm::SmallVector<llvm::Constant *> numbers;
  for (unsigned lane = 0; lane != llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
       ++lane)
    numbers.push_back(llvm::ConstantInt::get(vector->getScalarType(), lane));
  return llvm::ConstantVector::get(numbers);
}

bool has_window(llvm::Type *element, unsigned width) {
  unsigned bits = element->getScalarSizeInBits();
  return (element->isIntegerTy() || element->isFloatingPointTy()) && (bits == 32 || bits == 64) &&
         width <= most_lanes;
}

} // namespace

llvm::Value *Packetizer::load_from_window(Builder &builder, llvm::LoadInst &load,
                                          const ElementNumbers &numbers) {
  unsigned width = values_.width();
  auto *type = llvm::cast<llvm::VectorType>(values_.vector_type(load.getType()));
  // A lane that is not active may stand anywhere, also outside of the buffer.
  if (mask() || !has_window(load.getType(), width) ||
      !target_.isLegalMaskedGather(type, load.getAlign()))
    return gather(builder, load);
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(load.getPointerOperand());
  llvm::Instruction *near = nullptr, *far = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(fits(builder, numbers.places, numbers.is_exact, width),
                                      builder.GetInsertPoint(), &near, &far);
  near->getParent()->setName("in.window");
  far->getParent()->setName("gather");
  Builder at_far(far);
  llvm::Value *gathered = gather(at_far, load);

  Builder at(near);
  auto load_from = [&](llvm::Value *number) {
    llvm::LoadInst *half = at.CreateAlignedLoad(
        type, at.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), number),
        load.getAlign());
    copy_memory_facts(*half, load);
    return half;
  };
  llvm::Value *start = start_of_second_half(at, numbers.places, width);
  llvm::Value *low = load_from(numbers.first),
              *high = load_from(at.CreateAdd(numbers.first, at.CreateZExt(start, at.getInt64Ty())));
  llvm::Type *numbers_of_elements =
      llvm::VectorType::get(at.getIntNTy(load.getType()->getScalarSizeInBits()), type);
  auto permute = [&](llvm::Value *half, llvm::Value *places) {
    places = at.CreateAnd(places, llvm::ConstantInt::get(places->getType(), width - 1));
    return emit_permutation(at, half, at.CreateZExtOrTrunc(places, numbers_of_elements));
  };
  llvm::Value *is_low =
      at.CreateICmpULT(numbers.places, llvm::ConstantInt::get(numbers.places->getType(), width));
  llvm::Value *taken = at.CreateSelect(
      is_low, permute(low, numbers.places),
      permute(high, at.CreateSub(numbers.places, at.CreateVectorSplat(width, start))));

  llvm::BasicBlock *join = near->getSuccessor(0);
  Builder after(join, join->begin());
  llvm::PHINode *result = after.CreatePHI(type, 2, load.getName());
  result->addIncoming(taken, near->getParent());
  result->addIncoming(gathered, far->getParent());
  return result;
}

void Packetizer::store_to_window(Builder &builder, llvm::StoreInst &store,
                                 const ElementNumbers &numbers) {
  unsigned width = values_.width();
  llvm::Type *element = store.getValueOperand()->getType();
  auto *type = llvm::cast<llvm::VectorType>(values_.vector_type(element));
  if (!has_window(element, width) || !target_.isLegalMaskedScatter(type, store.getAlign()) ||
      !target_.isLegalMaskedStore(type, store.getAlign(), store.getPointerAddressSpace()))
    return scatter(builder, store);
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(store.getPointerOperand());
  llvm::Value *value = values_.vector(store.getValueOperand());
  llvm::Instruction *near = nullptr, *far = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(fits(builder, numbers.places, numbers.is_exact, width),
                                      builder.GetInsertPoint(), &near, &far);
  near->getParent()->setName("in.window");
  far->getParent()->setName("scatter");
  Builder at_far(far);
  scatter(at_far, store);

  Builder at(near);
  llvm::Type *words = llvm::VectorType::get(at.getInt32Ty(), type);
  llvm::Value *bit =
      at.CreateShl(llvm::ConstantInt::get(words, 1), at.CreateZExtOrTrunc(numbers.places, words));
  llvm::Value *taken = at.CreateOrReduce(bit);
  llvm::Value *active = mask() ? at.CreateZExt(mask_bits(at, mask()), at.getInt32Ty()) : nullptr;
  // The second half ends with the last lane's element: what lies behind, the next sub-group may be
  // loading, and the CPU would have it wait although the mask says that nothing is stored there.
  llvm::Value *start = start_of_second_half(at, numbers.places, width);
  for (bool is_second : {false, true}) {
    llvm::Value *from = is_second ? start : llvm::ConstantInt::get(start->getType(), 0);
    llvm::Value *shift = at.CreateZExtOrTrunc(from, at.getInt32Ty());
    llvm::Value *own = is_second ? at.CreateAnd(taken, ~uint64_t{0} << width) : taken;
    auto spread = [&](llvm::Value *scalar) { return at.CreateVectorSplat(width, scalar); };
    llvm::Constant *steps = numbers_from_zero(words);
    // All lanes that store before this place.
    llvm::Value *before =
        at.CreateSub(at.CreateShl(spread(at.CreateShl(at.getInt32(1), shift)), steps),
                     llvm::ConstantInt::get(words, 1));
    llvm::Value *lane =
        at.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, at.CreateAnd(spread(taken), before));
    lane = at.CreateAnd(lane, llvm::ConstantInt::get(words, width - 1));
    llvm::Value *wanted = at.CreateLShr(spread(at.CreateLShr(own, shift)), steps);
    if (active)
      wanted = at.CreateAnd(wanted, at.CreateLShr(spread(active), lane));
    wanted = at.CreateTrunc(wanted, llvm::VectorType::get(at.getInt1Ty(), type));
    llvm::Value *half = emit_permutation(
        at, value,
        at.CreateZExtOrTrunc(
            lane, llvm::VectorType::get(at.getIntNTy(element->getScalarSizeInBits()), type)));
    llvm::Value *address =
        at.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(),
                     at.CreateAdd(numbers.first, at.CreateZExt(from, at.getInt64Ty())));
    copy_memory_facts(*at.CreateMaskedStore(half, address, store.getAlign(), wanted), store);
  }
}

} // namespace lockstep::compiler
