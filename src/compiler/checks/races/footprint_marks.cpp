#include "compiler/checks/races/footprint_marks.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/image_texels.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

static constexpr uint64_t word = 4;

FootprintMarks::FootprintMarks(llvm::Function &function)
    : function_(function), layout_(function.getDataLayout()), builder_(function.getContext()) {}

std::optional<FootprintMarks::Memory> FootprintMarks::memory_of(const llvm::Value &object,
                                                                const llvm::DataLayout &layout) {
  auto *argument = llvm::dyn_cast<llvm::Argument>(&object);
  const bool is_direct = argument != nullptr;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&object);
      load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
      load->getType()->getPointerAddressSpace() == global_space &&
      load->getPointerAddressSpace() == constant_space) {
    argument = llvm::dyn_cast<llvm::Argument>(load->getPointerOperand());
    // The mark loads it at kernel entry, also if the kernel would not, so it must be
    // dereferenceable.
    if (argument && argument->getDereferenceableBytes() < layout.getPointerSize())
      return std::nullopt;
  }
  if (!argument || argument->getArgNo() >= FootprintMapNumber::most_arguments ||
      (is_direct && argument->getType()->getPointerAddressSpace() != global_space &&
       !is_constant_buffer(*argument)))
    return std::nullopt;
  return Memory{const_cast<llvm::Argument *>(argument), !is_direct};
}

bool FootprintMarks::begins(const llvm::Value &value, const Memory &memory) const {
  return !llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator>(value) &&
         memory_of(value, layout_) == memory;
}

llvm::Value *FootprintMarks::begin_of(const Memory &memory, llvm::IRBuilder<> &entry) const {
  if (!memory.is_loaded)
    return memory.argument;
  auto *load = entry.CreateLoad(entry.getPtrTy(global_space), memory.argument);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(function_.getContext(), {}));
  return load;
}

bool FootprintMarks::add(llvm::Instruction &access, llvm::Value *pointer, uint64_t size,
                         FootprintKind kind) {
  return size <= cache_line_bytes && add({&access, pointer, {}, size, nullptr, kind});
}

bool FootprintMarks::add_row(llvm::CallInst &copy, llvm::Value *pointer, llvm::Value *count,
                             uint64_t size, FootprintKind kind) {
  return add({&copy, pointer, {}, size, count, kind});
}

void FootprintMarks::add_update(llvm::Instruction &update, llvm::Value *pointer, uint64_t size,
                                FootprintKind kind, llvm::Argument &argument) {
  marks_.push_back({&update, pointer, {&argument, false}, size, nullptr, kind, true});
}

bool FootprintMarks::add(const Mark &mark) {
  llvm::SmallVector<const llvm::Value *, 2> objects;
  llvm::getUnderlyingObjects(mark.pointer, objects);
  const auto memory = memory_of(*objects[0], layout_);
  if (!memory || !llvm::all_of(objects, [&](const llvm::Value *each) {
        return memory_of(*each, layout_) == memory;
      }))
    return false;
  marks_.push_back(mark);
  marks_.back().memory = *memory;
  return true;
}

llvm::Value *FootprintMarks::words_from(const Mark &mark) {
  if (mark.size % word != 0)
    return nullptr;
  const unsigned bits = layout_.getIndexSizeInBits(global_space);
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> steps;
  llvm::APInt constant(bits, 0);
  llvm::Value *rest = mark.pointer;
  while (!begins(*rest, mark.memory)) {
    if (auto *step = llvm::dyn_cast<llvm::GEPOperator>(rest)) {
      if (!step->collectOffset(layout_, bits, steps, constant))
        return nullptr;
      rest = step->getPointerOperand();
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(rest)) {
      rest = cast->getPointerOperand();
    } else {
      return nullptr;
    }
  }
  // LLVM writes `p + 4 * (x / 8)` as bytes: `p + (x / 2 & ~3)`.
  constexpr unsigned bits_of_word = llvm::ConstantLog2<word>();
  const auto zeros_of = [this](const llvm::Value &index) {
    return llvm::computeKnownBits(&index, layout_).countMinTrailingZeros();
  };
  const auto is_of_words = [](const llvm::APInt &bytes) { return bytes.srem(word) == 0; };
  if (!is_of_words(constant) || !llvm::all_of(steps, [&](const auto &each) {
        return is_of_words(each.second) ||
               zeros_of(*each.first) + each.second.countr_zero() >= bits_of_word;
      }))
    return nullptr;
  llvm::Value *sum = nullptr;
  for (const auto &[index, scale] : steps) {
    llvm::Value *wide = builder_.CreateSExtOrTrunc(index, builder_.getInt64Ty());
    if (!is_of_words(scale))
      wide = builder_.CreateAShr(
          builder_.CreateMul(wide, builder_.getInt64(uint64_t(scale.getSExtValue()))),
          bits_of_word);
    else if (const int64_t words = scale.getSExtValue() / int64_t(word); words != 1)
      wide = builder_.CreateMul(wide, builder_.getInt64(uint64_t(words)));
    sum = sum ? builder_.CreateAdd(sum, wide) : wide;
  }
  llvm::Value *first = builder_.getInt64(uint64_t(constant.getSExtValue() / int64_t(word)));
  if (!sum)
    return first;
  if (!constant.isZero())
    sum = builder_.CreateAdd(sum, first);
  return sum;
}

