#include "compiler/waits/suspension/write_sums.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/bit.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace lockstep::compiler {

namespace {

bool is_undefined(const llvm::Value *value) {
  return value && llvm::isa<llvm::UndefValue>(value);
}

// An undefined element, such as the fourth one when a vector of three is stored.
bool is_undefined_element(llvm::Value *vector, unsigned index) {
  return is_undefined(llvm::findScalarElement(vector, index));
}

// An undefined field of a structure or array, such as one that the program has not set.
bool is_undefined_field(llvm::Value *aggregate, unsigned index) {
  return is_undefined(llvm::FindInsertedValue(aggregate, index));
}

// Freezes the value, so that an undefined element counts as some value and does not make the result
// undefined. Otherwise a launch that makes progress might look deadlocked.
llvm::Value *known(llvm::IRBuilder<> &builder, llvm::Value *value) {
  return llvm::isa<llvm::ConstantInt, llvm::ConstantFP>(value) ? value
                                                               : builder.CreateFreeze(value);
}

void visit_pieces(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after,
                  uint64_t offset, OnPiece on_piece) {
  const llvm::DataLayout &layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  llvm::Type *type = before->getType();
  if (is_undefined(before) || is_undefined(after))
    return;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    const uint64_t bits = layout.getTypeSizeInBits(vector->getElementType());
    if (bits % 8 != 0) { // elements have no byte offsets of their own
      llvm::Type *whole = builder.getIntNTy(unsigned(layout.getTypeSizeInBits(vector)));
      visit_pieces(builder, builder.CreateBitCast(before, whole),
                   builder.CreateBitCast(after, whole), offset, on_piece);
      return;
    }
    for (unsigned i = 0; i != vector->getNumElements(); ++i)
      if (!is_undefined_element(before, i) && !is_undefined_element(after, i))
        visit_pieces(builder, known(builder, builder.CreateExtractElement(before, i)),
                     known(builder, builder.CreateExtractElement(after, i)), offset + i * bits / 8,
                     on_piece);
    return;
  }
  auto visit_field = [&](unsigned index, uint64_t at) {
    if (!is_undefined_field(before, index) && !is_undefined_field(after, index))
      visit_pieces(builder, builder.CreateExtractValue(before, index),
                   builder.CreateExtractValue(after, index), at, on_piece);
  };
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout *fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i != structure->getNumElements(); ++i)
      visit_field(i, offset + fields->getElementOffset(i));
  } else if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    for (unsigned i = 0; i != array->getNumElements(); ++i)
      visit_field(i, offset + i * layout.getTypeAllocSize(array->getElementType()));
  } else {
    on_piece(before, after, offset);
  }
}

llvm::Value *as_bits(llvm::IRBuilder<> &builder, llvm::Value *value) {
  const llvm::DataLayout &layout = builder.GetInsertBlock()->getModule()->getDataLayout();
  llvm::Type *bits = builder.getIntNTy(unsigned(layout.getTypeSizeInBits(value->getType())));
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, bits);
  return builder.CreateBitCast(value, bits);
}

llvm::Align alignment_of(const llvm::AnyMemIntrinsic &block) {
  llvm::Align alignment = block.getDestAlign().valueOrOne();
  if (auto *copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&block))
    alignment = std::min(alignment, copy->getSourceAlign().valueOrOne());
  return std::min(alignment, llvm::Align(8));
}

// Odd multipliers of the hash.
constexpr uint64_t of_places = 0x9e37'79b9'7f4a'7c15, of_values = 0xd6e8'feb8'6659'fd93;

} // namespace

void for_each_piece(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after,
                    OnPiece on_piece) {
  visit_pieces(builder, before, after, 0, on_piece);
}

llvm::Value *differ(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after) {
  llvm::Value *any = nullptr;
  for_each_piece(builder, before, after, [&](llvm::Value *one, llvm::Value *other, uint64_t) {
    if (!one->getType()->isIntOrPtrTy()) {
      one = as_bits(builder, one);
      other = as_bits(builder, other);
    }
    llvm::Value *differs = builder.CreateICmpNE(one, other);
    any = any ? builder.CreateOr(any, differs) : differs;
  });
  return any ? any : builder.getFalse();
}

