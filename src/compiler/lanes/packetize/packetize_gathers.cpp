// Packetizes accesses whose addresses are known only at run time and may turn out to be contiguous.
//
// In `keys[(i / distance) * 2 * distance + i % distance]` the lanes' addresses are consecutive
// whenever `distance` is large. On the CPUs that we have measured, comparing them costs a tenth of
// a gather, and a scatter is even more expensive. So both versions exist and a branch on the
// addresses chooses. It is nearly always predicted, since an access behaves the same for a whole
// launch.
//
// An index that was gathered itself is unlikely to be contiguous: in order[order[order[x] + y] + z]
// only the innermost access is tested. An access that walks along a row in each lane is not tested
// either, nor is a column of a tile: `a[x * n + y]` has no neighbors unless n is 1, and
// interleave-sub-groups transposes tiles that are accessed without a branch. Bytes and halves of
// any index are mostly looked up in tables: only an index that is likely to be contiguous is tested.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/lanes/packetize/lane_loop.h"
#include "compiler/lanes/packetize/likely_steps.h"
#include "compiler/lanes/packetize/packetizer.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

// With fewer lanes, the comparison costs as much as it saves.
constexpr unsigned fewest_lanes = limits::elements_per_lane;
// Per kernel, to limit compile time.
constexpr unsigned most_two_versions = limits::sum_terms;

} // namespace

// Does each lane walk along its own row, as in a[row * n + k]? If rows were one element apart,
// successive iterations would access the same elements.
bool Packetizer::goes_along_rows(const IndexExpression &address, uint64_t element_size,
                                 IndexExpressions &expressions) const {
  return llvm::any_of(address.terms, [&](const IndexExpression::Term &term) {
    auto *phi = llvm::dyn_cast_or_null<llvm::PHINode>(term.symbol.value);
    if (!phi || !shape(*phi).is_uniform())
      return false;
    const auto induction = expressions.induction(*phi, Depth::address);
    return induction && induction->step.terms.empty() &&
           uint64_t(std::abs(term.coefficient * induction->step.constant)) == element_size;
  });
}

// Tiles are not made in loops, or for lanes of different rows.
void Packetizer::find_accesses_without_neighbors(IndexExpressions &expressions) {
  for (llvm::BasicBlock &block : function_) {
    const bool is_in_loop = expressions.loops().getLoopFor(&block) != nullptr;
    for (llvm::Instruction &access : block) {
      const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
      if (!pointer || shape(*pointer).kind != LaneShape::Kind::varying)
        continue;
      const uint64_t size =
          function_.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access));
      const IndexExpression &address = expressions.of(*pointer, Depth::address);
      if (is_in_loop ? goes_along_rows(address, size, expressions) : is_of_column(address, size))
        without_neighbors_.insert(&access);
    }
  }
}

// Returns nullopt if there is no cheap way to compare the lanes' indices.
std::optional<Packetizer::Index> Packetizer::index_of(llvm::Value *pointer,
                                                      llvm::Type *element) const {
  using namespace llvm::PatternMatch;
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  const llvm::DataLayout &layout = function_.getDataLayout();
  if (!gep || gep->getNumIndices() != 1 || !shape(*gep->getPointerOperand()).is_uniform() ||
      layout.getTypeAllocSize(gep->getSourceElementType()) != layout.getTypeAllocSize(element))
    return std::nullopt;
  Index index;
  index.root = gep->getOperand(1);
  // Compare an extended 32-bit index before its extension, which is half the work.
  llvm::Value *narrow = nullptr;
  if (match(index.root, m_ZExtOrSExt(m_Value(narrow))) && narrow->getType()->isIntegerTy(32) &&
      shape(*narrow).is_vector()) {
    index.is_signed = match(index.root, m_SExt(m_Value()));
    index.is_narrow = true;
    index.root = narrow;
  } else if (index.root->getType()->isIntegerTy(32)) {
    index.is_signed = index.is_narrow = true;
  }
  auto *sum = index.is_narrow || index.root->getType()->isIntegerTy(64)
                  ? llvm::dyn_cast<llvm::BinaryOperator>(index.root)
                  : nullptr; // other widths wrap before they are extended
  for (; sum; sum = llvm::dyn_cast<llvm::BinaryOperator>(index.root)) {
    bool is_sum = sum->getOpcode() == llvm::Instruction::Add;
    unsigned uniform = is_sum && shape(*sum->getOperand(0)).is_uniform() ? 0 : 1;
    llvm::Value *rest = sum->getOperand(1 - uniform);
    if ((!is_sum && sum->getOpcode() != llvm::Instruction::Sub) ||
        !shape(*sum->getOperand(uniform)).is_uniform() || !shape(*rest).is_vector())
      break;
    index.sums.push_back(sum);
    index.root = rest;
  }
  return index;
}

