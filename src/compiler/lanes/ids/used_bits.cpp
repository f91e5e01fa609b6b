// Simplifies quotients, remainders, shifts and masks of sums of ids.
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
// Input:  the kernel of one work-item after scalar optimization. Where the local size is known, the
//         ranges of local ids are known.
// Output: an operation that only selects summands (index_expressions.h) is the sum of these. A mask
//         applies only to the summands that have bits of it.
#include "compiler/lanes/ids/passes.h"

#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/specialization_attributes.h"

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

bool simplify(llvm::Instruction &use, IndexExpressions &expressions) {
  const IndexExpression &expression = expressions.of(use);
  if (!is_symbol(expression, use)) {
    if (expression.terms.size() > most_terms)
      return false;
    llvm::Value *simple = emit(use, expression);
    if (llvm::isa<llvm::Instruction>(simple) && !simple->hasName())
      simple->takeName(&use);
    use.replaceAllUsesWith(simple);
    return true;
  }
  const auto low = without_higher_bits(use, expressions.of(*use.getOperand(0)));
  if (low) {
    use.setOperand(0, emit(use, *low));
    return true;
  }
  return false;
}

} // namespace

llvm::PreservedAnalyses UsedBitsPass::run_in_lanes(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &analyses) {
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  llvm::SmallVector<llvm::Instruction *> uses;
  for (llvm::Instruction &use : llvm::instructions(function))
    if (takes_part(use))
      uses.push_back(&use);
  llvm::SmallVector<llvm::WeakTrackingVH> dead; // deleted last: the analysis has their addresses
  for (llvm::Instruction *use : uses)
    if (simplify(*use, expressions))
      dead.emplace_back(use);
  if (dead.empty())
    return llvm::PreservedAnalyses::all();
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
