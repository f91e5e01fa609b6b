// Coalesces consecutive work-groups when the kernel cannot observe the boundary between them.
//
// Requires: the kernel of one work-item, with a known local size and offered neighbors.
// Ensures: where it pays, the kernel of a group with the work-items of `count` groups
// ("lockstep-coalesced-groups"), or of a row of a group ("lockstep-calls-per-group").
//
// A kernel that uses only get_global_id computes the same in a group of any size. These pay:
// - A grid-stride loop reads rows of the group's work-items. Prefetchers need more than four lines.
// - Straight-line code on a tile runs row by row. For images, only the path in bounds counts.
// - A chain of floats (chains.h) needs eight sub-groups.
// - Sums of products of rows and columns want two registers of columns, and eight rows; 64 in blocks.
// - Straight-line code that accesses columns wants the rows that fill a cache line.
// - Rows shorter than a sub-group leave lanes empty, or mix elements of several rows in a vector.
//
// The kernel must have no local memory or operation of groups, and must use its ids only as
// `group id * local size + local id`. Kernels that wait are skipped: a deadlock report would name
// the wrong groups. Kernels with atomic or volatile accesses keep their lanes, so forward progress
// is unchanged.
//
// Position: before choose-sub-group-size, which reads the size of a group.
#include "compiler/group_shape/passes.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/chains.h"
#include "compiler/analysis/copy_distances.h"
#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/grid_stride_loops.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/analysis/row_column_products.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/group_shape/block_products.h"
#include "compiler/group_shape/observes_groups.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/form.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lockstep::compiler {

namespace {

constexpr uint64_t linear_row = limits::linear_lines * cache_line_bytes;
// Per group, after its lanes are filled. They are interleaved.
constexpr uint64_t sub_groups_of_lanes = limits::chains_at_once / 2;
// Rows that take turns with blocks of products (block_products.cpp): a block is loaded from afar once
// for eight interleaved runs.
constexpr uint64_t rows_of_blocks = uint64_t{limits::chains_at_once} * limits::chains_at_once;

bool is_id(const llvm::Value &value, Primitive primitive, unsigned dimension) {
  return called_primitive(value) == primitive &&
         constant_dimension(llvm::cast<llvm::CallInst>(value)) == dimension;
}

// The id of which a symbol is the value, maybe truncated; null if it is another one.
llvm::CallInst *id_of(const IndexSymbol &symbol, Primitive primitive, unsigned dimension) {
  auto *value = const_cast<llvm::Value *>(symbol.value);
  if (auto *narrow = llvm::dyn_cast_or_null<llvm::TruncInst>(value))
    value = narrow->getOperand(0);
  return value && symbol.extension == Extension::none && is_id(*value, primitive, dimension)
             ? llvm::cast<llvm::CallInst>(value)
             : nullptr;
}

// `factor * (group * local size + local) + rest`
struct GlobalIdSum {
  llvm::CallInst *group = nullptr, *local = nullptr;
  int64_t factor = 0;
  IndexExpression rest;
};

// Returns nullopt if the value is no sum of a multiple of the global id.
std::optional<GlobalIdSum> global_id_sum(const IndexExpression &value, unsigned dimension,
                                         uint64_t local_size) {
  GlobalIdSum sum{.rest = value};
  sum.rest.terms.clear();
  int64_t groups = 0;
  for (const IndexExpression::Term &term : value.terms)
    if (auto *local = id_of(term.symbol, Primitive::local_id, dimension); local && !sum.local) {
      sum.local = local;
      sum.factor = term.coefficient;
    } else if (auto *group = id_of(term.symbol, Primitive::group_id, dimension);
               group && !sum.group) {
      sum.group = group;
      groups = term.coefficient;
    } else {
      sum.rest.terms.push_back(term);
    }
  const bool is_multiple =
      sum.local && sum.group &&
      groups == llvm::SignExtend64(uint64_t(sum.factor) * local_size, value.bits);
  return is_multiple ? std::optional(sum) : std::nullopt;
}

// Returns the group id if `value` adds the local id to the first global id of the group, else null.
llvm::Value *group_in_sum(IndexExpressions &expressions, llvm::Value &value, unsigned dimension,
                          uint64_t local_size) {
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  if (!operation ||
      (operation->getOpcode() != llvm::Instruction::Add &&
       operation->getOpcode() != llvm::Instruction::Or) ||
      llvm::none_of(operation->operands(), [&](const llvm::Use &operand) {
        return is_id(*operand, Primitive::local_id, dimension);
      }))
    return nullptr;
  const auto sum = global_id_sum(expressions.of(value), dimension, local_size);
  return sum && sum->factor == 1 && sum->rest.terms.empty() && sum->rest.constant == 0 ? sum->group
                                                                                       : nullptr;
}

// LLVM reassociates `get_global_id(0) + 1` to `(local id + 1) + first id of the group`, and
// distributes multiples and truncations. Restores the global id in such sums.
class SumsOfGlobalIds {
public:
  SumsOfGlobalIds(llvm::Function &function, const llvm::LoopInfo &loops, unsigned dimension,
                  uint64_t local_size)
      : function_(function), expressions_(function, loops), dimension_(dimension),
        local_size_(local_size) {}

