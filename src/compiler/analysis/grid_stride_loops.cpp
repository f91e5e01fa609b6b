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

bool is_of_loop(const IndexExpression &expression, const llvm::Loop &loop,
                IndexExpressions &expressions) {
  return llvm::any_of(expression.terms, [&](const IndexExpression::Term &term) {
    auto *phi = llvm::dyn_cast_or_null<llvm::PHINode>(term.symbol.value);
    if (!phi || phi->getParent() != loop.getHeader())
      return false;
    return expressions.induction(*phi, Depth::estimate).has_value();
  });
}

// True if the address has the product of a counter and the number of work-items or groups as a
// term, as in `in[get_global_id(0) + i * get_global_size(0)]`.
bool steps_by_work_items(const llvm::Value &address, const llvm::Loop &loop,
                         IndexExpressions &expressions) {
  const IndexExpression &sum = expressions.of(address, Depth::estimate);
  return llvm::any_of(sum.terms, [&](const IndexExpression::Term &term) {
    auto *product = llvm::dyn_cast_or_null<llvm::BinaryOperator>(term.symbol.value);
    if (!product ||
        (product->getOpcode() != llvm::Instruction::Mul &&
         product->getOpcode() != llvm::Instruction::Shl) ||
        !loop.contains(product))
      return false;
    const auto expression = [&](unsigned operand) {
      return expressions.of(*product->getOperand(operand), Depth::estimate);
    };
    const IndexExpression left = expression(0), right = expression(1);
    return (is_of_loop(left, loop, expressions) && counts_work_items(right, expressions)) ||
           (is_of_loop(right, loop, expressions) && counts_work_items(left, expressions));
  });
}

} // namespace

bool is_strided(const llvm::Loop &loop, IndexExpressions &expressions) {
  if (!loop.isInnermost() || !loop.getLoopLatch())
    return false;
  bool steps = llvm::any_of(loop.getHeader()->phis(), [&](const llvm::PHINode &phi) {
    const auto induction = expressions.induction(phi, Depth::estimate);
    return induction && counts_work_items(induction->step, expressions);
  });
  unsigned instructions = 0;
  bool reads = false;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    instructions += block->size();
    for (const llvm::Instruction &instruction : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        reads = true;
        steps = steps || steps_by_work_items(*load->getPointerOperand(), loop, expressions);
      }
  }
  return steps && reads && instructions <= limits::small_code;
}

} // namespace lockstep::compiler
