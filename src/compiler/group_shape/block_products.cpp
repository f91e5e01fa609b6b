// Splits the loop of a sum of products into blocks, between which the rows of a group take turns.
//
//    for (k = 0; k < n; ++k)              for (begin = 0; begin < n; begin += 128) {
//      sum += a[row * n + k] *       =>     for (k = begin; k < min(begin + 128, n); ++k)
//             b[k * n + column];              sum += a[row * n + k] * b[k * n + column];
//                                           barrier();
//                                         }
//
// If rows of `b` are a multiple of 4 KiB apart, their elements of one column compete for few sets of
// the caches, and each row of work-items fetches them again from afar. The elements of a block stay.
//
// Requires: the kernel of one work-item, with a known local size.
// Ensures: work-item-loops runs all rows of the group in one block before the next one. Where the
// distance of rows is no multiple of a page, which only the launch knows, one block has all.
//
// Position: after coalesce-work-groups, since a barrier keeps groups from being coalesced.
#include "compiler/group_shape/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/row_column_products.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

// Elements of a column in one block: two lines of each row are half of the first cache.
constexpr uint64_t block_length = l1_bytes / (4 * cache_line_bytes);

// The loop `do ... while (counter + 1 != n)` in one block.
struct CountedLoop {
  llvm::BasicBlock *block = nullptr;
  llvm::BranchInst *branch = nullptr;
  llvm::ICmpInst *compare = nullptr;
  llvm::BinaryOperator *next = nullptr;
};

std::optional<CountedLoop> counted(const llvm::Loop &loop) {
  using namespace llvm::PatternMatch;
  llvm::BasicBlock *block = loop.getHeader();
  if (loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !loop.getExitBlock())
    return std::nullopt;
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!compare)
    return std::nullopt;
  auto *next = llvm::dyn_cast<llvm::BinaryOperator>(compare->getOperand(0));
  if (!next || next->getOpcode() != llvm::Instruction::Add ||
      !llvm::isa<llvm::PHINode>(next->getOperand(0)) || !match(next->getOperand(1), m_One()) ||
      !loop.isLoopInvariant(compare->getOperand(1)))
    return std::nullopt;
  return CountedLoop{block, branch, compare, next};
}

// Returns the other factor of a product of the loop's counter, if it is from before the loop; else
// null.
llvm::Value *factor_of_counter(llvm::Value *product, const CountedLoop &loop) {
  auto *binary = llvm::dyn_cast_or_null<llvm::BinaryOperator>(product);
  if (!binary || binary->getOpcode() != llvm::Instruction::Mul)
    return nullptr;
  for (unsigned index : {0u, 1u}) {
    const llvm::Value *counter = binary->getOperand(index);
    while (auto *cast = llvm::dyn_cast<llvm::CastInst>(counter))
      counter = cast->getOperand(0);
    llvm::Value *factor = binary->getOperand(1 - index);
    auto *defined = llvm::dyn_cast<llvm::Instruction>(factor);
    if (counter == loop.next->getOperand(0) && !(defined && defined->getParent() == loop.block))
      return factor;
  }
  return nullptr;
}

// The distance in bytes between what a load of the loop accesses in consecutive iterations, if it
// is not constant; null if there is no such load.
llvm::Value *emit_pitch(llvm::IRBuilderBase &builder, const CountedLoop &loop,
                        IndexExpressions &expressions) {
  auto symbol = [](const IndexSymbol &of) { return const_cast<llvm::Value *>(of.value); };
  for (const llvm::Instruction &instruction : *loop.block) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load)
      continue;
    for (const IndexExpression::Term &term :
         expressions.of(*load->getPointerOperand(), Depth::address).terms) {
      auto *value = const_cast<llvm::Value *>(term.symbol.value);
      llvm::Value *step = nullptr;
      if (llvm::Value *factor = factor_of_counter(value, loop)) {
        step = factor;
      } else if (auto *phi = llvm::dyn_cast_or_null<llvm::PHINode>(value)) {
        const auto induction = expressions.induction(*phi, Depth::address);
        if (induction && phi->getParent() == loop.block && !induction->step.terms.empty())
          step = emit_sum(builder, induction->step, 1, symbol);
      }
      if (step)
        return builder.CreateMul(
            builder.CreateZExtOrTrunc(step, builder.getInt64Ty()),
            llvm::ConstantInt::getSigned(builder.getInt64Ty(), term.coefficient));
    }
  }
  return nullptr;
}