// Adds the uniform terms. They may wrap as the lanes' own sums do.
llvm::Value *Packetizer::first_with_sums(Builder &builder, const Index &index, llvm::Value *first) {
  for (llvm::BinaryOperator *sum : llvm::reverse(index.sums)) {
    unsigned uniform = shape(*sum->getOperand(0)).is_uniform() ? 0 : 1;
    first = builder.CreateBinOp(sum->getOpcode(), first, sum->getOperand(uniform));
  }
  return first;
}

const Packetizer::Looked *Packetizer::has_looked(const Index &index) const {
  auto found = looked_.find(index.root);
  return found != looked_.end() && dominators_.dominates(found->second.block, block_)
             ? &found->second
             : nullptr;
}

Packetizer::ElementNumbers Packetizer::element_numbers(Builder &builder, const Index &index,
                                                       const Looked *looked) {
  unsigned width = values_.width();
  ElementNumbers numbers{};
  llvm::Value *root_of_first = nullptr;
  if (looked) {
    root_of_first = looked->first;
    numbers.places = looked->places;
  } else {
    llvm::Value *root = values_.vector(index.root);
    if (!index.is_narrow && root->getType()->getScalarSizeInBits() != 64)
      root = builder.CreateSExt(root, root->getType()->getWithNewType(builder.getInt64Ty()));
    // Freeze: inactive lanes may hold anything, and a branch depends on the result.
    llvm::Value *lanes = builder.CreateFreeze(root);
    root_of_first = builder.CreateExtractElement(lanes, uint64_t{0}, "first.number");
    numbers.places = builder.CreateSub(lanes, builder.CreateVectorSplat(width, root_of_first));
  }
  numbers.root_of_first = root_of_first;
  llvm::Value *first = first_with_sums(builder, index, root_of_first);
  numbers.first = first;
  if (!index.is_narrow)
    return numbers;
  llvm::APInt most =
      index.is_signed ? llvm::APInt::getSignedMaxValue(32) : llvm::APInt::getMaxValue(32);
  llvm::Value *limit = builder.getInt(most - 2 * width);
  numbers.is_exact =
      index.is_signed ? builder.CreateICmpSLE(first, limit) : builder.CreateICmpULE(first, limit);
  numbers.first = index.is_signed ? builder.CreateSExt(first, builder.getInt64Ty())
                                  : builder.CreateZExt(first, builder.getInt64Ty());
  return numbers;
}

