// Expands copies, moves and fills of private memory into loads and stores of words.
//
// Input:  the kernel of one work-item. Structures are copied by llvm.memcpy or memmove between any
//         two address spaces, and loops have become llvm.memset.
// Output: none of these intrinsics on a private variable that may be interleaved. A small constant
//         size adds no control flow.
//
// interleave-private spreads a private variable over the lanes if all its elements have one size,
// unless an operation needs it in one piece, as a copy does. So copies of such variables become
// words of that size. LLVM's expansion would copy bytes here and does not support moves between
// address spaces. Other copies remain: packetize makes one copy per lane, or a single one if the
// lanes' pieces are contiguous.
//
// Runs before split-vectors. Does nothing if the sub-group has one lane, since the code generator
// lowers the intrinsics.
#include "compiler/lanes/split/passes.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

namespace lockstep::compiler {

namespace {

constexpr uint64_t usual_word = 4, largest_word = 8;
constexpr uint64_t words_of_a_chunk = limits::words_in_line / 4; // of one iteration

// Returns the common size of all scalars of a type, or 0.
uint64_t common_scalar_size(llvm::Type *type, const llvm::DataLayout &layout) {
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type))
    return common_scalar_size(array->getElementType(), layout);
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    return common_scalar_size(vector->getElementType(), layout);
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    uint64_t common = 0;
    for (llvm::Type *field : structure->elements()) {
      uint64_t size = common_scalar_size(field, layout);
      if (size == 0 || (common != 0 && size != common))
        return 0;
      common = size;
    }
    return common;
  }
  return type->isSized() ? layout.getTypeStoreSize(type).getFixedValue() : 0;
}

// Returns the common size of all loads and stores of a variable, or 0.
uint64_t common_access_size(llvm::AllocaInst &variable, const llvm::DataLayout &layout) {
  llvm::SetVector<llvm::Instruction *> addresses;
  addresses.insert(&variable);
  uint64_t common = 0;
  for (unsigned index = 0; index != addresses.size(); ++index)
    for (llvm::User *user : addresses[index]->users()) {
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) {
        addresses.insert(llvm::cast<llvm::Instruction>(user));
        continue;
      }
      llvm::Type *type = nullptr;
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
        type = load->getType();
      else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
        type = store->getValueOperand()->getType();
      if (!type)
        continue;
      uint64_t size = common_scalar_size(type, layout);
      if (size == 0 || (common != 0 && size != common))
        return 0;
      common = size;
    }
  return common ? common : common_scalar_size(variable.getAllocatedType(), layout);
}

// Returns the element size as far as the pointer shows it, or 0.
uint64_t known_element_size(llvm::Value *pointer, const llvm::DataLayout &layout) {
  uint64_t size = 0;
  while (true) {
    if (auto *gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::Type *type = gep->getSourceElementType(); // a type of bytes is only an offset
      if (size == 0 && !type->isIntegerTy(8))
        size = common_scalar_size(type, layout);
      pointer = gep->getPointerOperand();
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
      pointer = cast->getPointerOperand();
    } else {
      break;
    }
  }
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(pointer))
    return common_access_size(*variable, layout);
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer))
    return common_scalar_size(variable->getValueType(), layout);
  return size;
}

bool is_private(const llvm::Value *pointer) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

// May interleave-private spread this memory over the lanes? Other memory is in one piece per lane,
// and is best moved as a whole.
bool is_spread(llvm::Value *pointer, const llvm::DataLayout &layout) {
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  uint64_t size = variable ? common_access_size(*variable, layout) : 0;
  return size != 0 && llvm::isPowerOf2_64(size);
}

// Expands one intrinsic into loads and stores.
class Expansion {
public:
  explicit Expansion(llvm::MemIntrinsic &intrinsic)
      : intrinsic_(intrinsic), transfer_(llvm::dyn_cast<llvm::MemTransferInst>(&intrinsic)),
        layout_(intrinsic.getDataLayout()), facts_(intrinsic.getAAMetadata()),
        to_{intrinsic.getDest(), intrinsic.getDestAlign().valueOrOne()} {
    if (transfer_)
      from_ = {transfer_->getSource(), transfer_->getSourceAlign().valueOrOne()};
    facts_.TBAA = facts_.TBAAStruct = nullptr; // describe the whole, not a word
    word_ = choose_word();
  }