// Blocks end where the counter is a multiple of the length.
bool block_loop(llvm::Function &function, const CountedLoop &loop, const llvm::Loop &of,
                IndexExpressions &expressions) {
  llvm::BasicBlock *preheader = of.getLoopPreheader(), *exit = of.getExitBlock();
  llvm::IRBuilder<> before(preheader->getTerminator());
  llvm::Value *pitch = emit_pitch(before, loop, expressions);
  if (!pitch)
    return false;
  llvm::Type *type = loop.next->getType();
  llvm::Value *apart = before.CreateICmpNE(before.CreateAnd(pitch, page_bytes - 1),
                                           before.getInt64(0), "rows.are.apart");
  llvm::Value *mask = before.CreateSelect(apart, llvm::ConstantInt::getAllOnesValue(type),
                                          llvm::ConstantInt::get(type, block_length - 1));
  llvm::LLVMContext &context = function.getContext();
  auto *begin =
      llvm::BasicBlock::Create(context, loop.block->getName() + ".block", &function, loop.block);
  auto *end = llvm::BasicBlock::Create(context, loop.block->getName() + ".block.end", &function);
  auto *next = llvm::BasicBlock::Create(context, loop.block->getName() + ".next", &function);
  for (llvm::PHINode &phi : exit->phis())
    phi.replaceIncomingBlockWith(loop.block, end);
  preheader->getTerminator()->replaceSuccessorWith(loop.block, begin);
  llvm::IRBuilder<> at_begin(begin), at_end(end), at_next(next), at_branch(loop.branch);
  for (llvm::PHINode &phi : loop.block->phis()) {
    llvm::PHINode *outer = at_begin.CreatePHI(phi.getType(), 2, phi.getName() + ".block");
    outer->addIncoming(phi.getIncomingValueForBlock(preheader), preheader);
    outer->addIncoming(phi.getIncomingValueForBlock(loop.block), next);
    phi.setIncomingValueForBlock(preheader, outer);
    phi.replaceIncomingBlockWith(preheader, begin);
  }
  at_begin.CreateBr(loop.block);
  llvm::Value *more = loop.branch->getCondition();
  if (loop.branch->getSuccessor(0) != loop.block)
    more = at_branch.CreateNot(more);
  llvm::Value *inside = at_branch.CreateICmpNE(at_branch.CreateAnd(loop.next, mask),
                                               llvm::ConstantInt::get(type, 0), "is.inside");
  at_branch.CreateCondBr(at_branch.CreateAnd(more, inside), loop.block, end);
  loop.branch->eraseFromParent();
  at_end.CreateCondBr(more, next, exit);
  auto barrier = declare_primitive(*function.getParent(), Primitive::barrier, at_next.getVoidTy(),
                                   {at_next.getInt32Ty()});
  auto &declared = *llvm::cast<llvm::Function>(barrier.getCallee());
  declared.setConvergent(); // or InstCombine takes that from the call
  declared.setDoesNotThrow();
  at_next.CreateCall(barrier, at_next.getInt32(1))->setConvergent();
  at_next.CreateBr(begin);
  return true;
}

// Whether the code may have another barrier: all work-items reach it, and the group has none.
bool may_have_barrier(const llvm::Function &function, const Uniformity &uniformity) {
  for (const llvm::BasicBlock &block : function)
    if (!uniformity.has_uniform_branch(block) ||
        llvm::any_of(block, [](const auto &each) { return is_group_operation(each); }))
      return false;
  return true;
}

} // namespace

llvm::PreservedAnalyses BlockProductsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  const auto local_size = specialized_local_size(function);
  const uint32_t lanes = sub_group_size(function);
  if (lanes == 1 || local_size[0] == 0 || local_size[0] % lanes != 0 ||
      local_size[1] * local_size[2] <= limits::chains_at_once || is_resumable(function))
    return llvm::PreservedAnalyses::all();
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  if (bits_of_row_column_products(function, expressions) == 0 ||
      !may_have_barrier(
          function, Uniformity(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                               UniformityLevel::work_group)))
    return llvm::PreservedAnalyses::all();
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const llvm::Loop *only = loops.getTopLevelLoops().size() == 1 ? *loops.begin() : nullptr;
  const auto found = only ? counted(*only) : std::nullopt;
  if (!found || !block_loop(function, *found, *only, expressions))
    return llvm::PreservedAnalyses::all();
  remark(function.getEntryBlock().front(), "groups",
         "rows take turns after blocks of " + llvm::Twine(block_length) +
             " products, if rows of the matrix are pages apart");
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
