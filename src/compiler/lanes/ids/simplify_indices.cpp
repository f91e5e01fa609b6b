// Simplifies operations that select a part of an index, and restores narrow indices.
//
//   tid = local_id(1) * 16 + local_id(0)     x = tid % 16        y = tid / 16
//   tid = (ly << 4) | lx                     x = tid & 15        y = tid >> 4
//                                            x = lx              y = ly
//
// Kernels distribute their copies into local memory in this way. LLVM drops the unused summand only
// if the sum has no other use, and only if it is one of bits. Lane shapes cannot be derived from
// the low bits of a sum of which only distances are known, and a branch on `y` would diverge.
// Without this pass, uniform or consecutive accesses would become gathers and scatters.
//
// InstCombine turns `(long)(int)x` into `(x << 32) >> 32`, `(long)(3 * (int)x + 1)` into
// `((3 << 32) * x + (1 << 32)) >> 32`, `(ulong)(uint)x` into `x & 0xffffffff`, and 4 times that into
// `(x << 2) & 0x3fffffffc`. Lane shapes propagate through casts only.
//
// Input:  the kernel of one work-item after scalar optimization. Where the local size is known, the
//         ranges of local ids are known.
// Output: an operation that only selects summands (index_expressions.h) is the sum of these. A mask
//         applies only to the summands that have bits of it. Narrow indices are computed with trunc
//         and sext or zext. An "or disjoint" is a sum.
#include "compiler/lanes/ids/passes.h"

#include "compiler/analysis/index_expressions.h"
#include "compiler/lanes/ids/values_of_phis.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

constexpr size_t most_terms = 2; // of the emitted sum

bool takes_part(const llvm::Value &value) {
  auto *use = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!use || !use->getType()->isIntegerTy())
    return false;
  switch (use->getOpcode()) {
  case llvm::Instruction::ZExt: // LLVM divides numbers of 16 bits where it can
  case llvm::Instruction::SExt:
    return takes_part(*use->getOperand(0));
  case llvm::Instruction::And:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
  case llvm::Instruction::UDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::SRem:
    return llvm::isa<llvm::ConstantInt>(use->getOperand(1));
  default:
    return false;
  }
}

bool is_symbol(const IndexExpression &expression, const llvm::Value &value) {
  return expression.terms.size() == 1 && expression.terms[0].symbol.value == &value;
}

llvm::Value *emit(llvm::Instruction &before, const IndexExpression &expression) {
  llvm::IRBuilder<> builder(&before);
  return emit_sum(builder, expression, 1, [](const IndexSymbol &symbol) {
    return const_cast<llvm::Value *>(symbol.value);
  });
}

// The sum without the summands that have no bit of a mask of low bits; nullopt if all have.
std::optional<IndexExpression> without_higher_bits(const llvm::Instruction &use,
                                                   const IndexExpression &sum) {
  const llvm::APInt *mask = nullptr;
  if (use.getOpcode() != llvm::Instruction::And || !match(use.getOperand(1), m_APInt(mask)))
    return std::nullopt;
  const int64_t used = int64_t(llvm::maskTrailingOnes<uint64_t>(mask->getActiveBits()));
  IndexExpression low = sum;
  llvm::erase_if(low.terms, [&](const auto &term) { return (term.coefficient & used) == 0; });
  low.constant &= used;
  return low.terms.size() < std::min(sum.terms.size(), most_terms + 1) ? std::optional(low)
                                                                       : std::nullopt;
}

// The selected summands of an operation; null if it selects none.
llvm::Value *selected_summands(llvm::Instruction &use, IndexExpressions &expressions) {
  const IndexExpression &expression = expressions.of(use);
  if (is_symbol(expression, use) || expression.terms.size() > most_terms)
    return nullptr;
  return emit(use, expression);
}

// `(sum << 32) >> right`, where the shift to the left may have become a factor of each summand: the
// extension of a sum of 32 bits.
llvm::Value *restored_extension(llvm::Instruction &shift, IndexExpressions &expressions) {
  const llvm::APInt *right = nullptr;
  if (!match(&shift, m_Shr(m_Value(), m_APInt(right))) || right->ugt(32) || right->isZero())
    return nullptr;
  IndexExpression upper = expressions.of(*shift.getOperand(0));
  bool is_whole = true;
  auto take_upper_half = [&](int64_t &number) {
    is_whole &= (number & UINT32_MAX) == 0;
    number >>= 32;
  };
  take_upper_half(upper.constant);
  for (IndexExpression::Term &term : upper.terms)
    take_upper_half(term.coefficient);
  if (!is_whole)
    return nullptr;
  upper.bits = 32;
  llvm::Value *sum = emit(shift, upper);
  llvm::IRBuilder<> builder(&shift);
  llvm::Value *wide = shift.getOpcode() == llvm::Instruction::AShr
                          ? builder.CreateSExt(sum, shift.getType())
                          : builder.CreateZExt(sum, shift.getType());
  return *right == 32 ? wide : builder.CreateShl(wide, 32 - right->getZExtValue());
}

