#include "compiler/lanes/choose/row_accesses.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace lockstep::compiler {

namespace {

using Values = llvm::SmallPtrSet<const llvm::Value *, 32>;

bool is_local_id(const llvm::Value &value) {
  return called_primitive(value) == Primitive::local_id;
}

unsigned dimension_of(const llvm::Value &id) {
  return constant_dimension(llvm::cast<llvm::CallInst>(id)).value_or(0);
}

// The position of a work-item in rows of a power of two: its ids of dimension 0 and of the others.
// In one dimension, the remainder and the quotient of its id.
class Rows {
public:
  // `row`: the number of columns. `in_one_dimension`: of remainders. `are_whole`: rows are at known
  // distances in a sub-group if they are in memory.
  Rows(IndexExpressions &expressions, uint32_t row, bool in_one_dimension, bool are_whole = true)
      : expressions_(expressions), row_(row), in_one_dimension_(in_one_dimension),
        are_whole_(are_whole) {}

  bool are_whole() const { return are_whole_; }

  bool is_column(const llvm::Value &value) const {
    using namespace llvm::PatternMatch;
    const llvm::Value *sum = nullptr;
    return in_one_dimension_ ? match(&value, m_And(m_Value(sum), m_SpecificInt(row_ - 1))) &&
                                   shift_of_id(*sum) == 0
                             : is_local_id(value) && dimension_of(value) == 0;
  }
  bool is_row(const llvm::Value &value) const {
    using namespace llvm::PatternMatch;
    if (!in_one_dimension_)
      return is_local_id(value) && dimension_of(value) != 0;
    const llvm::Value *sum = nullptr;
    const llvm::APInt *constant = nullptr;
    unsigned lowest = 0; // bit of the sum
    if (match(&value, m_Shr(m_Value(sum), m_APInt(constant))))
      lowest = unsigned(constant->getLimitedValue(64));
    else if (match(&value, m_And(m_Value(sum), m_APInt(constant))))
      lowest = constant->countr_zero();
    const auto shift = sum ? shift_of_id(*sum) : std::nullopt;
    return shift && lowest == *shift + llvm::Log2_32(row_);
  }
  // Neighbors across the ends of rows.
  bool is_id(const llvm::Value &value) const {
    return in_one_dimension_ && is_local_id(value) && dimension_of(value) == 0;
  }

private:
  // s, if the sum has 2^s times the id.
  std::optional<unsigned> shift_of_id(const llvm::Value &value) const {
    const llvm::Value *sum = &value;
    while (auto *narrow = llvm::dyn_cast<llvm::TruncInst>(sum))
      sum = narrow->getOperand(0);
    for (const IndexExpression::Term &term : expressions_.of(*sum).terms)
      if (term.symbol.value && is_id(*term.symbol.value) &&
          llvm::isPowerOf2_64(uint64_t(term.coefficient)))
        return llvm::Log2_64(uint64_t(term.coefficient));
    return std::nullopt;
  }

  IndexExpressions &expressions_;
  uint32_t row_;
  bool in_one_dimension_, are_whole_;
};

class RowAccesses {
public:
  RowAccesses(llvm::Function &function, IndexExpressions &expressions, const Rows &rows)
      : function_(function), expressions_(expressions), rows_(rows),
        of_columns_(values_of(&Rows::is_column)), of_rows_(values_of(&Rows::is_row)) {}

  bool any() const { return !of_rows_.empty(); }

  // True if the lanes of one row access neighbors or one element, and the distance between two rows
  // is not known. Also true for a column of a tile that interleave-sub-groups transposes, since a
  // sub-group of several rows has no tile.
  bool is_one(const llvm::Instruction &access) {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
    if (!pointer)
      return false;
    Differences found{
        access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue()};
    add(expressions_.of(*pointer, Depth::address), 1, found, 0);
    if (found.is_other)
      return false;
    return found.in_columns ? found.is_column && !found.in_rows : found.in_rows;
  }

private:
  // How the address differs between lanes.
  struct Differences {
    uint64_t size; // of an element
    bool in_rows = false, in_columns = false, is_column = false;
    bool is_other = false; // no neighbors in a row
  };