  void restore() {
    for (llvm::Instruction &id : llvm::instructions(function_))
      if (is_id(id, Primitive::local_id, dimension_))
        find(id);
    for (Found &found : found_)
      if (auto *value =
              llvm::cast_or_null<llvm::Instruction>(static_cast<llvm::Value *>(found.value)))
        restore(*value, found);
    for (const Masked &masked : masked_)
      restore(masked);
  }

private:
  struct Found {
    llvm::WeakVH value; // null: deleted with another sum
    GlobalIdSum sum;
    llvm::WeakVH first; // the first global id of the group, if it is computed already
  };

  // A global id of 32 bits, extended.
  struct Masked {
    llvm::Instruction *value;
    llvm::Value *first, *local;
  };

  void find(llvm::Instruction &id) {
    llvm::SmallSetVector<llvm::Value *, 8> open;
    open.insert(&id);
    for (size_t index = 0; index != open.size(); ++index)
      for (llvm::User *user : open[index]->users()) {
        if (!llvm::isa<llvm::BinaryOperator, llvm::TruncInst>(user) ||
            !user->getType()->isIntegerTy() ||
            group_in_sum(expressions_, *user, dimension_, local_size_))
          continue;
        if (llvm::Value *first = first_below_mask(*user, id)) {
          masked_.push_back({llvm::cast<llvm::Instruction>(user), first, &id});
          continue;
        }
        if (const auto sum = global_id_sum(expressions_.of(*user), dimension_, local_size_))
          add(llvm::cast<llvm::Instruction>(*user), *sum);
        else if (open.size() < limits::search_steps)
          open.insert(user);
      }
  }
  // InstCombine turns the extension of a global id of 32 bits into a mask of the group's first id.
  // Returns that id of 64 bits, or null.
  llvm::Value *first_below_mask(llvm::User &user, llvm::Value &id) {
    using namespace llvm::PatternMatch;
    llvm::Value *first = nullptr;
    const llvm::APInt *mask = nullptr;
    if (!user.getType()->isIntegerTy(64) ||
        !match(&user, m_c_Or(m_And(m_Value(first), m_APInt(mask)), m_Specific(&id))) ||
        *mask != (UINT32_MAX & -local_size_))
      return nullptr;
    const IndexExpression &expression = expressions_.of(*first);
    return expression.constant == 0 && expression.terms.size() == 1 &&
                   expression.terms[0].coefficient == int64_t(local_size_) &&
                   id_of(expression.terms[0].symbol, Primitive::group_id, dimension_)
               ? first
               : nullptr;
  }
  static void restore(const Masked &masked) {
    llvm::IRBuilder<> builder(masked.value);
    llvm::Value *global = builder.CreateAdd(masked.first, masked.local, "global.id");
    llvm::Value *restored =
        builder.CreateZExt(builder.CreateTrunc(global, builder.getInt32Ty()), global->getType());
    restored->takeName(masked.value);
    masked.value->replaceAllUsesWith(restored);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(masked.value);
  }
  void add(llvm::Instruction &value, const GlobalIdSum &sum) {
    if (llvm::none_of(found_, [&](const Found &known) { return known.value == &value; }))
      found_.push_back({&value, sum, first_in(value, *sum.group, 0)});
  }
  llvm::Value *first_in(llvm::Value &value, const llvm::Value &group, unsigned depth) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction || depth == limits::search_depth || !value.getType()->isIntegerTy())
      return nullptr;
    const IndexExpression &expression = expressions_.of(value);
    if (expression.bits == 64 && expression.constant == 0 && expression.terms.size() == 1 &&
        expression.terms[0].symbol.value == &group &&
        expression.terms[0].coefficient == int64_t(local_size_))
      return &value;
    for (llvm::Value *operand : instruction->operands())
      if (llvm::Value *first = first_in(*operand, group, depth + 1))
        return first;
    return nullptr;
  }
  void restore(llvm::Instruction &value, Found &found) {
    const GlobalIdSum &sum = found.sum;
    llvm::IRBuilder<> builder(&value);
    llvm::Value *first = found.first;
    if (!first)
      first = builder.CreateMul(sum.group, builder.getInt64(local_size_));
    llvm::Value *restored = builder.CreateAdd(first, sum.local, "global.id");
    restored = builder.CreateTrunc(restored, value.getType());
    if (sum.factor != 1)
      restored =
          builder.CreateMul(restored, llvm::ConstantInt::getSigned(value.getType(), sum.factor));
    if (!sum.rest.terms.empty() || sum.rest.constant != 0)
      restored = builder.CreateAdd(restored, emit_sum(builder, sum.rest, 1, [](const auto &symbol) {
                                     return const_cast<llvm::Value *>(symbol.value);
                                   }));
    restored->takeName(&value);
    value.replaceAllUsesWith(restored);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&value);
  }

  llvm::Function &function_;
  IndexExpressions expressions_;
  const unsigned dimension_;
  const uint64_t local_size_;
  llvm::SmallVector<Found> found_;
  llvm::SmallVector<Masked> masked_;
};

