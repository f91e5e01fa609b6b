// Splits the loop of a sum of products into blocks, between which the rows of a group take turns.
//
//    for (k = 0; k < n; ++k)              for (begin = 0; begin < n; begin += 128) {
//      sum += a[row * n + k] *       =>     for (k = begin; k < min(begin + 128, n); ++k)
//             b[k * n + column];              sum += a[row * n + k] * b[k * n + column];
//                                           barrier();
//                                         }
//
// Each row of work-items loads the same elements of `b`. Those of all iterations do not fit in the
// first cache, so rows that run one after the other fetch them again from afar. Those of a block fit.
//
// Requires: the kernel of one work-item, with a known local size.
// Ensures: work-item-loops runs all rows of the group in one block before the next one. Only the
// launch knows the number of iterations. If it is small, one block has all.
//
// Position: after coalesce-work-groups, since a barrier keeps groups from being coalesced.
#include "compiler/group_shape/block_products.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/row_column_products.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/group_shape/passes.h"
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

// Products of one block. Each needs two cache lines of `b`, so the block has as many as the first
// cache. Lines that are pages apart compete for few sets of the caches, so fewer stay.
constexpr uint64_t block_length = l1_bytes / (2 * cache_line_bytes),
                   block_length_of_pages = block_length / 2;
// With fewer products, the second cache has all rows.
constexpr uint64_t least_iterations = 2 * block_length;

// A loop of one block: `do { next = counter + step; } while (next < bound);`, or with `!=`.
struct CountedLoop {
  llvm::BasicBlock *block = nullptr;
  llvm::BranchInst *branch = nullptr;
  llvm::PHINode *counter = nullptr;
  llvm::BinaryOperator *next = nullptr;
  uint64_t step = 0;
  llvm::Value *bound = nullptr;
  llvm::CmpInst::Predicate stays = llvm::CmpInst::ICMP_NE; // while `next stays bound`
};

std::optional<CountedLoop> counted(const llvm::Loop &loop) {
  CountedLoop found{.block = loop.getHeader()};
  if (loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !loop.getExitBlock())
    return std::nullopt;
  found.branch = llvm::dyn_cast<llvm::BranchInst>(found.block->getTerminator());
  if (!found.branch || !found.branch->isConditional())
    return std::nullopt;
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(found.branch->getCondition());
  if (!compare || !loop.isLoopInvariant(compare->getOperand(1)))
    return std::nullopt;
  found.bound = compare->getOperand(1);
  found.stays = found.branch->getSuccessor(0) == found.block ? compare->getPredicate()
                                                             : compare->getInversePredicate();
  if (found.stays != llvm::CmpInst::ICMP_NE && found.stays != llvm::CmpInst::ICMP_ULT &&
      found.stays != llvm::CmpInst::ICMP_SLT)
    return std::nullopt;
  found.next = llvm::dyn_cast<llvm::BinaryOperator>(compare->getOperand(0));
  if (!found.next || found.next->getOpcode() != llvm::Instruction::Add)
    return std::nullopt;
  found.counter = llvm::dyn_cast<llvm::PHINode>(found.next->getOperand(0));
  auto *step = llvm::dyn_cast<llvm::ConstantInt>(found.next->getOperand(1));
  if (!found.counter || found.counter->getParent() != found.block ||
      found.counter->getIncomingValueForBlock(found.block) != found.next || !step ||
      !step->getValue().isStrictlyPositive() || step->getValue().ugt(limits::lanes_in_line) ||
      step->getBitWidth() < 32 || step->getBitWidth() > 64)
    return std::nullopt;
  found.step = step->getZExtValue();
  return found;
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
    if (counter == loop.counter && !(defined && defined->getParent() == loop.block))
      return factor;
  }
  return nullptr;
}

// The distance in bytes between the elements that a load accesses in consecutive iterations:
// `coefficient` times the factor, or times the step.
struct Pitch {
  int64_t coefficient = 0;
  llvm::Value *factor = nullptr;
  IndexExpression step;
};