// The address of the first mark; with unit 1, the distance from a byte to its mark, or 0 without
// marks.
llvm::Value *FootprintMarks::map(const Mark &mark, uint32_t unit) {
  auto [known, is_new] = maps_.try_emplace({mark.memory, mark.kind, unit}, nullptr);
  if (is_new) {
    llvm::IRBuilder<> entry(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::CallInst *made = query_constant(
        entry, Primitive::check_footprint,
        {entry.getInt32(FootprintMapNumber::of(mark.memory.argument->getArgNo(), mark.kind, unit)),
         entry.getInt32(static_cast<uint32_t>(mark.kind)), entry.getInt32(unit),
         entry.CreateAddrSpaceCast(begin_of(mark.memory, entry), entry.getPtrTy(generic_space))});
    made->getCalledFunction()->addFnAttr(llvm::Attribute::Speculatable);
    known->second = made;
  }
  return known->second;
}

// The address is computed from loaded values, such as `x[column[i]]` or the nodes of a tree.
static bool is_gathered(const llvm::Value &pointer) {
  llvm::SmallSetVector<const llvm::Value *, 16> all;
  all.insert(&pointer);
  for (std::size_t i = 0; i != all.size() && i != limits::search_steps; ++i) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(all[i]);
    if (!instruction)
      continue;
    if (llvm::isa<llvm::LoadInst>(instruction) &&
        !instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load))
      return true;
    if (!llvm::isa<llvm::CallInst>(instruction))
      all.insert(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

// All workers update the same elements of privatized memory, may poll or update the same words by
// atomics, and often read the same elements at gathered addresses. All would write the same marks,
// and each write takes the cache line of another worker. They test them first.
void FootprintMarks::store(const Mark &mark, llvm::Value *to, llvm::ConstantInt *ones) {
  const bool reads =
      mark.kind == FootprintKind::reads || mark.kind == FootprintKind::atomically_reads;
  if (!mark.is_of_copy && !mark.access->isAtomic() && !atomic_multiply(*mark.access) &&
      !(reads && is_gathered(*mark.pointer))) {
    builder_.CreateAlignedStore(ones, to, llvm::Align(1));
    return;
  }
  llvm::Value *is_new = builder_.CreateICmpNE(
      builder_.CreateAlignedLoad(ones->getType(), to, llvm::Align(1), "mark"), ones);
  llvm::MDBuilder metadata(function_.getContext());
  llvm::Instruction *then =
      llvm::SplitBlockAndInsertIfThen(is_new, builder_.GetInsertPoint(), /*Unreachable=*/false,
                                      metadata.createUnlikelyBranchWeights());
  llvm::Instruction *after = &*builder_.GetInsertPoint();
  builder_.SetInsertPoint(then);
  builder_.CreateAlignedStore(ones, to, llvm::Align(1));
  builder_.SetInsertPoint(after);
}

void FootprintMarks::make() {
  llvm::MDBuilder metadata(function_.getContext());
  for (const Mark &mark : marks_) {
    builder_.SetInsertPoint(mark.access);
    builder_.SetCurrentDebugLocation(mark.access->getDebugLoc());
    llvm::Value *words = words_from(mark);
    if (!words && mark.is_of_copy)
      words = builder_.CreateLShr(
          builder_.CreateSub(builder_.CreatePtrToInt(mark.pointer, builder_.getInt64Ty()),
                             builder_.CreatePtrToInt(mark.memory.argument, builder_.getInt64Ty())),
          llvm::countr_zero(word));
    llvm::Value *marks = map(mark, words ? word : 1);
    llvm::Instruction *end = llvm::SplitBlockAndInsertIfThen(
        builder_.CreateIsNotNull(marks), mark.access->getIterator(), /*Unreachable=*/false,
        metadata.createLikelyBranchWeights());
    builder_.SetInsertPoint(end);
    llvm::Value *place = builder_.CreateAdd(
        marks, words ? words : builder_.CreatePtrToInt(mark.pointer, builder_.getInt64Ty()));
    const uint64_t size = words ? mark.size / word : mark.size;
    if (mark.count) {
      builder_.CreateMemSet(
          builder_.CreateIntToPtr(place, builder_.getPtrTy(global_space)), builder_.getInt8(1),
          builder_.CreateMul(mark.count, builder_.getInt64(size)), llvm::Align(1));
      continue;
    }
    for (uint64_t left = size, done = 0; left != 0;) {
      const uint64_t some = llvm::bit_floor(std::min<uint64_t>(left, 8));
      llvm::APInt ones = llvm::APInt::getSplat(unsigned(8 * some), llvm::APInt(8, 1));
      llvm::Value *here = done == 0 ? place : builder_.CreateAdd(place, builder_.getInt64(done));
      llvm::Value *to = builder_.CreateIntToPtr(here, builder_.getPtrTy(global_space));
      store(mark, to, builder_.getInt(ones));
      done += some;
      left -= some;
    }
  }
}

} // namespace lockstep::compiler