// The ids of a dimension, and the sums that compute the global id from them.
struct Ids {
  llvm::SmallVector<llvm::CallInst *> local_ids, group_ids;
  llvm::SmallVector<llvm::BinaryOperator *> sums;
  llvm::SmallVector<llvm::Value *> groups; // the group id of each sum
};

// Returns nullopt if the ids are used for anything other than the global id.
std::optional<Ids> find_ids(llvm::Function &function, const llvm::LoopInfo &loops,
                            unsigned dimension, uint64_t local_size) {
  Ids ids;
  IndexExpressions expressions(function, loops);
  auto is_sum = [&](llvm::User *user) {
    return group_in_sum(expressions, *user, dimension, local_size) != nullptr;
  };
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_id(instruction, Primitive::local_id, dimension))
      ids.local_ids.push_back(llvm::cast<llvm::CallInst>(&instruction));
    else if (is_id(instruction, Primitive::group_id, dimension))
      ids.group_ids.push_back(llvm::cast<llvm::CallInst>(&instruction));
  if (local_size == 1)
    return ids;
  for (llvm::CallInst *id : ids.local_ids)
    for (llvm::User *user : id->users()) {
      if (!is_sum(user))
        return std::nullopt;
      ids.sums.push_back(llvm::cast<llvm::BinaryOperator>(user));
      ids.groups.push_back(group_in_sum(expressions, *user, dimension, local_size));
    }
  for (llvm::CallInst *id : ids.group_ids)
    for (llvm::User *first : id->users())
      if (!llvm::all_of(first->users(), is_sum))
        return std::nullopt;
  return ids;
}

// The size of the largest load in a grid-stride loop, in bytes. Returns 0 if there is no such loop,
// or if one also writes memory.
uint64_t read_in_strides(llvm::Function &function, const llvm::LoopInfo &loops) {
  const llvm::DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  IndexExpressions expressions(function, loops);
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!is_strided(*loop, expressions))
      continue;
    for (const llvm::BasicBlock *block : loop->blocks())
      for (const llvm::Instruction &instruction : *block) {
        if (instruction.mayWriteToMemory())
          return 0;
        if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
          bytes = std::max(bytes, layout.getTypeStoreSize(load->getType()).getFixedValue());
      }
  }
  return bytes;
}

bool tests_all_lanes(const llvm::Value &condition) {
  using namespace llvm::PatternMatch;
  llvm::Value *left = nullptr, *right = nullptr;
  if (match(&condition, m_And(m_Value(left), m_Value(right))))
    return tests_all_lanes(*left) && tests_all_lanes(*right);
  return called_primitive(condition) == Primitive::all_lanes;
}

