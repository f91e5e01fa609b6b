#include "compiler/lanes/packetize/lane_loop.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

llvm::Value *mask_bits(llvm::IRBuilderBase &builder, llvm::Value *mask) {
  unsigned width = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  return builder.CreateBitCast(mask, builder.getIntNTy(width), "active.bits");
}

llvm::Value *first_lane(llvm::IRBuilderBase &builder, llvm::Value *mask) {
  if (!mask)
    return builder.getInt64(0);
  llvm::Value *bits = builder.CreateZExt(mask_bits(builder, mask), builder.getInt64Ty());
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder.getTrue(), nullptr,
                                       "first.lane");
}

namespace {

llvm::SmallVector<llvm::Value *, 2> emit_unrolled(llvm::Instruction &place, unsigned width,
                                                  llvm::ArrayRef<llvm::Type *> types,
                                                  LaneBody body) {
  llvm::IRBuilder<> builder(&place);
  llvm::SmallVector<llvm::Value *, 2> results;
  for (llvm::Type *type : types)
    results.push_back(llvm::PoisonValue::get(llvm::FixedVectorType::get(type, width)));
  for (unsigned lane = 0; lane != width; ++lane) {
    llvm::SmallVector<llvm::Value *, 2> one = body(builder, builder.getInt64(lane));
    for (unsigned index = 0; index != types.size(); ++index)
      results[index] = builder.CreateInsertElement(results[index], one[index], lane);
  }
  return results;
}

} // namespace

llvm::SmallVector<llvm::Value *, 2> emit_lane_loop(llvm::Instruction &place, llvm::Value *mask,
                                                   unsigned width,
                                                   llvm::ArrayRef<llvm::Type *> types,
                                                   LaneBody body) {
  if (!mask && width <= limits::lanes_in_line)
    return emit_unrolled(place, width, types, body);
  llvm::BasicBlock *before = place.getParent();
  llvm::BasicBlock *after = llvm::SplitBlock(before, &place);
  after->setName("lanes.done");
  auto *loop = llvm::BasicBlock::Create(place.getContext(), "lanes", before->getParent(), after);
  before->getTerminator()->setSuccessor(0, loop);

  llvm::IRBuilder<> builder(before->getTerminator());
  llvm::Type *word = builder.getInt64Ty();
  uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  llvm::Value *start =
      mask ? builder.CreateZExt(mask_bits(builder, mask), word) : builder.getInt64(all);
  builder.SetInsertPoint(loop);
  builder.SetCurrentDebugLocation(place.getDebugLoc());
  llvm::PHINode *bits = builder.CreatePHI(word, 2, "lanes.left");
  bits->addIncoming(start, before);
  llvm::SmallVector<llvm::PHINode *, 2> partial;
  for (llvm::Type *type : types) {
    auto *vector = llvm::FixedVectorType::get(type, width);
    partial.push_back(builder.CreatePHI(vector, 2));
    partial.back()->addIncoming(llvm::PoisonValue::get(vector), before);
  }
  llvm::Value *lane = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder.getTrue(),
                                                    nullptr, "this.lane");
  llvm::SmallVector<llvm::Value *, 2> results = body(builder, lane);
  for (unsigned index = 0; index != types.size(); ++index) {
    results[index] = builder.CreateInsertElement(partial[index], results[index], lane);
    partial[index]->addIncoming(results[index], loop);
  }
  results.truncate(types.size());
  llvm::Value *left = builder.CreateAnd(bits, builder.CreateSub(bits, builder.getInt64(1)));
  bits->addIncoming(left, loop);
  builder.CreateCondBr(builder.CreateICmpNE(left, builder.getInt64(0)), loop, after);
  return results;
}

llvm::SmallVector<llvm::Value *, 2> emit_short_lane_loop(llvm::Instruction &place,
                                                         llvm::Value *mask, unsigned width,
                                                         llvm::ArrayRef<llvm::Type *> types,
                                                         LaneBody body) {
  if (!mask || width > limits::lanes_in_line)
    return emit_lane_loop(place, mask, width, types, body);
  llvm::IRBuilder<> builder(&place);
  llvm::Value *bits = mask_bits(builder, mask);
  llvm::Value *full =
      builder.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()), "all.active");
  llvm::Instruction *if_full = nullptr, *otherwise = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(full, place.getIterator(), &if_full, &otherwise);
  llvm::SmallVector<llvm::Value *, 2> unrolled = emit_unrolled(*if_full, width, types, body);
  llvm::SmallVector<llvm::Value *, 2> looped = emit_lane_loop(*otherwise, mask, width, types, body);
  builder.SetInsertPoint(place.getParent(), place.getParent()->begin());
  llvm::SmallVector<llvm::Value *, 2> results;
  for (unsigned index = 0; index != types.size(); ++index) {
    llvm::PHINode *phi = builder.CreatePHI(unrolled[index]->getType(), 2);
    phi->addIncoming(unrolled[index], if_full->getParent());
    phi->addIncoming(looped[index], otherwise->getParent());
    results.push_back(phi);
  }
  return results;
}

} // namespace lockstep::compiler
