// Rewrites gathers and scatters to use 32-bit indices from one scalar base, if the program has
// such.
//
//   table[h & 255]        in the program
//   table + 4 * sext(h)   16 addresses in two registers, shifted and added; two gathers of eight
//
// x86 gathers 16 elements at once by 32-bit indices, which the instruction extends and scales. The
// code generator uses this form if the address is one getelementptr of a scalar pointer whose index
// is extended in the same block. By this stage, `table[a + b]` often is several getelementptrs of
// vectors, and the extension was hoisted out of the loop.
//
// Input:  any function, after all optimization.
// Output: a single getelementptr before each gather or scatter whose address is a scalar pointer,
//         plus uniform terms, plus one 32-bit index. A zero-extended index is offset by half of its
//         range, so that it becomes signed: table + 2^31 elements + sext(h ^ 2^31).
//
// Leaves vectors of fewer than 16 lanes (eight addresses fit into one register) and elements of 8
// and 16 bits (no instruction gathers them).
#include "compiler/lanes/packetize/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

// An address: one scalar pointer, plus uniform terms, plus `scale` times an extended index.
struct NarrowAddress {
  llvm::Value *base = nullptr;
  IndexExpression uniform;
  llvm::Value *index = nullptr; // at most 32 bits wide
  uint64_t scale = 0;
  bool is_signed = false;
};

// Returns nullopt if the addresses have another form.
std::optional<NarrowAddress> narrow_address(const IndexExpression &address) {
  NarrowAddress result{.uniform = address};
  result.uniform.terms.clear();
  for (const IndexExpression::Term &term : address.terms) {
    auto *value = const_cast<llvm::Value *>(term.symbol.value);
    if (value && value->getType()->isPointerTy() && term.coefficient == 1 && !result.base) {
      result.base = value;
    } else if (value &&
               (!value->getType()->isVectorTy() || term.symbol.element != IndexSymbol::whole)) {
      result.uniform.terms.push_back(term);
    } else if (value && !result.index && term.symbol.extension != Extension::none &&
               value->getType()->getScalarSizeInBits() <= 32) {
      result.index = value;
      result.scale = uint64_t(term.coefficient);
      result.is_signed = term.symbol.extension == Extension::sign;
    } else {
      return std::nullopt;
    }
  }
  // The scales that the instruction supports.
  const bool is_scale =
      result.scale == 1 || result.scale == 2 || result.scale == 4 || result.scale == 8;
  return result.base && result.index && is_scale ? std::optional(result) : std::nullopt;
}

llvm::Value *emit(llvm::IRBuilder<> &builder, NarrowAddress address) {
  llvm::Type *narrow = address.index->getType()->getWithNewType(builder.getInt32Ty());
  llvm::Value *index = address.is_signed ? builder.CreateSExt(address.index, narrow)
                                         : builder.CreateZExt(address.index, narrow);
  if (!address.is_signed && address.index->getType()->getScalarSizeInBits() == 32) {
    index = builder.CreateXor(index, llvm::ConstantInt::get(narrow, uint64_t{1} << 31));
    address.uniform.constant += int64_t(address.scale << 31);
  }
  llvm::Value *base = address.base;
  if (!address.uniform.terms.empty() || address.uniform.constant != 0)
    base = builder.CreatePtrAdd(
        base, emit_sum(builder, address.uniform, 1, [](const IndexSymbol &symbol) {
          return const_cast<llvm::Value *>(symbol.value);
        }));
  index = builder.CreateSExt(index, narrow->getWithNewType(builder.getInt64Ty()));
  return builder.CreateGEP(builder.getIntNTy(unsigned(8 * address.scale)), base, index,
                           "narrow.indices");
}

// Returns the operand with the addresses; nullopt for instructions that this pass leaves alone.
std::optional<unsigned> addresses_of(const llvm::IntrinsicInst &access) {
  const bool is_gather = access.getIntrinsicID() == llvm::Intrinsic::masked_gather;
  if (!is_gather && access.getIntrinsicID() != llvm::Intrinsic::masked_scatter)
    return std::nullopt;
  auto *type = llvm::cast<llvm::VectorType>(is_gather ? access.getType()
                                                      : access.getArgOperand(0)->getType());
  const unsigned bits = type->getScalarSizeInBits();
  if (type->getElementCount().getFixedValue() < limits::lanes_in_line || (bits != 32 && bits != 64))
    return std::nullopt;
  return is_gather ? 0 : 1;
}

} // namespace

llvm::PreservedAnalyses NarrowGatherIndicesPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &analyses) {
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const auto operand = access ? addresses_of(*access) : std::nullopt;
    if (!operand)
      continue;
    const llvm::Value &pointers = *access->getArgOperand(*operand);
    // The index is the whole narrow value, which the instruction extends.
    const auto address = narrow_address(expressions.of(pointers, Depth::vectors));
    if (!address)
      continue;
    llvm::IRBuilder<> builder(access);
    access->setArgOperand(*operand, emit(builder, *address));
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