// The blocks that run if every all_lanes check succeeds: the texels of all work-items are in
// bounds.
llvm::SmallSetVector<const llvm::BasicBlock *, 8> expected_blocks(const llvm::Function &function) {
  llvm::SmallSetVector<const llvm::BasicBlock *, 8> blocks;
  blocks.insert(&function.getEntryBlock());
  for (size_t index = 0; index != blocks.size(); ++index) {
    const llvm::Instruction *end = blocks[index]->getTerminator();
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(end);
    if (branch && branch->isConditional() && tests_all_lanes(*branch->getCondition()))
      blocks.insert(branch->getSuccessor(0));
    else
      blocks.insert(llvm::succ_begin(end), llvm::succ_end(end));
  }
  return blocks;
}

// The size of the largest access in bytes, if the code is a tile of rows. That requires
// straight-line code in which the same access of the next group is adjacent. Returns 0 otherwise.
// Image accesses are judged by the path with all texels in bounds.
uint64_t accessed_in_rows(llvm::Function &function, const llvm::LoopInfo &loops, uint64_t items) {
  if (!loops.empty() || llvm::any_of(llvm::instructions(function), is_seen_by_others))
    return 0;
  const llvm::DataLayout &layout = function.getDataLayout();
  const auto values = values_of_group(function, 0);
  IndexExpressions expressions(function, loops);
  CopyDistances distances(expressions, values, 1, CopyDistances::Wraps::are_ignored);
  uint64_t bytes = 0;
  for (const llvm::BasicBlock *block : expected_blocks(function))
    for (const llvm::Instruction &instruction : *block) {
      if (!instruction.mayReadOrWriteMemory() || called_primitive(instruction))
        continue;
      const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
      if (!address)
        return 0;
      if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address)))
        continue;
      const uint64_t size =
          layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
      const auto distance = distances.of(*address);
      if (!distance || (*distance != 0 && *distance != int64_t(size * items)))
        return 0;
      if (*distance != 0)
        bytes = std::max(bytes, size);
    }
  return bytes;
}

// How many rows a group should have: those whose elements of a column fill a cache line, if straight
// code accesses columns, and as many as share the loads of a sum of products. Otherwise returns
// `rows`.
uint64_t wanted_rows(llvm::Function &function, const llvm::LoopInfo &loops, uint64_t rows,
                     bool has_blocks) {
  if (llvm::any_of(llvm::instructions(function), is_seen_by_others))
    return rows;
  const llvm::DataLayout &layout = function.getDataLayout();
  const auto differ_in_row = values_of_group(function, 0);
  IndexExpressions expressions(function, loops);
  uint64_t wanted = rows;
  if (bits_of_row_column_products(function, expressions) != 0)
    wanted = std::max(wanted, has_blocks ? rows_of_blocks : uint64_t{limits::chains_at_once});
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    if (!address || !differ_in_row.contains(address) || loops.getLoopFor(instruction.getParent()))
      continue;
    const uint64_t size =
        layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
    if (is_of_column(expressions.of(*address, Depth::address), size))
      wanted = std::max(wanted, cache_line_bytes / size);
  }
  return wanted;
}

// The number of work-items that a group of one row should have.
uint64_t wanted_items(llvm::Function &function, const llvm::LoopInfo &loops, uint64_t items,
                      uint64_t lanes) {
  if (const uint64_t bytes = read_in_strides(function, loops); bytes != 0 && items >= lanes)
    return linear_row / bytes;
  if (items < lanes * limits::chains_at_once &&
      function.getInstructionCount() <= limits::repeated_code / 2 &&
      llvm::any_of(
          loops.getLoopsInPreorder(), [](const auto *loop) { return is_chain(*loop); }) &&
      llvm::none_of(llvm::instructions(function), is_seen_by_others))
    return lanes * limits::chains_at_once;
  if (items < lanes && function.getInstructionCount() <= limits::repeated_code / 2 &&
      llvm::none_of(llvm::instructions(function), is_seen_by_others))
    return lanes * sub_groups_of_lanes;
  return items;
}