llvm::Value *emit_replaced(llvm::IRBuilder<> &builder, const llvm::StoreInst &store) {
  return builder.CreateAlignedLoad(store.getValueOperand()->getType(),
                                   const_cast<llvm::Value *>(store.getPointerOperand()),
                                   store.getAlign(), store.isVolatile());
}

Update emit_update(llvm::IRBuilder<> &builder, llvm::Instruction &update) {
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&update)) {
    llvm::Value *found = builder.CreateExtractValue(swap, 0);
    return {
        found,
        builder.CreateSelect(builder.CreateExtractValue(swap, 1), swap->getNewValOperand(), found),
        nullptr};
  }
  auto &operation = llvm::cast<llvm::AtomicRMWInst>(update);
  llvm::Value *operand = operation.getValOperand();
  Update result{&operation,
                llvm::buildAtomicRMWValue(operation.getOperation(), builder, &operation, operand),
                nullptr};
  // The bits of a NaN result are unspecified, and so is the sign of zero in a minimum or maximum.
  if (operation.isFloatingPointOperation())
    result.is_unsure =
        builder.CreateOr(builder.CreateFCmpUNO(operand, operand),
                         builder.CreateAnd(builder.CreateFCmpOEQ(&operation, operand),
                                           differ(builder, &operation, operand)));
  return result;
}

bool is_block(const llvm::Instruction &instruction) {
  if (llvm::isa<llvm::AnyMemIntrinsic>(instruction))
    return true;
  auto primitive = called_primitive(instruction);
  return primitive && is_group_copy(*primitive);
}

// ---- locations

uint64_t WriteSums::name_of(const llvm::Value &variable) {
  return names_.try_emplace(&variable, (names_.size() + 1) * of_places).first->second;
}

WriteSums::Place WriteSums::place_of(llvm::IRBuilder<> &builder, llvm::Value *pointer) {
  Place place{nullptr, builder.getInt64(0), false};
  llvm::Value *base = pointer;
  while (true)
    if (auto *gep = llvm::dyn_cast<llvm::GEPOperator>(base)) {
      base = gep->getPointerOperand();
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(base)) {
      base = cast->getPointerOperand();
    } else {
      break;
    }
  const unsigned space = base->getType()->getPointerAddressSpace();
  auto parameter = places_.find(base);
  place.is_of_parameter = parameter != places_.end();
  if (place.is_of_parameter)
    place.base = parameter->second;
  else if (llvm::isa<llvm::AllocaInst>(base) ||
           (llvm::isa<llvm::GlobalVariable>(base) && space == local_space))
    place.base = builder.getInt64(name_of(*base));
  else if (space != private_space)
    place.base = builder.CreatePtrToInt(base, builder.getInt64Ty());
  for (llvm::Value *at = pointer; place.base && at != base;) {
    auto *gep = llvm::dyn_cast<llvm::GEPOperator>(at);
    if (gep)
      place.offset = builder.CreateAdd(
          place.offset,
          builder.CreateSExtOrTrunc(
              llvm::emitGEPOffset(&builder, function_.getDataLayout(), gep, /*NoAssumptions=*/true),
              builder.getInt64Ty()));
    at = gep ? gep->getPointerOperand()
             : llvm::cast<llvm::AddrSpaceCastOperator>(at)->getPointerOperand();
  }
  return place;
}

llvm::Value *WriteSums::emit_place(llvm::IRBuilder<> &builder, llvm::Value *pointer) {
  const Place place = place_of(builder, pointer);
  if (!place.base)
    return builder.getInt64(nameless);
  llvm::Value *name = builder.CreateAdd(place.base, place.offset);
  if (!place.is_of_parameter)
    return name;
  llvm::Value *has_name =
      builder.CreateAnd(builder.CreateICmpNE(place.base, builder.getInt64(forgotten)),
                        builder.CreateICmpNE(place.base, builder.getInt64(nameless)));
  return builder.CreateSelect(has_name, name, place.base);
}

// ---- hashes

