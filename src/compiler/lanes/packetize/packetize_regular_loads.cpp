// Packetizes loads whose index is a bit operation or a division of consecutive numbers: `a[i ^ 1]`,
// `a[i / 4]`, `a[i & 7]`.
//
// If the first lane's number is a multiple of the lanes, the positions relative to lane 0 are known
// at compile time, and all elements are within one vector. It nearly always is a multiple, but not
// if the launch has a global offset, so the positions are compared at run time. One load and one
// permutation by constants then replace a gather.
//
// Requires: all lanes active. An inactive lane may have any index.
// Ensures: nothing is read before the first or behind the last element of the lanes.
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/packetizer.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

bool is_regular(unsigned opcode) {
  switch (opcode) {
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
    return true;
  default:
    return false;
  }
}

} // namespace

// The positions relative to lane 0 if the first lane's number is a multiple of the lanes; empty if
// they are not known or too far apart.
llvm::SmallVector<int64_t> Packetizer::regular_places(const Index &index) const {
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(index.root);
  if (!operation || !is_regular(operation->getOpcode()) ||
      !llvm::isa<llvm::ConstantInt>(operation->getOperand(1)))
    return {};
  const LaneShape &number = shape(*operation->getOperand(0));
  if (!number.has_distances())
    return {};
  llvm::SmallVector<int64_t> places;
  for (unsigned lane = 0; lane != values_.width(); ++lane) {
    if (number.distance(lane) != lane)
      return {};
    auto *place = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::ConstantFoldBinaryOpOperands(
        operation->getOpcode(), llvm::ConstantInt::get(operation->getType(), lane),
        llvm::cast<llvm::Constant>(operation->getOperand(1)), function_.getDataLayout()));
    if (!place)
      return {};
    places.push_back(place->getSExtValue());
  }
  const int64_t first = places.front();
  for (int64_t &place : places)
    place -= first;
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  return *high - *low < values_.width() ? places : llvm::SmallVector<int64_t>{};
}

llvm::Value *Packetizer::load_regular(Builder &builder, llvm::LoadInst &load,
                                      const TwoVersions &versions, llvm::ArrayRef<int64_t> places) {
  const ElementNumbers &numbers = versions.numbers;
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  llvm::Type *number = numbers.places->getType()->getScalarType();
  llvm::SmallVector<llvm::Constant *> expected;
  llvm::SmallVector<int> elements;
  for (int64_t place : places) {
    expected.push_back(llvm::ConstantInt::getSigned(number, place));
    elements.push_back(static_cast<int>(place - *low));
  }
  llvm::Value *bits =
      mask_bits(builder, builder.CreateICmpNE(numbers.places, llvm::ConstantVector::get(expected)));
  llvm::Value *is_regular =
      builder.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0), "regular");
  if (numbers.is_exact) // and no position is below element 0
    is_regular = builder.CreateAnd(
        builder.CreateAnd(is_regular, numbers.is_exact),
        builder.CreateICmpSGE(numbers.first, builder.getInt64(static_cast<uint64_t>(-*low))));
  llvm::Instruction *near = nullptr, *far = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(is_regular, builder.GetInsertPoint(), &near, &far);
  near->getParent()->setName("in.vector");
  far->getParent()->setName("gather");
  Builder at_far(far);
  llvm::Value *gathered = gather(at_far, load);

  Builder at(near);
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(load.getPointerOperand());
  llvm::Value *start = at.CreateAdd(numbers.first, at.getInt64(static_cast<uint64_t>(*low)));
  auto *loaded = at.CreateAlignedLoad(
      llvm::FixedVectorType::get(load.getType(), static_cast<unsigned>(*high - *low + 1)),
      at.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), start), load.getAlign());
  copy_memory_facts(*loaded, load);
  llvm::Value *taken = at.CreateShuffleVector(loaded, elements);

  llvm::BasicBlock *join = near->getSuccessor(0);
  Builder after(join, join->begin());
  llvm::PHINode *result = after.CreatePHI(taken->getType(), 2, load.getName());
  result->addIncoming(taken, near->getParent());
  result->addIncoming(gathered, far->getParent());
  return result;
}

} // namespace lockstep::compiler