// The number of work-items that each of several rows should have. Lanes of several short rows would
// gather what those of one row load as a vector, unless most accesses are to columns.
uint64_t wanted_in_each_row(llvm::Function &function, const llvm::LoopInfo &loops,
                            std::array<uint32_t, 3> local_size, uint32_t offered, uint64_t lanes) {
  // With fewer groups, choose-sub-group-size may take fewer lanes.
  const uint64_t items = uint64_t{local_size[0]} * local_size[1] * local_size[2];
  uint64_t groups = std::min<uint64_t>(groups_of_whole_lanes(local_size[0], lanes), offered);
  while (groups > 1 && groups * items > max_work_group_size)
    groups /= 2;
  const uint64_t wanted = groups * local_size[0];
  if (function.getInstructionCount() > limits::repeated_code / 2 ||
      llvm::any_of(llvm::instructions(function), is_seen_by_others))
    return local_size[0];
  const llvm::DataLayout &layout = function.getDataLayout();
  const auto differ_in_row = values_of_group(function, 0);
  IndexExpressions expressions(function, loops);
  size_t accesses = 0, columns = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    if (!address || !differ_in_row.contains(address))
      continue;
    ++accesses;
    columns += is_of_column(expressions.of(*address, Depth::address),
                            layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction)));
  }
  return accesses != 0 && 2 * columns <= accesses ? wanted : local_size[0];
}

// Whether few lanes are idle if the row is padded to whole sub-groups.
bool fills_lanes(uint64_t row, uint64_t lanes) {
  return row % lanes == 0 ||
         !CostModel::is_clearly_less(double(row), double(llvm::alignTo(row, lanes)));
}

// Whether a row should have two sub-groups, which then become a wide one.
bool wants_two_sub_groups(llvm::Function &function, const llvm::LoopInfo &loops) {
  IndexExpressions expressions(function, loops);
  return bits_of_row_column_products(function, expressions) != 0 &&
         llvm::none_of(llvm::instructions(function), is_seen_by_others);
}

// `local_size`: of the dimension.
void widen(llvm::Function &function, const Ids &ids, unsigned dimension, uint64_t local_size,
           uint32_t count) {
  const llvm::ConstantRange range(llvm::APInt(64, 0), llvm::APInt(64, local_size * count));
  for (llvm::CallInst *id : ids.local_ids)
    id->addRangeRetAttr(range);
  for (llvm::BinaryOperator *sum : ids.sums) { // a disjoint `or` may no longer be disjoint
    llvm::IRBuilder<> builder(sum);
    llvm::Value *added = builder.CreateAdd(sum->getOperand(0), sum->getOperand(1));
    added->takeName(sum);
    sum->replaceAllUsesWith(added);
    sum->eraseFromParent();
  }
  if (local_size != 1)
    return;
  for (llvm::CallInst *id : ids.local_ids) // the original local id is always 0
    id->replaceAllUsesWith(llvm::ConstantInt::get(id->getType(), 0));
  for (llvm::CallInst *id : ids.group_ids) {
    llvm::IRBuilder<> builder(id->getNextNode());
    auto callee = declare_primitive(*function.getParent(), Primitive::local_id,
                                    builder.getInt64Ty(), {builder.getInt32Ty()});
    llvm::CallInst *number =
        builder.CreateCall(callee, builder.getInt32(dimension), "group.number");
    number->setDoesNotThrow();
    number->setDoesNotAccessMemory();
    number->addRangeRetAttr(range);
    auto *own = llvm::cast<llvm::Instruction>(builder.CreateNUWAdd(id, number, "group.id"));
    id->replaceUsesWithIf(own, [&](llvm::Use &use) { return use.getUser() != own; });
  }
}

// Makes each row a call: the group id counts rows, and the local size is 1 in this dimension.
void part_rows(const Ids &ids) {
  for (const auto &[sum, group] : llvm::zip(ids.sums, ids.groups)) {
    sum->replaceAllUsesWith(group);
    sum->eraseFromParent();
  }
}

// Makes each row of the group's tile a group of its own, if that is legal and pays. Returns false
// if the function is unchanged.
bool part_tile(llvm::Function &function, const llvm::LoopInfo &loops,
               std::array<uint32_t, 3> &local_size, uint64_t &wanted) {
  const uint64_t bytes = accessed_in_rows(function, loops, local_size[0]);
  if (bytes == 0)
    return false;
  auto second = find_ids(function, loops, 1, local_size[1]),
       third = find_ids(function, loops, 2, local_size[2]);
  if (!second || !third)
    return false;
  part_rows(*second);
  part_rows(*third);
  set_calls_per_group(function, {1, local_size[1], local_size[2]});
  local_size[1] = local_size[2] = 1;
  wanted = linear_row / bytes;
  return true;
}

