// Chooses the dimension in which the lanes of a sub-group follow each other, by renaming dimensions.
//
// A sub-group is work-items with consecutive ids in dimension 0. Programs that call rows dimension
// 0 and columns dimension 1 would gather a column of memory in each access, although the work-items
// of dimension 1 access neighbors.
//
// Requires: the kernel of one work-item, with a known "lockstep-local-size".
// Ensures: if another dimension is better, dimension 0 of the code is that dimension of the launch:
// queries and attributes have changed places, and "lockstep-lane-dimension" has the dimension.
// lower-launch reverses it.
//
// "lockstep-suits-squares" records that square groups would access memory in fewer places than rows.
// A launch without a local size then chooses square groups, as a transpose needs them.
//
// If a dimension has too few work-items, coalesce-indistinct-groups may fill it.
//
// Groups with one work-item in dimension 0 keep the order of their work-items. Otherwise the kernel
// must not observe which work-items form a sub-group, nor their order.
//
// Kernels that wait are skipped: their groups rely on the default order. So are checked kernels.
#include "compiler/group_shape/passes.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/sub_group_order.h"
#include "compiler/group_shape/observes_groups.h"
#include "kernel_ir/form.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <cstdlib>

namespace lockstep::compiler {

namespace {

using Size = std::array<uint32_t, 3>;

bool has_dimension(Primitive primitive) {
  return is_of_work_item(primitive) && primitive != Primitive::work_dim;
}

bool can_be_renamed(const llvm::Function &function) {
  for (const llvm::Function &other : *function.getParent())
    if (&other != &function && is_out_of_line(other))
      return false;
  return llvm::all_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    const auto primitive = called_primitive(instruction);
    return !primitive || !has_dimension(*primitive) ||
           constant_dimension(llvm::cast<llvm::CallInst>(instruction));
  });
}

bool has_barriers(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return called_primitive(instruction) == Primitive::barrier;
  });
}

// The accesses as they would be if lanes followed each other in one dimension. Wrapping of address
// arithmetic is ignored, since the choice affects only speed.
class LanesAlong {
public:
  LanesAlong(llvm::Function &function, IndexExpressions &expressions, unsigned dimension,
             uint32_t lanes)
      : expressions_(expressions), dimension_(dimension), model_(lanes),
        has_groups_(specialized_local_size(function)[dimension] == 1) {
    llvm::SmallVector<const llvm::Value *> open;
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (is_id(instruction))
        open.push_back(&instruction);
    while (!open.empty())
      for (const llvm::User *user : open.pop_back_val()->users())
        if (!user->getType()->isVoidTy() && computed_.insert(user).second)
          open.push_back(user);
  }

  double cost(const llvm::Instruction &access) const {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
    if (!pointer)
      return 0;
    const auto size =
        access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue();
    const auto distance = distance_of(expressions_.of(*pointer, Depth::estimate), 0);
    if (!distance)
      return model_.gather();
    // One element for all lanes is not better than neighbors: there may be as many other work-items.
    const double vectors = double(std::abs(*distance)) / double(std::max(size, uint64_t{1}));
    return std::min(model_.gather(), CostModel::vectors(std::max(vectors, 1.0)));
  }

private:
  bool is_id(const llvm::Value &value) const {
    const auto primitive = called_primitive(value);
    return (primitive == Primitive::local_id ||
            (has_groups_ && primitive == Primitive::group_id)) &&
           constant_dimension(llvm::cast<llvm::CallInst>(value)) == dimension_;
  }

  // How much greater the sum is for the next lane; nullopt if that is not a known number.
  std::optional<int64_t> distance_of(const IndexExpression &sum, unsigned depth) const {
    int64_t distance = 0;
    for (const IndexExpression::Term &term : sum.terms) {
      const llvm::Value *value = term.symbol.value;
      if (!value)
        return std::nullopt;
      if (is_id(*value)) {
        distance += term.coefficient;
        continue;
      }
      if (!computed_.contains(value))
        continue;
      const auto known = distance_of_symbol(*value, depth);
      if (!known)
        return std::nullopt;
      distance += *known * term.coefficient;
    }
    return distance;
  }

  std::optional<int64_t> distance_of_value(const llvm::Value &value, unsigned depth) const {
    return distance_of(expressions_.of(value, Depth::estimate), depth);
  }

  std::optional<int64_t> distance_of_symbol(const llvm::Value &value, unsigned depth) const {
    using namespace llvm::PatternMatch;
    const llvm::Value *one = nullptr, *other = nullptr;
    if (depth == limits::search_depth)
      return std::nullopt;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&value)) {
      const auto induction = expressions_.induction(*phi, Depth::estimate);
      return induction && distance_of(induction->step, depth + 1)
                 ? distance_of_value(*induction->start, depth + 1)
                 : std::nullopt;
    }
    if (match(&value, m_MaxOrMin(m_Value(one), m_Value(other)))) { // most lanes are within limits
      const auto first = distance_of_value(*one, depth + 1),
                 second = distance_of_value(*other, depth + 1);
      return !first || !second || (*first != 0 && *second != 0 && *first != *second) ? std::nullopt
             : *first != 0                                                           ? first
                                                                                     : second;
    }
    if (match(&value, m_Select(m_Value(), m_Value(one), m_Value(other)))) {
      const auto first = distance_of_value(*one, depth + 1);
      return first == distance_of_value(*other, depth + 1) ? first : std::nullopt;
    }
    if (match(&value, m_IRem(m_Value(one), m_Value(other))) &&
        distance_of_value(*other, depth + 1) == 0)
      return distance_of_value(*one, depth + 1);
    return std::nullopt;
  }

  IndexExpressions &expressions_;
  unsigned dimension_;
  CostModel model_;
  bool has_groups_; // without work-items in this dimension, lanes could only come from groups
  llvm::SmallPtrSet<const llvm::Value *, 32> computed_; // from ids of the dimension
};