  void run() {
    if (auto *size = llvm::dyn_cast<llvm::ConstantInt>(intrinsic_.getLength()))
      expand_constant(size->getZExtValue());
    else
      expand_variable();
    intrinsic_.eraseFromParent();
  }

private:
  using Builder = llvm::IRBuilder<>;
  struct Memory {
    llvm::Value *pointer = nullptr;
    llvm::Align alignment;
  };
  struct Piece {
    uint64_t offset, size;
  };

  // The element size of private memory decides: the memory is interleaved if all accesses have one
  // size.
  uint64_t choose_word() const {
    uint64_t common = 0;
    bool any_private = false;
    for (llvm::Value *pointer : {to_.pointer, from_.pointer}) {
      uint64_t size = pointer ? known_element_size(pointer, layout_) : 0;
      if (size == 0 || !llvm::isPowerOf2_64(size) || (any_private && !is_private(pointer)))
        continue;
      bool decides = is_private(pointer) && !any_private;
      common = common == 0 || decides ? size : std::min(common, size);
      any_private |= is_private(pointer);
    }
    // Elements of one or two bytes that are not interleaved are better copied several at a time.
    if (common == 0 || (common < usual_word && !any_private))
      return usual_word;
    return std::min(common, largest_word);
  }

  // Divides a range into words and, at the end, smaller powers of two.
  llvm::SmallVector<Piece> pieces(uint64_t offset, uint64_t end) const {
    llvm::SmallVector<Piece> result;
    for (uint64_t size = word_; offset != end; size /= 2)
      for (; offset + size <= end; offset += size)
        result.push_back({offset, size});
    return result;
  }

  static llvm::Value *place(Builder &builder, const Memory &memory, Piece piece) {
    if (piece.offset == 0)
      return memory.pointer;
    return builder.CreateInBoundsPtrAdd(memory.pointer, builder.getInt64(piece.offset));
  }

  llvm::Value *load(Builder &builder, Piece piece, const Memory &from) {
    llvm::LoadInst *loaded = builder.CreateAlignedLoad(
        builder.getIntNTy(piece.size * 8), place(builder, from, piece),
        llvm::commonAlignment(from.alignment, piece.offset), intrinsic_.isVolatile());
    loaded->setAAMetadata(facts_);
    return loaded;
  }

  void store(Builder &builder, Piece piece, const Memory &to, llvm::Value *value) {
    llvm::StoreInst *stored = builder.CreateAlignedStore(
        value, place(builder, to, piece), llvm::commonAlignment(to.alignment, piece.offset),
        intrinsic_.isVolatile());
    stored->setAAMetadata(facts_);
  }

  // The byte of a fill, repeated to the size of a word.
  llvm::Value *filled_word(Builder &builder, uint64_t size) {
    llvm::Value *byte = llvm::cast<llvm::MemSetInst>(intrinsic_).getValue();
    llvm::Type *type = builder.getIntNTy(size * 8);
    return builder.CreateMul(
        builder.CreateZExt(byte, type),
        llvm::ConstantInt::get(type, llvm::APInt::getSplat(size * 8, llvm::APInt(8, 1))));
  }

  // Loads all pieces before storing the first, so that source and destination may overlap.
  void emit(Builder &builder, llvm::ArrayRef<Piece> parts, const Memory &to, const Memory &from) {
    llvm::SmallVector<llvm::Value *> values;
    for (Piece piece : parts)
      values.push_back(transfer_ ? load(builder, piece, from) : filled_word(builder, piece.size));
    for (auto [piece, value] : llvm::zip(parts, values))
      store(builder, piece, to, value);
  }

  static Memory at(Builder &builder, const Memory &memory, llvm::Value *offset, uint64_t step) {
    if (!memory.pointer)
      return memory;
    return {builder.CreateInBoundsGEP(builder.getInt8Ty(), memory.pointer, offset),
            llvm::commonAlignment(memory.alignment, step)};
  }

