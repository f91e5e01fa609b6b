// Splits vector types into their elements, so that each element becomes a vector over the lanes.
//
// Input:  the kernel of one work-item, without memory intrinsics (expand-copies).
// Output: no instruction has a vector type; memory is accessed in scalars.
//
// LLVM's Scalarizer does most of the work. This pass handles the rest: volatile and atomic vector
// accesses, bit casts between a vector and a scalar (as_uint(uchar4)), and reductions. Adjacent
// accesses are combined again by packetize (interleaved accesses).
#include "compiler/lanes/split/passes.h"

#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

using Elements = llvm::SmallVector<llvm::Value *, 16>;

Elements elements_of(llvm::IRBuilderBase &builder, llvm::Value *vector) {
  Elements elements;
  for (unsigned index = 0;
       index != llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements(); ++index)
    elements.push_back(builder.CreateExtractElement(vector, index));
  return elements;
}

llvm::Value *vector_of(llvm::IRBuilderBase &builder, llvm::Type *type,
                       llvm::ArrayRef<llvm::Value *> elements) {
  llvm::Value *vector = llvm::PoisonValue::get(type);
  for (unsigned index = 0; index != elements.size(); ++index)
    vector = builder.CreateInsertElement(vector, elements[index], index);
  return vector;
}

unsigned bits_of(llvm::Type *type) {
  return type->getPrimitiveSizeInBits().getFixedValue();
}

// Packs the bits of a vector into one integer in memory order, the first element lowest.
llvm::Value *to_integer(llvm::IRBuilderBase &builder, llvm::Value *vector) {
  llvm::Type *whole = builder.getIntNTy(bits_of(vector->getType()));
  llvm::Value *integer = llvm::ConstantInt::get(whole, 0);
  unsigned shift = 0;
  for (llvm::Value *element : elements_of(builder, vector)) {
    unsigned bits = bits_of(element->getType());
    element = builder.CreateZExt(builder.CreateBitCast(element, builder.getIntNTy(bits)), whole);
    integer = builder.CreateOr(integer, builder.CreateShl(element, shift));
    shift += bits;
  }
  return integer;
}

llvm::Value *from_integer(llvm::IRBuilderBase &builder, llvm::Value *integer,
                          llvm::FixedVectorType *type) {
  Elements elements;
  unsigned bits = bits_of(type->getElementType());
  for (unsigned index = 0; index != type->getNumElements(); ++index)
    elements.push_back(builder.CreateBitCast(
        builder.CreateTrunc(builder.CreateLShr(integer, uint64_t{index} * bits),
                            builder.getIntNTy(bits)),
        type->getElementType()));
  return vector_of(builder, type, elements);
}

llvm::Value *split_cast(llvm::BitCastInst &cast) {
  llvm::IRBuilder<> builder(&cast);
  llvm::Type *from = cast.getSrcTy(), *to = cast.getDestTy();
  llvm::Value *integer =
      from->isVectorTy()
          ? to_integer(builder, cast.getOperand(0))
          : builder.CreateBitCast(cast.getOperand(0), builder.getIntNTy(bits_of(from)));
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(to))
    return from_integer(builder, integer, vector);
  return builder.CreateBitCast(integer, to);
}

llvm::Value *element_address(llvm::IRBuilderBase &builder, llvm::Value *pointer,
                             llvm::Type *element, unsigned index) {
  return builder.CreateConstInBoundsGEP1_32(element, pointer, index);
}

// Vectors of bits are packed in memory, the first element in the lowest bit of the first byte.
// InstCombine creates such loads to test one bit of an integer in a vector.
llvm::Value *split_load_of_bits(llvm::LoadInst &load) {
  auto *type = llvm::cast<llvm::FixedVectorType>(load.getType());
  llvm::IRBuilder<> builder(&load);
  llvm::Type *byte = builder.getInt8Ty();
  Elements elements;
  llvm::Value *loaded = nullptr;
  for (unsigned index = 0; index != type->getNumElements(); ++index) {
    if (index % 8 == 0)
      loaded = builder.CreateAlignedLoad(
          byte, element_address(builder, load.getPointerOperand(), byte, index / 8),
          llvm::commonAlignment(load.getAlign(), index / 8), load.isVolatile());
    elements.push_back(
        builder.CreateTrunc(builder.CreateLShr(loaded, index % 8), type->getElementType()));
  }
  return vector_of(builder, type, elements);
}