// Whether accesses cost clearly less if each of them could be along dimension 0 or 1, as in square
// groups, than in rows. `lanes`: of a sub-group.
bool accesses_suit_squares(llvm::Function &function, uint32_t lanes,
                           llvm::FunctionAnalysisManager &analyses) {
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  const auto &frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  const LanesAlong rows(function, expressions, 0, lanes), columns(function, expressions, 1, lanes);
  double in_rows = 0, in_squares = 0;
  for (const llvm::BasicBlock &block : function) {
    const double times = double(frequencies.getBlockFreq(&block).getFrequency());
    for (const llvm::Instruction &instruction : block) {
      const double row = rows.cost(instruction);
      in_rows += times * row;
      in_squares += times * std::min(row, columns.cost(instruction));
    }
  }
  return CostModel::is_clearly_less(in_squares, in_rows);
}

// Whether coalesce-indistinct-groups may give groups whole sub-groups in this dimension.
bool can_be_filled(const llvm::Function &function, unsigned dimension, uint32_t lanes) {
  const Size size = specialized_local_size(function);
  const uint64_t items = uint64_t{size[0]} * size[1] * size[2],
                 groups = groups_of_whole_lanes(size[dimension], lanes);
  return groups <= neighbor_groups(function)[dimension] && items * groups <= max_work_group_size &&
         !observes_groups(function) &&
         llvm::none_of(llvm::instructions(function), is_seen_by_others);
}

unsigned best_dimension(llvm::Function &function, uint32_t lanes,
                        llvm::FunctionAnalysisManager &analyses) {
  const Size size = specialized_local_size(function);
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  const auto &frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  auto cost_along = [&](unsigned dimension) {
    const LanesAlong along(function, expressions, dimension, lanes);
    double cost = 0;
    for (const llvm::BasicBlock &block : function) {
      const double times = double(frequencies.getBlockFreq(&block).getFrequency());
      for (const llvm::Instruction &instruction : block)
        cost += times * along.cost(instruction);
    }
    return cost;
  };
  const double usual = cost_along(0);
  unsigned best = 0;
  double least = usual;
  for (unsigned dimension : {1u, 2u}) {
    const bool has_rows = size[dimension] != 1 && (size[0] == 1 || 2 * size[dimension] >= lanes);
    if (!has_rows && (size[0] == 1 || !can_be_filled(function, dimension, lanes)))
      continue;
    const double cost = cost_along(dimension);
    // Without work-items in dimension 0, the lanes are along another one in any case.
    const bool is_better =
        size[0] == 1 && best == 0 ? cost <= least : CostModel::is_clearly_less(cost, least);
    if (is_better) {
      best = dimension;
      least = cost;
    }
  }
  return best;
}

void rename_dimensions(llvm::Function &function, unsigned lane_dimension) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    const auto primitive = called_primitive(instruction);
    if (!primitive || !has_dimension(*primitive))
      continue;
    auto &call = llvm::cast<llvm::CallInst>(instruction);
    const unsigned dimension = *constant_dimension(call);
    if (dimension == 0 || dimension == lane_dimension)
      call.setArgOperand(
          0, llvm::ConstantInt::get(call.getArgOperand(0)->getType(), lane_dimension - dimension));
  }
  rename_dimensions_of_attributes(function, lane_dimension);
  Size neighbors = neighbor_groups(function); // a launch offers longer rows in dimension 0
  neighbors[lane_dimension] = std::min(neighbors[lane_dimension], limits::chains_at_once);
  set_neighbor_groups(function, neighbors);
  set_lane_dimension(function, lane_dimension);
}

} // namespace

llvm::PreservedAnalyses ChooseLaneDimensionPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &analyses) {
  const Size size = specialized_local_size(function);
  const uint32_t lanes = options_.lanes ? options_.preferred_sub_group_size(required_) : 1;
  if (lanes == 1 || options_.is_checked() || is_resumable(function) || !can_be_renamed(function) ||
      (size[0] != 1 && (required_ != 0 || observes_sub_group_order(function))))
    return llvm::PreservedAnalyses::all();
  if (size[0] > 1 && !has_barriers(function) && accesses_suit_squares(function, lanes, analyses))
    set_suits_squares(function);
  const Size neighbors = neighbor_groups(function);
  if (uint64_t{size[1]} * size[2] <= 1 && neighbors[1] == 1 && neighbors[2] == 1)
    return llvm::PreservedAnalyses::all();
  const unsigned dimension = best_dimension(function, lanes, analyses);
  if (dimension == 0)
    return llvm::PreservedAnalyses::all();
  rename_dimensions(function, dimension);
  remark(function.getEntryBlock().front(), "sub-groups",
         llvm::Twine("of work-items that follow each other in dimension ") +
             llvm::Twine(dimension) +
             (size[0] == 1 ? ", since groups have one in dimension 0"
                           : ", since those of dimension 0 access memory in several places"));
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