  // Emits for (offset = 0; offset != end; offset += step), or the same loop descending. `end` is a
  // nonzero multiple of `step`.
  void emit_loop(llvm::Instruction &place, llvm::Value *end, uint64_t step, bool descends) {
    llvm::BasicBlock *before = place.getParent();
    llvm::BasicBlock *after = llvm::SplitBlock(before, place.getIterator());
    auto *loop =
        llvm::BasicBlock::Create(place.getContext(), "copy.words", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);
    Builder builder(loop);
    builder.SetCurrentDebugLocation(intrinsic_.getDebugLoc());
    llvm::Value *none = llvm::ConstantInt::get(end->getType(), 0);
    llvm::Value *stride = llvm::ConstantInt::get(end->getType(), step);
    llvm::PHINode *counter = builder.CreatePHI(end->getType(), 2, "copied");
    llvm::Value *next = descends ? builder.CreateSub(counter, stride, "", true)
                                 : builder.CreateAdd(counter, stride, "", true);
    llvm::Value *offset = descends ? next : counter;
    emit(builder, pieces(0, step), at(builder, to_, offset, step),
         at(builder, from_, offset, step));
    builder.CreateCondBr(builder.CreateICmpEQ(next, descends ? none : end), after, loop);
    counter->addIncoming(descends ? end : none, before);
    counter->addIncoming(next, loop);
  }

  // Returns whether the destination is behind the source and may overlap it; null if it cannot.
  llvm::Value *is_behind(Builder &builder) {
    if (!llvm::isa<llvm::MemMoveInst>(intrinsic_) ||
        !may_overlap(transfer_->getDestAddressSpace(), transfer_->getSourceAddressSpace()))
      return nullptr;
    return builder.CreateICmpUGT(builder.CreatePtrToInt(to_.pointer, builder.getInt64Ty()),
                                 builder.CreatePtrToInt(from_.pointer, builder.getInt64Ty()),
                                 "to.behind.from");
  }

  void expand_constant(uint64_t size) {
    Builder builder(&intrinsic_);
    if (size <= limits::words_in_line * word_)
      return emit(builder, pieces(0, size), to_, from_);
    uint64_t chunk = words_of_a_chunk * word_;
    uint64_t whole = size / chunk * chunk;
    llvm::Value *end = llvm::ConstantInt::get(intrinsic_.getLength()->getType(), whole);
    llvm::Value *behind = is_behind(builder);
    if (!behind) {
      emit_loop(intrinsic_, end, chunk, false);
      Builder rest(&intrinsic_);
      return emit(rest, pieces(whole, size), to_, from_);
    }
    llvm::Instruction *descending, *ascending;
    llvm::SplitBlockAndInsertIfThenElse(behind, &intrinsic_, &descending, &ascending);
    Builder last(descending);
    emit(last, pieces(whole, size), to_, from_);
    emit_loop(*descending, end, chunk, true);
    emit_loop(*ascending, end, chunk, false);
    Builder rest(ascending);
    emit(rest, pieces(whole, size), to_, from_);
  }

  // Copies words if the size is known to be a multiple of a word, otherwise smaller units.
  void expand_variable() {
    llvm::Value *size = intrinsic_.getLength();
    unsigned zeros = llvm::computeKnownBits(size, layout_).countMinTrailingZeros();
    word_ = std::min(word_, uint64_t{1} << std::min(zeros, 3U));
    Builder builder(&intrinsic_);
    llvm::Value *any = builder.CreateICmpNE(size, llvm::ConstantInt::get(size->getType(), 0));
    llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(any, &intrinsic_, false);
    Builder inner(then);
    llvm::Value *behind = is_behind(inner);
    if (!behind)
      return emit_loop(*then, size, word_, false);
    llvm::Instruction *descending, *ascending;
    llvm::SplitBlockAndInsertIfThenElse(behind, then, &descending, &ascending);
    emit_loop(*descending, size, word_, true);
    emit_loop(*ascending, size, word_, false);
  }

  llvm::MemIntrinsic &intrinsic_;
  llvm::MemTransferInst *transfer_; // null: a fill
  const llvm::DataLayout &layout_;
  llvm::AAMDNodes facts_;
  Memory to_, from_;
  uint64_t word_ = usual_word; // in bytes
};

} // namespace

llvm::PreservedAnalyses ExpandCopiesPass::run_in_lanes(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::IntrinsicInst *> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (llvm::isa<llvm::MemIntrinsic, llvm::MemSetPatternInst>(instruction))
      found.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  for (llvm::IntrinsicInst *intrinsic : found) {
    if (auto *known = llvm::dyn_cast<llvm::MemIntrinsic>(intrinsic)) {
      auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(known);
      const llvm::DataLayout &layout = function.getDataLayout();
      if (is_spread(known->getDest(), layout) ||
          (transfer && is_spread(transfer->getSource(), layout)))
        Expansion(*known).run();
      continue;
    }
    llvm::expandMemSetPatternAsLoop(llvm::cast<llvm::MemSetPatternInst>(intrinsic));
    intrinsic->eraseFromParent();
  }
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