void split_store_of_bits(llvm::StoreInst &store) {
  llvm::IRBuilder<> builder(&store);
  llvm::Type *byte = builder.getInt8Ty();
  Elements elements = elements_of(builder, store.getValueOperand());
  llvm::Value *stored = builder.getInt8(0);
  for (unsigned index = 0; index != elements.size(); ++index) {
    stored = builder.CreateOr(
        stored, builder.CreateShl(builder.CreateZExt(elements[index], byte), index % 8));
    if (index % 8 != 7 && index + 1 != elements.size())
      continue;
    builder.CreateAlignedStore(
        stored, element_address(builder, store.getPointerOperand(), byte, index / 8),
        llvm::commonAlignment(store.getAlign(), index / 8), store.isVolatile());
    stored = builder.getInt8(0);
  }
}

llvm::Value *split_load(llvm::LoadInst &load) {
  auto *type = llvm::cast<llvm::FixedVectorType>(load.getType());
  llvm::Type *element = type->getElementType();
  if (element->isIntegerTy(1))
    return split_load_of_bits(load);
  llvm::IRBuilder<> builder(&load);
  uint64_t size = load.getDataLayout().getTypeStoreSize(element);
  Elements elements;
  for (unsigned index = 0; index != type->getNumElements(); ++index)
    elements.push_back(builder.CreateAlignedLoad(
        element, element_address(builder, load.getPointerOperand(), element, index),
        llvm::commonAlignment(load.getAlign(), index * size), load.isVolatile()));
  return vector_of(builder, type, elements);
}

void split_store(llvm::StoreInst &store) {
  auto *type = llvm::cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
  llvm::Type *element = type->getElementType();
  if (element->isIntegerTy(1))
    return split_store_of_bits(store);
  llvm::IRBuilder<> builder(&store);
  uint64_t size = store.getDataLayout().getTypeStoreSize(element);
  Elements elements = elements_of(builder, store.getValueOperand());
  for (unsigned index = 0; index != elements.size(); ++index)
    builder.CreateAlignedStore(
        elements[index], element_address(builder, store.getPointerOperand(), element, index),
        llvm::commonAlignment(store.getAlign(), index * size), store.isVolatile());
}

llvm::Value *split_reduction(llvm::IntrinsicInst &reduction) {
  llvm::IRBuilder<> builder(&reduction);
  builder.setFastMathFlags(llvm::isa<llvm::FPMathOperator>(reduction) ? reduction.getFastMathFlags()
                                                                      : llvm::FastMathFlags());
  using llvm::Intrinsic::ID;
  struct Row {
    ID reduction;
    unsigned opcode;  // 0: use the intrinsic
    ID intrinsic = 0; // if `opcode` is 0
  };
  using I = llvm::Instruction;
  static constexpr Row rows[] = {
      {llvm::Intrinsic::vector_reduce_add, I::Add},
      {llvm::Intrinsic::vector_reduce_mul, I::Mul},
      {llvm::Intrinsic::vector_reduce_and, I::And},
      {llvm::Intrinsic::vector_reduce_or, I::Or},
      {llvm::Intrinsic::vector_reduce_xor, I::Xor},
      {llvm::Intrinsic::vector_reduce_fadd, I::FAdd},
      {llvm::Intrinsic::vector_reduce_fmul, I::FMul},
      {llvm::Intrinsic::vector_reduce_smax, 0, llvm::Intrinsic::smax},
      {llvm::Intrinsic::vector_reduce_smin, 0, llvm::Intrinsic::smin},
      {llvm::Intrinsic::vector_reduce_umax, 0, llvm::Intrinsic::umax},
      {llvm::Intrinsic::vector_reduce_umin, 0, llvm::Intrinsic::umin},
      {llvm::Intrinsic::vector_reduce_fmax, 0, llvm::Intrinsic::maxnum},
      {llvm::Intrinsic::vector_reduce_fmin, 0, llvm::Intrinsic::minnum},
      {llvm::Intrinsic::vector_reduce_fmaximum, 0, llvm::Intrinsic::maximum},
      {llvm::Intrinsic::vector_reduce_fminimum, 0, llvm::Intrinsic::minimum},
  };
  for (const Row &row : rows) {
    if (row.reduction != reduction.getIntrinsicID())
      continue;
    // Floating-point sums and products have a start value before the vector.
    unsigned vector = reduction.arg_size() - 1;
    Elements elements = elements_of(builder, reduction.getArgOperand(vector));
    if (vector == 1)
      elements.insert(elements.begin(), reduction.getArgOperand(0));
    llvm::Value *result = elements[0];
    for (llvm::Value *element : llvm::drop_begin(elements))
      result = row.opcode
                   ? builder.CreateBinOp(static_cast<I::BinaryOps>(row.opcode), result, element)
                   : builder.CreateBinaryIntrinsic(row.intrinsic, result, element);
    return result;
  }
  return nullptr;
}

