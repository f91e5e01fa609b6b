#include "compiler/lanes/choose/pad_rows.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/row_column_products.h"
#include "compiler/analysis/sub_group_order.h"
#include "compiler/lanes/choose/row_accesses.h"
#include "kernel_ir/form.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

bool has_group_operations(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return is_group_operation(instruction);
  });
}

bool has_variables(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return llvm::isa<llvm::AllocaInst>(instruction);
  });
}

// Memory that lives across barriers must still fit on the stack, so private variables must not.
bool can_have_more_work_items(const llvm::Function &function, bool is_size_known) {
  if (is_resumable(function) || observes_sub_group_order(function) ||
      (has_group_operations(function) && (!is_size_known || has_variables(function))))
    return false;
  return llvm::none_of(*function.getParent(), [&](const llvm::Function &other) {
    return &other != &function && is_out_of_line(other);
  });
}

// Work-items behind the row return. `row` is 0 if its length is not known.
void return_behind(llvm::Function &function, uint32_t row) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::local_id)
      llvm::cast<llvm::CallInst>(instruction).removeRetAttr(llvm::Attribute::Range);
  llvm::BasicBlock &entry = function.getEntryBlock();
  const auto first = entry.getFirstNonPHIOrDbgOrAlloca();
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::make_range(first, entry.end())))
    if (llvm::isa<llvm::AllocaInst>(instruction))
      instruction.moveBefore(first);
  llvm::BasicBlock *body = llvm::SplitBlock(&entry, first);
  llvm::BasicBlock *behind = llvm::BasicBlock::Create(function.getContext(), "behind", &function);
  llvm::ReturnInst::Create(function.getContext(), behind);
  llvm::Instruction *end = entry.getTerminator();
  llvm::IRBuilder<> builder(end);
  auto query = [&](Primitive primitive) -> llvm::Value * {
    return builder.CreateCall(declare_primitive(*function.getParent(), primitive,
                                                builder.getInt64Ty(), {builder.getInt32Ty()}),
                              builder.getInt32(0));
  };
  llvm::Value *length = row != 0 ? builder.getInt64(row) : query(Primitive::local_size);
  builder.CreateCondBr(builder.CreateICmpULT(query(Primitive::local_id), length), body, behind);
  end->eraseFromParent();
}

bool accesses_get_contiguous(llvm::Function &function, const RowLayout &layout,
                             llvm::FunctionAnalysisManager &analyses) {
  const RowCosts costs = row_costs(function, layout, analyses);
  return costs.in_rows < costs.across_rows;
}

// coalesce-work-groups and interleave-sub-groups need whole sub-groups.
bool neighbors_may_share(llvm::Function &function, uint32_t row, uint32_t padded,
                         llvm::FunctionAnalysisManager &analyses) {
  const auto neighbors = neighbor_groups(function);
  if (neighbors[1] * neighbors[2] == 1)
    return false;
  return !CostModel::is_clearly_less(row, padded) ||
         bits_of_row_column_products(function,
                                     analyses.getResult<IndexExpressionsAnalysis>(function)) != 0;
}

} // namespace

bool pad_rows(llvm::Function &function, uint32_t width, llvm::FunctionAnalysisManager &analyses) {
  auto size = specialized_local_size(function);
  const uint32_t row = size[0], padded = static_cast<uint32_t>(llvm::alignTo(row, width));
  if (!can_have_more_work_items(function, row != 0))
    return false;
  if (row == 0) { // of edge groups
    if (!accesses_get_contiguous(function, {0, width, 1, /*is_whole=*/false}, analyses))
      return false;
    return_behind(function, 0);
    function.addFnAttr(rows_are_padded);
    return true;
  }
  if (row == padded || 2 * row <= padded ||
      uint64_t{padded} * size[1] * size[2] > max_work_group_size)
    return false;
  const bool pays =
      uint64_t{size[1]} * size[2] == 1
          ? neighbors_may_share(function, row, padded, analyses)
          : accesses_get_contiguous(
                function, {row, width, double(padded) / row, /*is_whole=*/false}, analyses);
  if (!pays)
    return false;
  return_behind(function, row);
  size[0] = padded;
  set_specialized_local_size(function, size);
  return true;
}

} // namespace lockstep::compiler
