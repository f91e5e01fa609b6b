// Accesses whose addresses are only known when the kernel runs, and may turn out to be neighbours.
//
// In `keys[(i / distance) * 2 * distance + i % distance]` the lanes' addresses follow each other
// whenever the distance is large. Comparing them costs a tenth of a gather on the CPUs that we have
// measured (and a scatter is dearer still), so both forms are there and the addresses decide. The
// branch is nearly always predicted: an access has one habit for a whole launch.
//
// What was gathered itself is an unlikely place to find neighbours at: of order[order[order[x] + y] + z] only the innermost
// access looks.
#include "compiler/ir_to_workgroup/lane_loop.h"
#include "compiler/ir_to_workgroup/vectorize/packetizer.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned fewest_lanes = 8;    // below, a gather costs no more than the comparison saves
constexpr unsigned most_both_ways = 16; // accesses of a kernel: compile time
constexpr unsigned deepest_index = 6; // operations between a load and the index that is made of it

} // namespace

// None if there is no cheap way to tell.
std::optional<Packetizer::ElementNumbers>
Packetizer::element_numbers(Builder &builder, llvm::Value *pointer, llvm::Type *element) {
  using namespace llvm::PatternMatch;
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  const llvm::DataLayout &layout = function_.getDataLayout();
  if (!gep || gep->getNumIndices() != 1 || !shape(*gep->getPointerOperand()).is_uniform() ||
      layout.getTypeAllocSize(gep->getSourceElementType()) != layout.getTypeAllocSize(element))
    return std::nullopt;
  llvm::Value *index = values_.vector(gep->getOperand(1)), *narrow = nullptr;
  unsigned width = values_.width();
  // Half the work in 32 bits, where an index was widened from.
  bool is_signed =
      index->getType()->getScalarSizeInBits() == 32 || match(index, m_SExt(m_Value(narrow)));
  if (index->getType()->getScalarSizeInBits() == 32)
    narrow = index;
  else if (!is_signed && !match(index, m_ZExt(m_Value(narrow))))
    narrow = nullptr;
  if (narrow && narrow->getType()->getScalarSizeInBits() != 32)
    narrow = nullptr;
  if (!narrow && index->getType()->getScalarSizeInBits() != 64)
    index = builder.CreateSExt(index, index->getType()->getWithNewType(builder.getInt64Ty()));
  // Lanes that are not active may hold anything, and a branch will depend on it.
  llvm::Value *lanes = builder.CreateFreeze(narrow ? narrow : index);
  llvm::Value *first = builder.CreateExtractElement(lanes, uint64_t{0}, "first.number");
  ElementNumbers numbers{first, builder.CreateSub(lanes, builder.CreateVectorSplat(width, first)),
                         nullptr};
  if (!narrow)
    return numbers;
  llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(32) : llvm::APInt::getMaxValue(32);
  llvm::Value *limit = builder.getInt(most - 2 * width);
  numbers.is_exact =
      is_signed ? builder.CreateICmpSLE(first, limit) : builder.CreateICmpULE(first, limit);
  numbers.first = is_signed ? builder.CreateSExt(first, builder.getInt64Ty())
                            : builder.CreateZExt(first, builder.getInt64Ty());
  return numbers;
}

llvm::Value *Packetizer::are_neighbours(Builder &builder, const ElementNumbers &numbers) {
  llvm::SmallVector<llvm::Constant *> steps;
  for (unsigned lane = 0; lane != values_.width(); ++lane)
    steps.push_back(llvm::ConstantInt::get(numbers.places->getType()->getScalarType(), lane));
  llvm::Value *apart = builder.CreateICmpNE(numbers.places, llvm::ConstantVector::get(steps));
  if (mask())
    apart = builder.CreateAnd(apart, mask());
  llvm::Value *bits = mask_bits(builder, apart);
  llvm::Value *none = builder.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0));
  if (numbers.is_exact)
    none = builder.CreateAnd(none, numbers.is_exact);
  none->setName("neighbours");
  return none;
}

bool Packetizer::is_from_gather(const llvm::Value &index, unsigned depth) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&index);
  if (!instruction || shape(index).is_uniform() || depth == deepest_index)
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction))
    return shape(*load->getPointerOperand()).kind == LaneShape::Kind::varying && !groups_.of(*load);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst>(instruction))
    return false;
  return llvm::any_of(instruction->operands(), [&](const llvm::Value *operand) {
    return is_from_gather(*operand, depth + 1);
  });
}

// Splits the block before `access`: what follows is executed after one of two new blocks.
std::optional<Packetizer::BothWays> Packetizer::both_ways(llvm::Instruction &access) {
  llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
  llvm::Type *element = llvm::getLoadStoreType(&access);
  auto *vector = llvm::cast<llvm::VectorType>(values_.vector_type(element));
  llvm::Align alignment = llvm::getLoadStoreAlignment(&access);
  unsigned space = pointer->getType()->getPointerAddressSpace();
  auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  if (address && is_from_gather(*address->getOperand(address->getNumOperands() - 1)))
    return std::nullopt;
  if (values_.width() < fewest_lanes || both_ways_ == most_both_ways ||
      function_.getDataLayout().getTypeStoreSize(element) < 4 ||
      (mask() &&
       (llvm::isa<llvm::LoadInst>(access) ? !target_.isLegalMaskedLoad(vector, alignment, space)
                                          : !target_.isLegalMaskedStore(vector, alignment, space))))
    return std::nullopt;
  Builder builder(&access);
  auto numbers = element_numbers(builder, pointer, element);
  if (!numbers)
    return std::nullopt;
  ++both_ways_;
  llvm::Instruction *neighbours = nullptr, *anywhere = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(are_neighbours(builder, *numbers), access.getIterator(),
                                      &neighbours, &anywhere);
  neighbours->getParent()->setName("neighbours");
  anywhere->getParent()->setName("anywhere");
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(pointer);
  Builder near(neighbours);
  return BothWays{
      neighbours, anywhere,
      near.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), numbers->first),
      *numbers};
}

void Packetizer::load_from_anywhere(llvm::LoadInst &load) {
  llvm::Value *active = mask();
  auto ways = both_ways(load);
  if (!ways) {
    Builder builder(&load);
    values_.set_vector(&load, gather(builder, load));
    return;
  }
  Builder near(ways->neighbours), far(ways->anywhere);
  llvm::Type *type = values_.vector_type(load.getType());
  llvm::Value *loaded = masked_load(near, type, ways->first_address, load.getAlign(), active);
  llvm::Value *gathered = load_from_window(far, load, ways->numbers);
  Builder builder(load.getParent(), load.getParent()->begin());
  llvm::PHINode *result = builder.CreatePHI(type, 2, load.getName());
  result->addIncoming(loaded, ways->neighbours->getParent());
  result->addIncoming(gathered, ways->anywhere->getParent());
  values_.set_vector(&load, result);
}

void Packetizer::store_to_anywhere(llvm::StoreInst &store) {
  llvm::Value *value = values_.vector(store.getValueOperand());
  llvm::Value *active = mask();
  auto ways = both_ways(store);
  if (!ways) {
    Builder builder(&store);
    return scatter(builder, store);
  }
  Builder near(ways->neighbours), far(ways->anywhere);
  if (active)
    near.CreateMaskedStore(value, ways->first_address, store.getAlign(), active);
  else
    near.CreateAlignedStore(value, ways->first_address, store.getAlign());
  store_to_window(far, store, ways->numbers);
}

} // namespace lockstep::compiler