// Computes the vector of addresses in this block: the version for contiguous lanes does not need
// it.
llvm::Value *Packetizer::pointers_for(Builder &builder, llvm::Value *pointer) {
  llvm::Value *pointers = values_.vector(pointer);
  llvm::Instruction *user = nullptr;
  llvm::Value *result = pointers;
  for (auto *each = llvm::dyn_cast<llvm::Instruction>(pointers);
       each && each->getParent() != builder.GetInsertBlock();) {
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(each);
    bool is_sum =
        each->getOpcode() == llvm::Instruction::Add || each->getOpcode() == llvm::Instruction::Sub;
    if (user ? !is_sum && !llvm::isa<llvm::ZExtInst, llvm::SExtInst>(each)
             : !gep || gep->getNumIndices() != 1)
      break;
    llvm::Instruction *copy = each->clone();
    unsigned operand = gep ? 1 : 0;
    if (user)
      copy->insertBefore(user->getIterator()),
          user->setOperand(llvm::isa<llvm::GetElementPtrInst>(user) ? 1 : 0, copy);
    else
      result = builder.Insert(copy);
    user = copy;
    each = llvm::dyn_cast<llvm::Instruction>(copy->getOperand(operand));
    if (is_sum)
      break;
  }
  return result;
}

llvm::Value *Packetizer::are_neighbors(Builder &builder, const ElementNumbers &numbers) {
  llvm::SmallVector<llvm::Constant *> steps;
  for (unsigned lane = 0; lane != values_.width(); ++lane)
    steps.push_back(llvm::ConstantInt::get(numbers.places->getType()->getScalarType(), lane));
  llvm::Value *differs = builder.CreateICmpNE(numbers.places, llvm::ConstantVector::get(steps));
  if (mask())
    differs = builder.CreateAnd(differs, mask());
  llvm::Value *bits = mask_bits(builder, differs);
  llvm::Value *none = builder.CreateICmpEQ(bits, llvm::ConstantInt::get(bits->getType(), 0));
  if (numbers.is_exact)
    none = builder.CreateAnd(none, numbers.is_exact);
  none->setName("neighbors");
  return none;
}

bool Packetizer::is_from_gather(const llvm::Value &index, unsigned depth) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&index);
  if (!instruction || shape(index).is_uniform() || depth == limits::search_depth)
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction))
    return shape(*load->getPointerOperand()).kind == LaneShape::Kind::varying && !groups_.of(*load);
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst>(instruction))
    return false;
  return llvm::any_of(instruction->operands(), [&](const llvm::Value *operand) {
    return is_from_gather(*operand, depth + 1);
  });
}

// Whether some lanes' indices differ by more than a window, whether they wrap or not.
static bool are_never_near(const LaneShape &root) {
  if (!root.has_distances())
    return false;
  const auto window = int64_t(2 * root.lanes.size());
  return llvm::any_of(root.lanes, [&](int64_t lane) {
    const int64_t distance = std::abs(lane - root.lanes[0]);
    return distance >= window && distance < INT32_MAX - window;
  });
}

// Splits the block before `access` into two versions, which converge at `access`.
std::optional<Packetizer::TwoVersions> Packetizer::two_versions(llvm::Instruction &access) {
  llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
  llvm::Type *element = llvm::getLoadStoreType(&access);
  auto *vector = llvm::cast<llvm::VectorType>(values_.vector_type(element));
  llvm::Align alignment = llvm::getLoadStoreAlignment(&access);
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (without_neighbors_.contains(&access))
    return std::nullopt;
  auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  if (address && is_from_gather(*address->getOperand(address->getNumOperands() - 1)))
    return std::nullopt;
  auto index = index_of(pointer, element);
  const bool is_narrow = function_.getDataLayout().getTypeStoreSize(element) < 4;
  const bool is_regular =
      index && !mask() && llvm::isa<llvm::LoadInst>(access) && !regular_places(*index).empty();
  if (values_.width() < fewest_lanes || two_versions_ == most_two_versions ||
      (is_narrow && !is_regular && !(index && likely_step(*index->root, shapes_) == 1)) ||
      (mask() &&
       (llvm::isa<llvm::LoadInst>(access) ? !target_.isLegalMaskedLoad(vector, alignment, space)
                                          : !target_.isLegalMaskedStore(vector, alignment, space))))
    return std::nullopt;
  Builder builder(&access);
  if (!index || (!is_regular && are_never_near(shape(*index->root))))
    return std::nullopt;
  ++two_versions_;
  if (is_narrow && !is_regular)
    remark(access, "one vector where the elements of the lanes follow each other");
  const Looked *looked = has_looked(*index);
  ElementNumbers numbers = element_numbers(builder, *index, looked);
  auto if_exact = [&](llvm::Value *found) {
    return numbers.is_exact ? builder.CreateAnd(found, numbers.is_exact) : found;
  };
  llvm::Value *is_window = looked && looked->window ? if_exact(looked->window) : nullptr;
  llvm::Instruction *neighbors = nullptr, *anywhere = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(looked ? if_exact(looked->neighbors)
                                             : are_neighbors(builder, numbers),
                                      access.getIterator(), &neighbors, &anywhere);
  neighbors->getParent()->setName("neighbors");
  anywhere->getParent()->setName("anywhere");
  auto *gep = llvm::cast<llvm::GetElementPtrInst>(pointer);
  Builder near(neighbors);
  return TwoVersions{
      neighbors,
      anywhere,
      near.CreateGEP(gep->getSourceElementType(), gep->getPointerOperand(), numbers.first),
      numbers,
      *index,
      is_window};
}

