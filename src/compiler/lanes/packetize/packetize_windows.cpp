// Packetizes accesses whose addresses are known only at run time, close together and ascending: a
// butterfly with a small distance, or a stride of 2 that is an argument.
//
// If all lanes' elements are among the 2 * W elements from the first one on (the window), two
// vectors hold them. One permutation of each vector costs a third of a gather. A store inverts the
// permutation: which lane stores to each of the 2 * W positions? Since positions ascend from lane
// to lane, that is the number of occupied positions before it, a population count.
//
// The first and last lane's elements are in the same buffer, and so is everything between them.
// Nothing else is read, and only elements that active lanes store are written.
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "compiler/prepare_code/expand_permutations.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned most_lanes = 16; // the positions of a window are bits of a 32-bit word

// Do the lanes' positions ascend within a window? If they ascend and the last one is in the window,
// all are.
llvm::Value *fits(llvm::IRBuilderBase &builder, llvm::Value *places, llvm::Value *is_exact,
                  unsigned width) {
  llvm::SmallVector<int> next;
  for (unsigned lane = 1; lane <= width; ++lane)
    next.push_back(static_cast<int>(lane)); // the last one is compared with the end of the window
  llvm::Value *end = llvm::ConstantInt::get(places->getType(), 2 * width);
  llvm::Value *bad = builder.CreateICmpUGE(places, builder.CreateShuffleVector(places, end, next));
  llvm::Value *bits = mask_bits(builder, bad);
  llvm::Value *none = builder.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0));
  return is_exact ? builder.CreateAnd(none, is_exact) : none;
}

// The second half ends with the last lane's element and overlaps the first half.
llvm::Value *start_of_second_half(llvm::IRBuilderBase &builder, llvm::Value *places,
                                  unsigned width) {
  llvm::Value *last = builder.CreateExtractElement(places, uint64_t{width - 1});
  return builder.CreateSub(last, llvm::ConstantInt::get(last->getType(), width - 1));
}

bool has_window(llvm::Type *element, unsigned width) {
  unsigned bits = element->getScalarSizeInBits();
  return (element->isIntegerTy() || element->isFloatingPointTy()) && (bits == 32 || bits == 64) &&
         width <= most_lanes;
}

} // namespace

std::pair<llvm::Value *, llvm::Value *>
Packetizer::load_from_window(Builder &builder, llvm::LoadInst &load, const TwoVersions &versions) {
  const ElementNumbers &numbers = versions.numbers;
  unsigned width = values_.width();
  auto *type = llvm::cast<llvm::VectorType>(values_.vector_type(load.getType()));
  // An inactive lane may have any address, also outside of the buffer.
  if (mask() || !has_window(load.getType(), width) ||
      !target_.isLegalMaskedGather(type, load.getAlign()))
    return {gather(builder, load), nullptr};
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(load.getPointerOperand());
  llvm::Instruction *near = nullptr, *far = nullptr;
  llvm::Value *is_window = versions.is_window;
  if (!is_window)
    is_window = fits(builder, numbers.places, numbers.is_exact, width);
  llvm::SplitBlockAndInsertIfThenElse(is_window, builder.GetInsertPoint(), &near, &far);
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
  llvm::PHINode *was_window = after.CreatePHI(at.getInt1Ty(), 2);
  was_window->addIncoming(at.getTrue(), near->getParent());
  was_window->addIncoming(at.getFalse(), far->getParent());
  return {result, was_window};
}