// `(sum << by) & (0xffffffff << by)`, where `<< by` may be a factor of each summand: the extension of
// a sum of 32 bits, times 2^by.
llvm::Value *restored_multiple(llvm::Instruction &use, IndexExpressions &expressions) {
  const llvm::APInt *mask = nullptr;
  unsigned by = 0, length = 0;
  if (!match(&use, m_And(m_Value(), m_APInt(mask))) || !mask->isShiftedMask(by, length) ||
      length != 32 || by == 0 || by >= 32)
    return nullptr;
  IndexExpression sum = expressions.of(*use.getOperand(0));
  bool is_multiple = true;
  auto divide = [&](int64_t &number) {
    is_multiple &= (uint64_t(number) & llvm::maskTrailingOnes<uint64_t>(by)) == 0;
    number >>= by;
  };
  divide(sum.constant);
  for (IndexExpression::Term &term : sum.terms)
    divide(term.coefficient);
  if (!is_multiple)
    return nullptr;
  sum.bits = 32;
  llvm::Value *narrow = emit(use, sum);
  llvm::IRBuilder<> builder(&use);
  return builder.CreateShl(builder.CreateZExt(narrow, use.getType()), by);
}

llvm::Value *restored_cast(llvm::Instruction &use, IndexExpressions &expressions) {
  if (!use.getType()->isIntegerTy(64))
    return nullptr;
  if (llvm::Value *multiple = restored_multiple(use, expressions))
    return multiple;
  llvm::Value *value = nullptr;
  if (!match(&use, m_And(m_Value(value), m_SpecificInt(UINT32_MAX))))
    return restored_extension(use, expressions);
  llvm::IRBuilder<> builder(&use);
  return builder.CreateZExt(builder.CreateTrunc(value, builder.getInt32Ty()), use.getType());
}

bool is_disjoint_or(const llvm::Instruction &instruction) {
  auto *disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
  return disjoint && disjoint->isDisjoint();
}

// The bits may be disjoint only because of a branch that some lanes take. Lane 0's value represents
// all lanes of an address, even if lane 0 is inactive. The sum has nuw and nsw; packetize drops
// such flags when it computes lane 0's value.
llvm::Value *restored_sum(llvm::Instruction &disjoint) {
  return llvm::IRBuilder<>(&disjoint).CreateAdd(disjoint.getOperand(0), disjoint.getOperand(1), "",
                                                /*HasNUW=*/true,
                                                /*HasNSW=*/true);
}

// Returns null if the instruction stays. It may have another operand then.
llvm::Value *simplified(llvm::Instruction &use, IndexExpressions &expressions) {
  if (is_disjoint_or(use))
    return restored_sum(use);
  if (llvm::Value *summands = selected_summands(use, expressions))
    return summands;
  if (const auto low = without_higher_bits(use, expressions.of(*use.getOperand(0))))
    use.setOperand(0, emit(use, *low));
  return restored_cast(use, expressions);
}

} // namespace

llvm::PreservedAnalyses SimplifyIndicesPass::run_in_lanes(llvm::Function &function,
                                                          llvm::FunctionAnalysisManager &analyses) {
  llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
  if (restore_values_of_phis(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function))) {
    preserved = llvm::PreservedAnalyses::none();
    preserved.preserveSet<llvm::CFGAnalyses>();
    analyses.invalidate(function, preserved);
  }
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  llvm::SmallVector<llvm::Instruction *> uses;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (takes_part(instruction) || is_disjoint_or(instruction))
      uses.push_back(&instruction);
  if (uses.empty())
    return preserved;
  llvm::SmallVector<llvm::WeakTrackingVH> dead; // deleted last: the analysis has their addresses
  for (llvm::Instruction *use : uses)
    if (llvm::Value *simple = simplified(*use, expressions)) {
      if (llvm::isa<llvm::Instruction>(simple) && !simple->hasName())
        simple->takeName(use);
      use->replaceAllUsesWith(simple);
      dead.emplace_back(use);
    }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  preserved = llvm::PreservedAnalyses::none();
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