// Returns nullopt if no load of the loop has a distance that is unknown or exceeds a cache line.
std::optional<Pitch> find_pitch(const CountedLoop &loop, IndexExpressions &expressions) {
  for (const llvm::Instruction &instruction : *loop.block) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load)
      continue;
    for (const IndexExpression::Term &term :
         expressions.of(*load->getPointerOperand(), Depth::address).terms) {
      auto *value = const_cast<llvm::Value *>(term.symbol.value);
      if (llvm::Value *factor = factor_of_counter(value, loop))
        return Pitch{term.coefficient, factor, {}};
      auto *phi = llvm::dyn_cast_or_null<llvm::PHINode>(value);
      const auto induction = phi && phi->getParent() == loop.block
                                 ? expressions.induction(*phi, Depth::address)
                                 : std::nullopt;
      if (induction &&
          (!induction->step.terms.empty() ||
           uint64_t(std::abs(induction->step.constant * term.coefficient)) > cache_line_bytes))
        return Pitch{term.coefficient, nullptr, induction->step};
    }
  }
  return std::nullopt;
}

llvm::Value *emit(llvm::IRBuilderBase &builder, const Pitch &pitch) {
  llvm::Value *elements = pitch.factor;
  if (!elements)
    elements = emit_sum(builder, pitch.step, 1,
                        [](const IndexSymbol &of) { return const_cast<llvm::Value *>(of.value); });
  return builder.CreateMul(builder.CreateZExtOrTrunc(elements, builder.getInt64Ty()),
                           llvm::ConstantInt::getSigned(builder.getInt64Ty(), pitch.coefficient));
}

void emit_barrier(llvm::IRBuilderBase &builder) {
  auto barrier = declare_primitive(*builder.GetInsertBlock()->getModule(), Primitive::barrier,
                                   builder.getVoidTy(), {builder.getInt32Ty()});
  auto &declared = *llvm::cast<llvm::Function>(barrier.getCallee());
  declared.setConvergent(); // or InstCombine takes that from the call
  declared.setDoesNotThrow();
  builder.CreateCall(barrier, builder.getInt32(1))->setConvergent();
}

// Emits how much the counter grows in one block, or more than in all iterations.
llvm::Value *emit_length(llvm::IRBuilderBase &builder, const CountedLoop &loop, const Pitch &pitch,
                         llvm::Value *first) {
  llvm::Type *type = loop.next->getType();
  auto number = [&](uint64_t value) {
    return llvm::ConstantInt::get(type, value / loop.step * loop.step);
  };
  llvm::Value *is_page =
      builder.CreateICmpEQ(builder.CreateAnd(emit(builder, pitch), page_bytes - 1),
                           builder.getInt64(0), "rows.are.pages");
  llvm::Value *length =
      builder.CreateSelect(is_page, number(block_length_of_pages), number(block_length));
  llvm::Value *is_long = builder.CreateICmpUGT(builder.CreateSub(loop.bound, first),
                                               number(least_iterations), "is.long");
  return builder.CreateSelect(is_long, length, llvm::ConstantInt::getAllOnesValue(type), "length");
}

