#include "compiler/lanes/choose/narrow_rows.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

using Values = llvm::SmallPtrSet<const llvm::Value *, 32>;

bool is_local_id(const llvm::Value &value) {
  return called_primitive(value) == Primitive::local_id;
}

unsigned dimension_of(const llvm::Value &id) {
  return constant_dimension(llvm::cast<llvm::CallInst>(id)).value_or(0);
}

// The values that are computed from local ids of dimension 0, or from those of the others.
Values values_of_ids(const llvm::Function &function, bool of_rows) {
  Values found;
  llvm::SmallVector<const llvm::Value *> open;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (is_local_id(instruction) && (dimension_of(instruction) != 0) == of_rows)
      open.push_back(&instruction);
  while (!open.empty())
    for (const llvm::User *user : open.pop_back_val()->users())
      if (!user->getType()->isVoidTy() && !llvm::isa<llvm::LoadInst>(user) &&
          found.insert(user).second)
        open.push_back(user);
  return found;
}

class RowAccesses {
public:
  RowAccesses(llvm::Function &function, IndexExpressions &expressions)
      : expressions_(expressions), of_columns_(values_of_ids(function, /*of_rows=*/false)),
        of_rows_(values_of_ids(function, /*of_rows=*/true)) {}

  bool any() const { return !of_rows_.empty(); }

  // True if the lanes of one row access neighbors or one element, and the distance between two rows
  // is not known. Also true for a column of a tile that interleave-sub-groups transposes, since a
  // sub-group of several rows has no tile.
  bool is_one(const llvm::Instruction &access) {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
    if (!pointer)
      return false;
    const auto size =
        access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue();
    bool differs_in_rows = false, differs_in_columns = false, is_column = false;
    for (const IndexExpression::Term &term : expressions_.of(*pointer, Depth::address).terms) {
      const llvm::Value *value = term.symbol.value;
      if (!value)
        return false;
      if (is_local_id(*value) && dimension_of(*value) == 0) {
        if (uint64_t(term.coefficient) != size)
          return false;
      } else if (is_local_id(*value)) {
        is_column |= uint64_t(term.coefficient) == size;
      } else if (of_columns_.contains(value)) {
        differs_in_columns = true;
      } else if (of_rows_.contains(value)) {
        differs_in_rows = true;
      }
    }
    return differs_in_columns ? is_column && !differs_in_rows : differs_in_rows;
  }

private:
  IndexExpressions &expressions_;
  Values of_columns_, of_rows_;
};

} // namespace

uint32_t width_of_rows(llvm::Function &function, uint32_t width,
                       llvm::FunctionAnalysisManager &analyses) {
  constexpr uint32_t narrowest = narrowest_vector_bits / 32; // lanes of float
  const auto size = specialized_local_size(function);
  const uint32_t row = size[0];
  if (row < narrowest || row >= width || !llvm::isPowerOf2_32(row))
    return width;
  RowAccesses accesses(function, analyses.getResult<IndexExpressionsAnalysis>(function));
  if (!accesses.any())
    return width;
  const auto &frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  const CostModel model(width);
  double in_rows = 0, across_rows = 0; // for `width` work-items
  for (const llvm::BasicBlock &block : function) {
    const double times = double(frequencies.getBlockFreq(&block).getFrequency());
    for (const llvm::Instruction &instruction : block) {
      if (instruction.isDebugOrPseudoInst())
        continue;
      in_rows += times * CostModel::vectors(double(width) / row);
      across_rows +=
          times * (accesses.is_one(instruction) ? model.gather() : CostModel::vectors(1));
    }
  }
  return across_rows > in_rows ? row : width;
}

} // namespace lockstep::compiler