// Coalesces groups above each other into one with as many rows as pay.
void add_rows(llvm::Function &function, const llvm::LoopInfo &loops, uint32_t offered,
              std::array<uint32_t, 3> local_size, uint64_t lanes, bool has_blocks) {
  const uint64_t row = llvm::alignTo(local_size[0], lanes);
  const uint64_t wanted = std::min(wanted_rows(function, loops, local_size[1], has_blocks),
                                   uint64_t{max_work_group_size} / (row * local_size[2]));
  uint32_t count = 1;
  while (count * 2 <= offered && uint64_t{local_size[1]} * count * 2 <= wanted)
    count *= 2;
  const auto ids = count == 1 ? std::nullopt : find_ids(function, loops, 1, local_size[1]);
  if (!ids)
    return;
  widen(function, *ids, 1, local_size[1], count);
  local_size[1] *= count;
  add_coalesced_groups(function, {1, count, 1});
  set_specialized_local_size(function, local_size);
  remark(function.getEntryBlock().front(), "groups",
         "calls are for " + llvm::Twine(local_size[1]) +
             " rows of work-items, since work-items know their global ids alone");
}

} // namespace

llvm::PreservedAnalyses CoalesceIndistinctGroupsPass::run(llvm::Function &function,
                                                          llvm::FunctionAnalysisManager &analyses) {
  auto local_size = specialized_local_size(function);
  const auto neighbors = neighbor_groups(function);
  const uint32_t offered = neighbors[0], offered_above = neighbors[1];
  const uint64_t lanes = options_.preferred_sub_group_size(0);
  if (lanes == 1 || (offered == 1 && offered_above == 1) || local_size[0] == 0 ||
      is_resumable(function) || observes_groups(function))
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (unsigned dimension : {0, 1, 2})
    SumsOfGlobalIds(function, loops, dimension, local_size[dimension]).restore();
  const bool needs_columns = local_size[0] < 2 * lanes && wants_two_sub_groups(function, loops);
  IndexExpressions expressions(function, loops);
  const bool may_have_blocks =
      offered_above > 1 && !options_.is_checked() &&
      bits_of_row_column_products(function, expressions) != 0 &&
      has_blocks_of_products(function, loops, expressions,
                             Uniformity(function,
                                        analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                                        UniformityLevel::work_group));
  bool has_blocks = may_have_blocks && local_size[0] % lanes == 0;
  if (!needs_columns && fills_lanes(local_size[0], lanes) && (local_size[1] > 1 || has_blocks))
    add_rows(function, loops, offered_above, local_size, lanes, has_blocks);
  const auto ids = offered == 1 || local_size != specialized_local_size(function)
                       ? std::nullopt
                       : find_ids(function, loops, 0, local_size[0]);
  if (!ids)
    return preserved;
  uint64_t wanted = local_size[0];
  if (needs_columns && lanes % local_size[0] == 0)
    wanted = 2 * lanes;
  else if (needs_columns)
    wanted = wanted_in_each_row(function, loops, local_size, offered, 2 * lanes);
  else if (local_size[1] * local_size[2] == 1)
    wanted = wanted_items(function, loops, local_size[0], lanes);
  else
    part_tile(function, loops, local_size, wanted);
  // coalesce-work-groups may take the groups above a single row.
  if (wanted == local_size[0] && (local_size[1] * local_size[2] != 1 || offered_above == 1))
    wanted = wanted_in_each_row(function, loops, local_size, offered, lanes);
  uint32_t count = 1;
  while (count * 2 <= offered && local_size[0] * count * 2 <= wanted)
    count *= 2;
  if (count != 1) {
    widen(function, *ids, 0, local_size[0], count);
    local_size[0] *= count;
    add_coalesced_groups(function, {0, count, 0});
  }
  if (local_size == specialized_local_size(function))
    return preserved;
  set_specialized_local_size(function, local_size);
  remark(function.getEntryBlock().front(), "groups",
         "calls are for " + llvm::Twine(local_size[0]) +
             " work-items in a row, since work-items know their global ids alone");
  has_blocks = may_have_blocks && local_size[0] % lanes == 0;
  if (needs_columns && has_blocks) // eight calls remain for each worker
    add_rows(function, loops,
             std::min(offered_above, std::max(offered, offered_above) / (4 * count)), local_size,
             lanes, has_blocks);
  return preserved;
}

} // namespace lockstep::compiler