// The loop's own comparison decides whether there is another block.
void block_loop(llvm::Function &function, const CountedLoop &loop, const llvm::Loop &of,
                const Pitch &pitch) {
  llvm::BasicBlock *preheader = of.getLoopPreheader(), *exit = of.getExitBlock();
  llvm::LLVMContext &context = function.getContext();
  const llvm::StringRef name = loop.block->getName();
  auto *begin = llvm::BasicBlock::Create(context, name + ".block", &function, loop.block);
  auto *end = llvm::BasicBlock::Create(context, name + ".block.end", &function);
  auto *next = llvm::BasicBlock::Create(context, name + ".next", &function);
  llvm::IRBuilder<> before(preheader->getTerminator()), at_begin(begin), at_end(end), at_next(next),
      at_branch(loop.branch);
  llvm::Value *length =
      emit_length(before, loop, pitch, loop.counter->getIncomingValueForBlock(preheader));
  for (llvm::PHINode &phi : exit->phis())
    phi.replaceIncomingBlockWith(loop.block, end);
  preheader->getTerminator()->replaceSuccessorWith(loop.block, begin);
  for (llvm::PHINode &phi : loop.block->phis()) {
    llvm::PHINode *outer = at_begin.CreatePHI(phi.getType(), 2, phi.getName() + ".block");
    outer->addIncoming(phi.getIncomingValueForBlock(preheader), preheader);
    outer->addIncoming(phi.getIncomingValueForBlock(loop.block), next);
    phi.setIncomingValueForBlock(preheader, outer);
    phi.replaceIncomingBlockWith(preheader, begin);
  }
  llvm::Value *counter = loop.counter->getIncomingValueForBlock(begin);
  llvm::Value *is_cut = at_begin.CreateICmpUGT(at_begin.CreateSub(loop.bound, counter), length);
  if (loop.stays != llvm::CmpInst::ICMP_NE) // or the loop ends after one iteration
    is_cut = at_begin.CreateAnd(is_cut, at_begin.CreateICmp(loop.stays, counter, loop.bound));
  llvm::Value *bound =
      at_begin.CreateSelect(is_cut, at_begin.CreateAdd(counter, length), loop.bound, "bound");
  at_begin.CreateBr(loop.block);
  loop.branch->setCondition(at_branch.CreateICmp(loop.stays, loop.next, bound, "stays.in.block"));
  loop.branch->setSuccessor(0, loop.block);
  loop.branch->setSuccessor(1, end);
  at_end.CreateCondBr(at_end.CreateICmp(loop.stays, loop.next, loop.bound), next, exit);
  emit_barrier(at_next);
  at_next.CreateBr(begin);
}

// Whether the code may have another barrier: all work-items reach it, and the group has none.
bool may_have_barrier(const llvm::Function &function, const Uniformity &uniformity) {
  for (const llvm::BasicBlock &block : function)
    if (!uniformity.has_uniform_branch(block) ||
        llvm::any_of(block, [](const auto &each) { return is_group_operation(each); }))
      return false;
  return true;
}

struct Blocks {
  const llvm::Loop *loop;
  CountedLoop counted;
  Pitch pitch;
};

std::optional<Blocks> find_blocks(const llvm::Function &function, const llvm::LoopInfo &loops,
                                  IndexExpressions &expressions, const Uniformity &uniformity) {
  const llvm::Loop *loop = loops.getTopLevelLoops().size() == 1 ? *loops.begin() : nullptr;
  const auto found = loop ? counted(*loop) : std::nullopt;
  if (!found || bits_of_row_column_products(function, expressions) == 0 ||
      !may_have_barrier(function, uniformity))
    return std::nullopt;
  auto pitch = find_pitch(*found, expressions);
  return pitch ? std::optional(Blocks{loop, *found, std::move(*pitch)}) : std::nullopt;
}

} // namespace

bool has_blocks_of_products(const llvm::Function &function, const llvm::LoopInfo &loops,
                            IndexExpressions &expressions, const Uniformity &uniformity) {
  return find_blocks(function, loops, expressions, uniformity).has_value();
}

llvm::PreservedAnalyses BlockProductsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  const auto local_size = specialized_local_size(function);
  const uint32_t lanes = sub_group_size(function);
  if (lanes == 1 || local_size[0] == 0 || local_size[0] % lanes != 0 ||
      local_size[1] * local_size[2] <= limits::chains_at_once || is_resumable(function))
    return llvm::PreservedAnalyses::all();
  const auto blocks =
      find_blocks(function, analyses.getResult<llvm::LoopAnalysis>(function),
                  analyses.getResult<IndexExpressionsAnalysis>(function),
                  Uniformity(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                             UniformityLevel::work_group));
  if (!blocks)
    return llvm::PreservedAnalyses::all();
  block_loop(function, blocks->counted, *blocks->loop, blocks->pitch);
  remark(function.getEntryBlock().front(), "groups",
         "rows take turns after blocks of " + llvm::Twine(block_length) + " products, or of " +
             llvm::Twine(block_length_of_pages) + " if rows of the matrix are pages apart");
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