// Splits what the Scalarizer leaves. A second run of the Scalarizer removes the extracts and
// inserts.
bool split_rest(llvm::Function &function) {
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *result = nullptr;
    if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction)) {
      if (cast->getSrcTy()->isVectorTy() != cast->getDestTy()->isVectorTy() ||
          (cast->getSrcTy()->isVectorTy() && cast->getSrcTy() != cast->getDestTy()))
        result = split_cast(*cast);
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->getType()->isVectorTy())
        result = split_load(*load);
    } else if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      result = split_reduction(*intrinsic);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (!store->getValueOperand()->getType()->isVectorTy())
        continue;
      split_store(*store);
      store->eraseFromParent();
      changed = true;
      continue;
    }
    if (!result)
      continue;
    instruction.replaceAllUsesWith(result);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

bool has_vectors(const llvm::Instruction &instruction) {
  // A vector argument is uniform, and only extracts of its elements remain.
  if (auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction);
      extract && llvm::isa<llvm::Argument>(extract->getVectorOperand()))
    return false;
  return instruction.getType()->isVectorTy() ||
         llvm::any_of(instruction.operands(),
                      [](const llvm::Use &use) { return use->getType()->isVectorTy(); });
}

// Reports an error for vectors that could not be split: they would become vectors of vectors. A
// call is reported first, since it usually is the reason for the others.
void report_vectors(const llvm::Function &function) {
  llvm::StringRef first;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if ((!call && !first.empty()) || !has_vectors(instruction))
      continue;
    first = call ? call->getCalledOperand()->getName() : instruction.getOpcodeName();
    if (call)
      break;
  }
  if (!first.empty())
    function.getContext().diagnose(
        llvm::DiagnosticInfoGeneric("split-vectors: cannot split '" + first + "'", llvm::DS_Error));
}

} // namespace

llvm::PreservedAnalyses SplitVectorsPass::run_in_lanes(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &analyses) {
  // The Scalarizer skips unreachable blocks, which still exist without optimization.
  if (llvm::EliminateUnreachableBlocks(function))
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  llvm::ScalarizerPass scalarizer(options);
  analyses.invalidate(function, scalarizer.run(function, analyses));
  if (split_rest(function)) {
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    analyses.invalidate(function, scalarizer.run(function, analyses));
  }
  // Simplify the remaining extracts of inserted elements.
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (llvm::isa<llvm::ExtractElementInst>(instruction))
      if (llvm::Value *simple = llvm::simplifyInstruction(&instruction, function.getDataLayout()))
        instruction.replaceAllUsesWith(simple);
  llvm::DCEPass().run(function, analyses);
  report_vectors(function);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