void Packetizer::load_from_anywhere(llvm::LoadInst &load) {
  llvm::Value *active = mask();
  auto versions = two_versions(load);
  if (!versions) {
    Builder builder(&load);
    values_.set_vector(&load, gather(builder, load));
    return;
  }
  Builder near(versions->neighbors), far(versions->anywhere);
  llvm::Type *type = values_.vector_type(load.getType());
  llvm::Value *loaded = masked_load(near, type, versions->first_address, load.getAlign(), active);
  const auto places = active ? llvm::SmallVector<int64_t>{} : regular_places(versions->index);
  const bool are_neighbors = !places.empty() && places.back() + 1 == values_.width();
  auto [gathered, is_window] = places.empty() || are_neighbors
                                   ? load_from_window(far, load, *versions)
                                   : std::pair<llvm::Value *, llvm::Value *>{
                                         load_regular(far, load, *versions, places), nullptr};
  Builder builder(load.getParent(), load.getParent()->begin());
  auto either = [&](llvm::Value *of_neighbors, llvm::Value *of_others, const llvm::Twine &name) {
    llvm::PHINode *phi = builder.CreatePHI(of_others->getType(), 2, name);
    phi->addIncoming(of_neighbors, versions->neighbors->getParent());
    phi->addIncoming(of_others, versions->anywhere->getParent());
    return phi;
  };
  values_.set_vector(&load, either(loaded, gathered, load.getName()));
  if (active || has_looked(versions->index)) // an inactive lane may have any index
    return;
  looked_[versions->index.root] = {
      block_, versions->numbers.root_of_first, versions->numbers.places,
      either(builder.getTrue(), builder.getFalse(), "are.neighbors"),
      is_window ? either(builder.getFalse(), is_window, "are.in.window") : nullptr};
}

void Packetizer::store_to_anywhere(llvm::StoreInst &store) {
  llvm::Value *value = values_.vector(store.getValueOperand());
  llvm::Value *active = mask();
  auto versions = two_versions(store);
  if (!versions) {
    Builder builder(&store);
    return scatter(builder, store);
  }
  Builder near(versions->neighbors), far(versions->anywhere);
  if (active)
    near.CreateMaskedStore(value, versions->first_address, store.getAlign(), active);
  else
    near.CreateAlignedStore(value, versions->first_address, store.getAlign());
  store_to_window(far, store, *versions);
  auto inverted = inverted_.find({versions->index.root, mask_});
  if (inverted == inverted_.end() || inverted->second.block != nullptr)
    return; // no inverted store, or one from an earlier store
  Builder builder(store.getParent(), store.getParent()->begin());
  inverted->second = merged(builder, inverted->second, versions->anywhere->getParent(),
                            versions->neighbors->getParent());
  inverted->second.block = block_;
}

} // namespace lockstep::compiler