llvm::Value *WriteSums::number(llvm::Value *place, llvm::Value *bits) {
  llvm::Value *mixed =
      builder_.CreateAdd(builder_.CreateMul(place, builder_.getInt64(of_places)), bits);
  for (int i = 0; i != 2; ++i)
    mixed = builder_.CreateMul(builder_.CreateXor(mixed, builder_.CreateLShr(mixed, 32)),
                               builder_.getInt64(of_values));
  return mixed;
}

llvm::Value *WriteSums::change(const Place &place, llvm::Value *offset, llvm::Value *before,
                               llvm::Value *after) {
  auto if_other = [&] {
    return builder_.CreateSelect(differ(builder_, before, after), builder_.getInt64(of_values),
                                 builder_.getInt64(0));
  };
  if (!place.base)
    return if_other();
  // Omits additions of zero, for readable IR.
  auto plus = [&](llvm::Value *one, llvm::Value *other) {
    auto is_zero = [](llvm::Value *value) {
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      return constant && constant->isZero();
    };
    return is_zero(one) ? other : is_zero(other) ? one : builder_.CreateAdd(one, other);
  };
  llvm::Value *total = builder_.getInt64(0);
  llvm::Value *begin = plus(place.base, place.offset);
  if (offset)
    begin = plus(begin, offset);
  auto add_word = [&](llvm::Value *at, llvm::Value *one, llvm::Value *other) {
    total = plus(total, builder_.CreateSub(number(at, other), number(at, one)));
  };
  for_each_piece(
      builder_, before, after, [&](llvm::Value *one, llvm::Value *other, uint64_t piece) {
        one = known(builder_, as_bits(builder_, one));
        other = known(builder_, as_bits(builder_, other));
        constexpr unsigned word = 64;
        for (unsigned bit = 0; bit < one->getType()->getIntegerBitWidth(); bit += word) {
          auto part = [&](llvm::Value *value) {
            return builder_.CreateZExtOrTrunc(bit == 0 ? value : builder_.CreateLShr(value, bit),
                                              builder_.getInt64Ty());
          };
          add_word(plus(begin, builder_.getInt64(piece + bit / 8)), part(one), part(other));
        }
      });
  if (!place.is_of_parameter)
    return total;
  auto is = [&](uint64_t name) {
    return builder_.CreateICmpEQ(place.base, builder_.getInt64(name));
  };
  return builder_.CreateSelect(is(forgotten), builder_.getInt64(0),
                               builder_.CreateSelect(is(nameless), if_other(), total));
}

void WriteSums::add_to(llvm::Value *sum, llvm::Value *change) {
  auto *so_far = builder_.CreateLoad(builder_.getInt64Ty(), sum);
  builder_.CreateStore(builder_.CreateAdd(so_far, change), sum);
}

// ---- writes

llvm::Instruction &WriteSums::split_before(llvm::Instruction &place, llvm::Value *watched) {
  builder_.SetInsertPoint(&place);
  if (watched->getType()->isPointerTy())
    watched = builder_.CreateLoad(builder_.getInt1Ty(), watched);
  const llvm::BasicBlock *head = place.getParent();
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
      watched, place.getIterator(), /*Unreachable=*/false,
      llvm::MDBuilder(place.getContext()).createUnlikelyBranchWeights(), updater_, loops_);
  splits_.push_back({head, then->getParent(), place.getParent()});
  return *then;
}

llvm::BranchInst &WriteSums::add(llvm::Instruction &write, llvm::Value *watched, llvm::Value *sum) {
  const bool is_update = llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(write);
  llvm::Instruction &then = split_before(is_update ? *write.getNextNode() : write, watched);
  llvm::BasicBlock *head = then.getParent()->getSinglePredecessor();
  builder_.SetInsertPoint(&then);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&write)) {
    llvm::Value *before = emit_replaced(builder_, *store);
    add_to(sum, change(place_of(builder_, store->getPointerOperand()), nullptr, before,
                       store->getValueOperand()));
  } else if (is_update) {
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&write);
    llvm::Value *pointer = swap ? swap->getPointerOperand()
                                : llvm::cast<llvm::AtomicRMWInst>(write).getPointerOperand();
    const Update update = emit_update(builder_, write);
    llvm::Value *changed =
        change(place_of(builder_, pointer), nullptr, update.before, update.after);
    if (update.is_unsure)
      changed = builder_.CreateAdd(changed, builder_.CreateSelect(update.is_unsure,
                                                                  builder_.getInt64(of_places),
                                                                  builder_.getInt64(0)));
    add_to(sum, changed);
  } else {
    add_block(llvm::cast<llvm::CallBase>(write), sum);
  }
  return llvm::cast<llvm::BranchInst>(*head->getTerminator());
}

