#include "compiler/analysis/grid_stride_loops.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

// True if the number of work-items or groups is a term, also in a product of variables or a
// quotient, as in `i += get_num_groups(0) * n`.
bool counts_work_items(const IndexExpression &step, IndexExpressions &expressions,
                       unsigned depth = 0) {
  return llvm::any_of(step.terms, [&](const IndexExpression::Term &term) {
    if (!term.symbol.value || depth == limits::search_depth)
      return false;
    if (const auto primitive = called_primitive(*term.symbol.value))
      return *primitive == Primitive::global_size || *primitive == Primitive::num_groups;
    auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(term.symbol.value);
    return operation && llvm::any_of(operation->operands(), [&](const llvm::Use &operand) {
             return counts_work_items(expressions.of(*operand, Depth::estimate), expressions,
                                      depth + 1);
           });
  });
}

} // namespace

bool is_strided(const llvm::Loop &loop, IndexExpressions &expressions) {
  if (!loop.isInnermost() || !loop.getLoopLatch())
    return false;
  const bool steps = llvm::any_of(loop.getHeader()->phis(), [&](const llvm::PHINode &phi) {
    const auto induction = expressions.induction(phi, Depth::estimate);
    return induction && counts_work_items(induction->step, expressions);
  });
  unsigned instructions = 0;
  bool reads = false;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    instructions += block->size();
    reads |= llvm::any_of(*block, llvm::IsaPred<llvm::LoadInst>);
  }
  return steps && reads && instructions <= limits::small_code;
}

} // namespace lockstep::compiler