  void add(const IndexExpression &sum, int64_t factor, Differences &found, unsigned depth) {
    for (const IndexExpression::Term &term : sum.terms)
      if (term.symbol.value)
        add(*term.symbol.value, term.coefficient * factor, found, depth);
      else
        found.is_other = true;
  }

  void add(const llvm::Value &value, int64_t coefficient, Differences &found, unsigned depth) {
    if (rows_.is_id(value)) {
      found.is_other = true;
    } else if (rows_.is_column(value)) {
      found.is_other |= uint64_t(coefficient) != found.size;
    } else if (rows_.is_row(value)) {
      found.is_column |= uint64_t(coefficient) == found.size;
      found.in_rows |= !rows_.are_whole();
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
      found.in_columns |= of_columns_.contains(load->getPointerOperand());
      found.in_rows |= of_rows_.contains(load->getPointerOperand());
    } else if (auto start = start_of(value); start && depth != limits::search_depth) {
      add(expressions_.of(**start, Depth::address), coefficient, found, depth + 1);
    } else {
      found.in_columns |= of_columns_.contains(&value);
      found.in_rows |= !of_columns_.contains(&value) && of_rows_.contains(&value);
    }
  }

  // The start of a counter that grows by the same number in all lanes.
  std::optional<const llvm::Value *> start_of(const llvm::Value &value) {
    auto *phi = llvm::dyn_cast<llvm::PHINode>(&value);
    const auto induction =
        phi ? expressions_.induction(*phi, Depth::address) : std::optional<Induction>();
    return induction && induction->step.terms.empty() ? std::optional(induction->start)
                                                      : std::nullopt;
  }

  // The values that are computed from ids of columns, or of rows.
  Values values_of(bool (Rows::*is_source)(const llvm::Value &) const) const {
    Values found;
    llvm::SmallVector<const llvm::Value *> open;
    for (const llvm::Instruction &instruction : llvm::instructions(function_))
      if ((rows_.*is_source)(instruction))
        open.push_back(&instruction);
    while (!open.empty())
      for (const llvm::User *user : open.pop_back_val()->users())
        if (!user->getType()->isVoidTy() && !llvm::isa<llvm::LoadInst>(user) &&
            found.insert(user).second)
          open.push_back(user);
    return found;
  }

  llvm::Function &function_;
  IndexExpressions &expressions_;
  const Rows &rows_;
  Values of_columns_, of_rows_;
};

} // namespace

uint32_t columns_of_remainders(llvm::Function &function, IndexExpressions &expressions,
                               uint32_t narrowest, uint32_t width) {
  using namespace llvm::PatternMatch;
  uint32_t columns = 0;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    const llvm::APInt *mask = nullptr;
    if (!match(&instruction, m_And(m_Value(), m_LowBitMask(mask))) ||
        mask->getActiveBits() >= llvm::Log2_32(width) ||
        mask->getActiveBits() < llvm::Log2_32(narrowest))
      continue;
    const auto found = uint32_t(mask->getZExtValue() + 1);
    if (!Rows(expressions, found, /*in_one_dimension=*/true).is_column(instruction))
      continue;
    if (columns != 0 && columns != found)
      return 0;
    columns = found;
  }
  return columns;
}

RowCosts row_costs(llvm::Function &function, const RowLayout &layout,
                   llvm::FunctionAnalysisManager &analyses) {
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  const Rows rows(expressions, layout.row, layout.is_of_remainders, layout.is_whole);
  RowAccesses accesses(function, expressions, rows);
  if (!accesses.any())
    return {};
  const auto &frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  const CostModel model(layout.width);
  RowCosts costs;
  for (const llvm::BasicBlock &block : function) {
    const double times = double(frequencies.getBlockFreq(&block).getFrequency());
    for (const llvm::Instruction &instruction : block) {
      if (instruction.isDebugOrPseudoInst())
        continue;
      costs.in_rows += times * CostModel::vectors(layout.vectors_in_rows);
      costs.across_rows +=
          times * (accesses.is_one(instruction) ? model.gather() : CostModel::vectors(1));
    }
  }
  return costs;
}

} // namespace lockstep::compiler