void WriteSums::add_block(llvm::CallBase &block, llvm::Value *sum) {
  if (auto *bytes = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&block))
    add_bytes(*bytes, sum);
  else if (called_primitive(block) == Primitive::group_copy)
    add_copy_of_group(block, sum);
  else
    add_copy_of_lines(block, sum);
}

llvm::Value *WriteSums::load_at(llvm::Value *pointer, llvm::Value *offset, uint64_t bytes,
                                llvm::Align alignment) {
  return builder_.CreateAlignedLoad(builder_.getIntNTy(unsigned(8 * bytes)),
                                    builder_.CreatePtrAdd(pointer, offset), alignment);
}

// Emits a loop that runs `body` for each index below `count`.
void WriteSums::repeat(llvm::Value *count, llvm::function_ref<void(llvm::Value *index)> body) {
  llvm::Instruction *behind = &*builder_.GetInsertPoint();
  llvm::BasicBlock *head = behind->getParent();
  llvm::BasicBlock *tail = llvm::SplitBlock(head, behind->getIterator(), updater_, loops_);
  llvm::LLVMContext &context = builder_.getContext();
  auto *header = llvm::BasicBlock::Create(context, "compare", &function_, tail);
  auto *more = llvm::BasicBlock::Create(context, "compare.more", &function_, tail);
  head->getTerminator()->setSuccessor(0, header);
  builder_.SetInsertPoint(header);
  auto *index = builder_.CreatePHI(count->getType(), 2);
  builder_.CreateCondBr(builder_.CreateICmpULT(index, count), more, tail);
  builder_.SetInsertPoint(more);
  body(index);
  index->addIncoming(llvm::ConstantInt::get(index->getType(), 0), head);
  index->addIncoming(builder_.CreateNUWAdd(index, llvm::ConstantInt::get(index->getType(), 1)),
                     more);
  builder_.CreateBr(header);
  builder_.SetInsertPoint(behind);
  if (updater_) {
    using llvm::DominatorTree;
    updater_->applyUpdates({{DominatorTree::Insert, head, header},
                            {DominatorTree::Insert, header, more},
                            {DominatorTree::Insert, header, tail},
                            {DominatorTree::Insert, more, header},
                            {DominatorTree::Delete, head, tail}});
  }
  if (loops_) {
    llvm::Loop *loop = loops_->AllocateLoop();
    if (llvm::Loop *around = loops_->getLoopFor(head))
      around->addChildLoop(loop);
    else
      loops_->addTopLevelLoop(loop);
    loop->addBasicBlockToLoop(header, *loops_);
    loop->addBasicBlockToLoop(more, *loops_);
  }
  splits_.push_back({head, header, more});
  splits_.push_back({head, tail, tail});
}