// Computes for each position of a window's two halves which lane stores there, if any.
Packetizer::InvertedStores Packetizer::invert_stores(Builder &builder, llvm::Type *type,
                                                     llvm::Value *places) {
  unsigned width = values_.width();
  llvm::Type *words =
      llvm::VectorType::get(builder.getInt32Ty(), llvm::cast<llvm::VectorType>(type));
  llvm::Constant *one = llvm::ConstantInt::get(words, 1);
  auto spread = [&](llvm::Value *scalar) { return builder.CreateVectorSplat(width, scalar); };
  llvm::Value *taken =
      builder.CreateOrReduce(builder.CreateShl(one, builder.CreateZExtOrTrunc(places, words)));
  llvm::Value *active =
      mask() ? spread(builder.CreateZExt(mask_bits(builder, mask()), builder.getInt32Ty()))
             : nullptr;
  // For each position, the bits of the earlier ones.
  llvm::SmallVector<llvm::Constant *> bits_before;
  for (unsigned place = 0; place != width; ++place)
    bits_before.push_back(builder.getInt32((1u << place) - 1));
  // The second half ends with the last lane's element. The next sub-group may be loading the
  // elements behind it, and the CPU would stall that load although the mask excludes them.
  InvertedStores inverted{.is_inverted = builder.getTrue(),
                          .start = start_of_second_half(builder, places, width),
                          .lanes = {},
                          .wanted = {}};
  for (bool is_second : {false, true}) {
    llvm::Value *shift = is_second ? builder.CreateZExtOrTrunc(inverted.start, builder.getInt32Ty())
                                   : builder.getInt32(0);
    llvm::Value *own = is_second ? builder.CreateAnd(taken, ~uint64_t{0} << width) : taken;
    // The number of lanes that store before this position.
    llvm::Value *lane = builder.CreateUnaryIntrinsic(
        llvm::Intrinsic::ctpop, builder.CreateAnd(spread(builder.CreateLShr(taken, shift)),
                                                  llvm::ConstantVector::get(bits_before)));
    if (is_second) {
      llvm::Value *before =
          builder.CreateSub(builder.CreateShl(builder.getInt32(1), shift), builder.getInt32(1));
      lane =
          builder.CreateAdd(lane, spread(builder.CreateUnaryIntrinsic(
                                      llvm::Intrinsic::ctpop, builder.CreateAnd(taken, before))));
    }
    lane = builder.CreateAnd(lane, llvm::ConstantInt::get(words, width - 1));
    llvm::Value *wanted = builder.CreateBitCast(
        builder.CreateTrunc(builder.CreateLShr(own, shift), builder.getIntNTy(width)),
        llvm::VectorType::get(builder.getInt1Ty(), width, false));
    if (active)
      wanted = builder.CreateAnd(
          wanted, builder.CreateICmpNE(builder.CreateAnd(builder.CreateShl(one, lane), active),
                                       llvm::Constant::getNullValue(words)));
    inverted.lanes[is_second] = lane;
    inverted.wanted[is_second] = wanted;
  }
  return inverted;
}

// Merges at a block with two predecessors, of which only one has inverted the store.
Packetizer::InvertedStores Packetizer::merged(Builder &builder, InvertedStores inverted,
                                              llvm::BasicBlock *from, llvm::BasicBlock *otherwise) {
  auto merge = [&](llvm::Value *&value, llvm::Value *other) {
    llvm::PHINode *phi = builder.CreatePHI(value->getType(), 2, "turned");
    phi->addIncoming(value, from);
    phi->addIncoming(other, otherwise);
    value = phi;
  };
  merge(inverted.is_inverted, builder.getFalse());
  for (llvm::Value **value : {&inverted.start, &inverted.lanes[0], &inverted.lanes[1],
                              &inverted.wanted[0], &inverted.wanted[1]})
    merge(*value, llvm::PoisonValue::get((*value)->getType()));
  return inverted;
}

void Packetizer::store_to_window(Builder &builder, llvm::StoreInst &store,
                                 const TwoVersions &versions) {
  const ElementNumbers &numbers = versions.numbers;
  unsigned width = values_.width();
  llvm::Type *element = store.getValueOperand()->getType();
  auto *type = llvm::cast<llvm::VectorType>(values_.vector_type(element));
  if (!has_window(element, width) || !target_.isLegalMaskedScatter(type, store.getAlign()) ||
      !target_.isLegalMaskedStore(type, store.getAlign(), store.getPointerAddressSpace()))
    return scatter(builder, store);
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(store.getPointerOperand());
  llvm::Value *value = values_.vector(store.getValueOperand());
  llvm::Instruction *near = nullptr, *far = nullptr;
  llvm::Value *is_window = versions.is_window;
  auto earlier = inverted_.find({versions.index.root, mask_});
  bool has_inverted = is_window && earlier != inverted_.end() && earlier->second.block &&
                      dominators_.dominates(earlier->second.block, block_);
  if (has_inverted)
    is_window = builder.CreateAnd(is_window, earlier->second.is_inverted);
  else if (!is_window)
    is_window = fits(builder, numbers.places, numbers.is_exact, width);
  llvm::SplitBlockAndInsertIfThenElse(is_window, builder.GetInsertPoint(), &near, &far);
  near->getParent()->setName("in.window");
  far->getParent()->setName("scatter");
  Builder at_far(far);
  scatter(at_far, store);

  Builder at(near);
  InvertedStores inverted =
      has_inverted ? earlier->second : invert_stores(at, type, numbers.places);
  for (bool is_second : {false, true}) {
    llvm::Value *half = emit_permutation(
        at, value,
        at.CreateZExtOrTrunc(
            inverted.lanes[is_second],
            llvm::VectorType::get(at.getIntNTy(element->getScalarSizeInBits()), type)));
    llvm::Value *number =
        is_second ? at.CreateAdd(numbers.first, at.CreateZExt(inverted.start, at.getInt64Ty()))
                  : numbers.first;
    llvm::Value *address =
        at.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), number);
    copy_memory_facts(
        *at.CreateMaskedStore(half, address, store.getAlign(), inverted.wanted[is_second]), store);
  }
  if (!versions.is_window || earlier != inverted_.end())
    return;
  llvm::BasicBlock *join = near->getSuccessor(0);
  Builder after(join, join->begin());
  inverted_[{versions.index.root, mask_}] =
      merged(after, inverted, near->getParent(), far->getParent());
}

} // namespace lockstep::compiler