// Splits the block into the largest parts that its alignment allows; emits a loop for many of them.
void WriteSums::add_bytes(llvm::AnyMemIntrinsic &block, llvm::Value *sum) {
  const Place place = place_of(builder_, block.getRawDest());
  const llvm::Align alignment = alignment_of(block);
  auto *copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&block);
  auto part = [&](llvm::Value *offset, uint64_t bytes, llvm::Align here) {
    llvm::Value *before = load_at(block.getRawDest(), offset, bytes, here), *after = nullptr;
    if (copy)
      after = load_at(copy->getRawSource(), offset, bytes, here);
    else
      after = builder_.CreateMul(
          builder_.CreateZExt(llvm::cast<llvm::AnyMemSetInst>(block).getValue(), before->getType()),
          builder_.getInt(llvm::APInt::getSplat(unsigned(8 * bytes), llvm::APInt(8, 1))));
    add_to(sum, change(place, offset, before, after));
  };
  auto *length = llvm::dyn_cast<llvm::ConstantInt>(block.getLength());
  if (length && length->getValue().ule(limits::words_in_line * sizeof(uint32_t))) {
    for (uint64_t offset = 0; offset != length->getZExtValue();) {
      const llvm::Align here = llvm::commonAlignment(alignment, offset);
      const auto bytes = std::min(here.value(), llvm::bit_floor(length->getZExtValue() - offset));
      part(builder_.getInt64(offset), bytes, here);
      offset += bytes;
    }
    return;
  }
  const llvm::Align step =
      length ? llvm::commonAlignment(alignment, length->getZExtValue()) : llvm::Align(1);
  llvm::Value *count = builder_.CreateLShr(
      builder_.CreateZExtOrTrunc(block.getLength(), builder_.getInt64Ty()), llvm::Log2(step));
  repeat(count, [&](llvm::Value *index) {
    part(builder_.CreateShl(index, llvm::Log2(step)), step.value(), step);
  });
}

// (dst, src, count, dst_stride, src_stride, element_size), strides in elements. Processes an
// element in parts.
void WriteSums::add_copy_of_group(llvm::CallBase &copy, llvm::Value *sum) {
  const Place place = place_of(builder_, copy.getArgOperand(0));
  llvm::Value *size = copy.getArgOperand(5);
  auto *known_size = llvm::dyn_cast<llvm::ConstantInt>(size);
  const llvm::Align step = known_size
                               ? llvm::commonAlignment(llvm::Align(8), known_size->getZExtValue())
                               : llvm::Align(1);
  llvm::Value *parts = builder_.CreateLShr(size, llvm::Log2(step));
  repeat(builder_.CreateMul(copy.getArgOperand(2), parts), [&](llvm::Value *index) {
    llvm::Value *element = builder_.CreateUDiv(index, parts);
    llvm::Value *within = builder_.CreateShl(builder_.CreateURem(index, parts), llvm::Log2(step));
    auto offset = [&](unsigned stride) {
      return builder_.CreateAdd(
          builder_.CreateMul(builder_.CreateMul(element, copy.getArgOperand(stride)), size),
          within);
    };
    llvm::Value *to = offset(3);
    llvm::Value *before = load_at(copy.getArgOperand(0), to, step.value(), llvm::Align(1));
    llvm::Value *after = load_at(copy.getArgOperand(1), offset(4), step.value(), llvm::Align(1));
    add_to(sum, change(place, to, before, after));
  });
}

// (dst, src, line_bytes, lines, planes, dst_line, dst_plane, src_line, src_plane), all in bytes.
void WriteSums::add_copy_of_lines(llvm::CallBase &copy, llvm::Value *sum) {
  const Place place = place_of(builder_, copy.getArgOperand(0));
  llvm::Value *bytes = copy.getArgOperand(2), *lines = copy.getArgOperand(3);
  llvm::Value *count = builder_.CreateMul(builder_.CreateMul(bytes, lines), copy.getArgOperand(4));
  repeat(count, [&](llvm::Value *index) {
    llvm::Value *line = builder_.CreateUDiv(index, bytes);
    llvm::Value *plane = builder_.CreateUDiv(line, lines);
    llvm::Value *within = builder_.CreateURem(index, bytes);
    line = builder_.CreateURem(line, lines);
    auto offset = [&](unsigned pitches) {
      return builder_.CreateAdd(
          within, builder_.CreateAdd(builder_.CreateMul(line, copy.getArgOperand(pitches)),
                                     builder_.CreateMul(plane, copy.getArgOperand(pitches + 1))));
    };
    llvm::Value *to = offset(5);
    llvm::Value *before = load_at(copy.getArgOperand(0), to, 1, llvm::Align(1));
    llvm::Value *after = load_at(copy.getArgOperand(1), offset(7), 1, llvm::Align(1));
    add_to(sum, change(place, to, before, after));
  });
}

} // namespace lockstep::compiler
