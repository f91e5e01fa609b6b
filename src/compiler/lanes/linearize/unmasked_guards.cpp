// Gives code behind a guard a version for sub-groups of which all work-items pass the guard.
//
// In `if (x < n && y < n) for (k ...) sum += a[y * n + k] * b[k * n + x]`, interleaved rows load each
// element of `b` once, but rows that may diverge run one after the other.
//
//   all lanes pass?  ─ yes ─>  the code without masks  ─────>  code behind it
//        └ no ─>  the guard, per lane  ──>  the same code, with masks  ──┘
//
// Requires: the kernel of one work-item, with a known local size of whole sub-groups.
// Ensures: both versions of code that only one guard leads to and that gains by interleaving: it has
// a loop that loads the same in all rows or groups that differ in the guard, or straight code in
// which rows, or groups of one row, access columns, or a chain of floats (chains.h). Conditions in
// blocks of their own, as in `x < n && y < n`, are one guard. The code has no barrier and calls
// nothing that writes memory. `__lockstep_all_lanes` is decided for all interleaved rows at once.
// Else, both versions of code with barriers or grid-stride loops behind a guard at the entry, chosen
// for whole groups. There, the part of the guard by which whole groups leave has its own branch.
//
// Position: before coalesce-work-groups, which does not coalesce groups for loops behind a guard
// that differs between them.
#include "compiler/lanes/linearize/passes.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/chains.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/grid_stride_loops.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/lanes/linearize/group_condition.h"
#include "compiler/lanes/linearize/split_group_condition.h"
#include "kernel_ir/form.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Value;

struct Guard {
  BranchInst *branch;
  unsigned side; // the successor behind which the code is
  llvm::SmallVector<BasicBlock *> blocks;
};

class Finder {
public:
  Finder(llvm::Function &function, const llvm::DominatorTree &dominators,
         const llvm::LoopInfo &loops, IndexExpressions &expressions)
      : dominators_(dominators), loops_(loops), expressions_(expressions), function_(function),
        size_(specialized_local_size(function)), neighbors_(neighbor_groups(function)) {}

  std::optional<Guard> find() const;
  // The branch of a guard's second condition, `y < n`, if it is in a block of its own.
  BranchInst *find_second_condition() const;
  // The branch at the entry, if groups that are coalesced may differ in it.
  bool may_be_split() const;
  // For whole groups. `branch`: at the entry, or behind a branch by which whole groups leave there.
  std::optional<Guard> find_for_groups(llvm::Instruction *branch) const;

private:
  using Values = llvm::SmallPtrSet<const Value *, 32>;
  bool can_be_repeated(llvm::ArrayRef<BasicBlock *> blocks) const;
  bool has_rows(unsigned dimension) const {
    return size_[dimension] > 1 || neighbors_[dimension] > 1;
  }
  Values that_differ_in(unsigned dimension) const;
  bool is_worth_a_version(const Guard &guard,
                          std::array<std::optional<Values>, 3> &different) const;
  bool loads_the_same(const Guard &guard, const Values &different) const;
  bool has_columns(const Guard &guard, const Values &different_in_row) const;
  bool has_chain(const Guard &guard, const Values &different_in_row) const;
  bool is_of_column_of_groups(const IndexExpression &address, uint64_t element_size) const;
  bool gains_without(const Guard &guard) const;

  const llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  IndexExpressions &expressions_;
  llvm::Function &function_;
  std::array<uint32_t, 3> size_, neighbors_;
};

bool Finder::can_be_repeated(llvm::ArrayRef<BasicBlock *> blocks) const {
  size_t instructions = 0;
  for (const BasicBlock *block : blocks) {
    instructions += block->size();
    for (const llvm::Instruction &instruction : *block) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && (call->isConvergent() ||
                   (!call->doesNotAccessMemory() && !llvm::isa<llvm::IntrinsicInst>(call))))
        return false;
    }
  }
  return instructions <= limits::repeated_code / limits::code_growth;
}

// Whatever is computed from an id of the dimension.
Finder::Values Finder::that_differ_in(unsigned dimension) const {
  const Primitive id = size_[dimension] > 1 ? Primitive::local_id : Primitive::group_id;
  llvm::SmallVector<const Value *> open;
  Values different;
  for (const BasicBlock &block : function_)
    for (const llvm::Instruction &instruction : block)
      if (called_primitive(instruction) == id &&
          constant_dimension(llvm::cast<llvm::CallInst>(instruction)) == dimension)
        open.push_back(&instruction);
  while (!open.empty()) {
    const Value *value = open.pop_back_val();
    if (different.insert(value).second)
      open.append(value->user_begin(), value->user_end());
  }
  return different;
}

// Whether a loop behind the guard loads a value that is the same in all rows and changes in each
// iteration.
bool Finder::loads_the_same(const Guard &guard, const Values &different) const {
  for (const BasicBlock *block : guard.blocks) {
    const llvm::Loop *loop = loops_.getLoopFor(block);
    if (!loop || !llvm::is_contained(guard.blocks, loop->getHeader()))
      continue;
    for (const llvm::Instruction &instruction : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
          load && !different.contains(load) && !loop->isLoopInvariant(load->getPointerOperand()))
        return true;
  }
  return false;
}

// Whether the next group of those that coalesce-work-groups may coalesce accesses the next element.
bool Finder::is_of_column_of_groups(const IndexExpression &address, uint64_t element_size) const {
  return llvm::any_of(address.terms, [&](const IndexExpression::Term &term) {
    const Value *value = term.symbol.value;
    if (!value || called_primitive(*value) != Primitive::group_id ||
        uint64_t(term.coefficient) != element_size)
      return false;
    const unsigned dimension = constant_dimension(*llvm::cast<llvm::CallInst>(value)).value_or(0);
    return dimension != 0 && size_[dimension] == 1 && neighbors_[dimension] > 1;
  });
}

// Rows of lanes that access columns. An element for a whole row is no tile.
bool Finder::has_columns(const Guard &guard, const Values &different_in_row) const {
  const llvm::DataLayout &layout = function_.getDataLayout();
  for (const BasicBlock *block : guard.blocks) {
    if (loops_.getLoopFor(block))
      continue;
    for (const llvm::Instruction &instruction : *block) {
      const Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (!pointer || pointer->getType()->getPointerAddressSpace() == local_space ||
          !different_in_row.contains(pointer))
        continue;
      const IndexExpression &address = expressions_.of(*pointer, Depth::address);
      const uint64_t size = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
      if (is_of_column(address, size) || is_of_column_of_groups(address, size))
        return true;
    }
  }
  return false;
}

// A chain of floats that all work-items end alike.
bool Finder::has_chain(const Guard &guard, const Values &different_in_row) const {
  return llvm::any_of(guard.blocks, [&](const BasicBlock *block) {
    const llvm::Loop *loop = loops_.getLoopFor(block);
    if (!loop || loop->getHeader() != block || !is_chain(*loop))
      return false;
    llvm::SmallVector<BasicBlock *> exits;
    loop->getExitingBlocks(exits);
    return llvm::all_of(exits, [&](const BasicBlock *exit) {
      auto *branch = llvm::dyn_cast<BranchInst>(exit->getTerminator());
      return branch && branch->isConditional() &&
             !different_in_row.contains(branch->getCondition());
    });
  });
}

// Columns are worth it also if only lanes differ in the guard, since tiles have no masks.
bool Finder::is_worth_a_version(const Guard &guard,
                                std::array<std::optional<Values>, 3> &different) const {
  if (!can_be_repeated(guard.blocks))
    return false;
  for (unsigned dimension : {0u, 1u, 2u})
    if (has_rows(dimension) && !different[dimension])
      different[dimension] = that_differ_in(dimension);
  const Value *condition = guard.branch->getCondition();
  if (different[0] && different[0]->contains(condition) && has_chain(guard, *different[0]))
    return true;
  for (unsigned dimension : {1u, 2u}) {
    if (!has_rows(dimension))
      continue;
    const bool rows_differ = different[dimension]->contains(condition);
    if (rows_differ && loads_the_same(guard, *different[dimension]))
      return true;
    if (different[0] && (rows_differ || different[0]->contains(condition)) &&
        has_columns(guard, *different[0]))
      return true;
  }
  return false;
}

std::optional<Guard> Finder::find() const {
  std::array<std::optional<Values>, 3> different;
  for (BasicBlock &from : function_) {
    auto *branch = llvm::dyn_cast<BranchInst>(from.getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned side : {0u, 1u}) {
      Guard guard{branch, side, {}};
      BasicBlock *first = branch->getSuccessor(side);
      if (!dominators_.dominates(llvm::BasicBlockEdge(&from, first), first))
        continue;
      dominators_.getDescendants(first, guard.blocks);
      if (is_worth_a_version(guard, different))
        return guard;
    }
  }
  return std::nullopt;
}

BranchInst *Finder::find_second_condition() const {
  std::array<std::optional<Values>, 3> different;
  for (BasicBlock &block : function_) {
    const BasicBlock *before = block.getSinglePredecessor();
    auto *first = before ? llvm::dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    auto *second = llvm::dyn_cast<BranchInst>(block.getTerminator());
    if (!first || !first->isConditional() || !second || !second->isConditional() ||
        loops_.getLoopFor(&block))
      continue;
    for (unsigned side : {0u, 1u}) {
      Guard guard{second, side, {}};
      BasicBlock *behind = second->getSuccessor(side);
      if (!llvm::is_contained(llvm::successors(before), second->getSuccessor(1 - side)) ||
          !dominators_.dominates(llvm::BasicBlockEdge(&block, behind), behind))
        continue;
      dominators_.getDescendants(behind, guard.blocks);
      if (is_worth_a_version(guard, different))
        return second;
    }
  }
  return nullptr;
}

// Whether it is the guard of the loop itself, which unmasked-loops handles.
bool is_own_guard(const Guard &guard, const BasicBlock &header) {
  const BasicBlock *block = guard.branch->getSuccessor(guard.side);
  while (block && block != &header)
    block = block->getUniqueSuccessor();
  return block;
}

// Whether the guard makes the code behind it slow: barriers would end for some work-items only, and
// loops have guards of their own.
bool Finder::gains_without(const Guard &guard) const {
  bool gains = false;
  size_t instructions = 0;
  for (const BasicBlock *block : guard.blocks) {
    instructions += block->size();
    for (const llvm::Instruction &instruction : *block) {
      const bool is_barrier = called_primitive(instruction) == Primitive::barrier;
      gains |= is_barrier;
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call && !is_barrier && call->isConvergent())
        return false;
    }
    if (const llvm::Loop *loop = loops_.getLoopFor(block);
        loop && loop->getHeader() == block && !is_own_guard(guard, *block))
      gains |= is_strided(*loop, expressions_);
  }
  return gains && instructions <= limits::repeated_code / limits::code_growth;
}

bool Finder::may_be_split() const {
  auto *branch = llvm::dyn_cast<BranchInst>(function_.getEntryBlock().getTerminator());
  if (!branch || !branch->isConditional())
    return false;
  const bool differs = llvm::any_of(llvm::ArrayRef{0u, 1u, 2u}, [&](unsigned dimension) {
    return size_[dimension] == 1 && neighbors_[dimension] > 1 &&
           that_differ_in(dimension).contains(branch->getCondition());
  });
  return differs && llvm::any_of(llvm::ArrayRef{0u, 1u}, [&](unsigned side) {
           Guard guard{branch, side, {}};
           dominators_.getDescendants(branch->getSuccessor(side), guard.blocks);
           return gains_without(guard);
         });
}

std::optional<Guard> Finder::find_for_groups(llvm::Instruction *end) const {
  auto *branch = llvm::dyn_cast<BranchInst>(end);
  if (!branch || !branch->isConditional())
    return std::nullopt;
  const BasicBlock &block = *branch->getParent();
  bool differs_in_group = false;
  for (unsigned dimension : {0u, 1u, 2u}) {
    if (size_[dimension] == 1 && neighbors_[dimension] == 1)
      continue;
    if (!that_differ_in(dimension).contains(branch->getCondition()))
      continue;
    if (size_[dimension] == 1)
      return std::nullopt; // groups that are coalesced may differ (coalesce-work-groups)
    differs_in_group = true;
  }
  for (unsigned side : {0u, 1u}) {
    Guard guard{branch, side, {}};
    BasicBlock *first = branch->getSuccessor(side);
    if (!differs_in_group || !dominators_.dominates(llvm::BasicBlockEdge(&block, first), first))
      continue;
    dominators_.getDescendants(first, guard.blocks);
    if (gains_without(guard))
      return guard;
  }
  return std::nullopt;
}

// Chooses the copy by `condition`; null: if all lanes pass.
void duplicate(const Guard &guard, Value *condition = nullptr) {
  BasicBlock *from = guard.branch->getParent(), *first = guard.branch->getSuccessor(guard.side);
  llvm::Function &function = *from->getParent();
  remark(*guard.branch, condition ? "groups of which all work-items pass this guard run without it"
                                  : "rows of which all work-items pass this guard run together");
  BasicBlock *divergent = llvm::SplitBlock(from, guard.branch);
  divergent->setName(from->getName() + ".divergent");
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<BasicBlock *> copies;
  for (BasicBlock *block : guard.blocks) {
    copies.push_back(llvm::CloneBasicBlock(block, map, ".full", &function));
    map[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map);
  auto *full = llvm::cast<BasicBlock>(static_cast<Value *>(map[first]));
  for (llvm::PHINode &phi : full->phis())
    phi.replaceIncomingBlockWith(divergent, from);
  auto copy_of = [&](Value *value) {
    auto found = map.find(value);
    return found == map.end() ? value : static_cast<Value *>(found->second);
  };
  for (BasicBlock *block : guard.blocks)
    for (BasicBlock *next : llvm::successors(block))
      if (!map.count(next))
        for (llvm::PHINode &phi : next->phis())
          phi.addIncoming(copy_of(phi.getIncomingValueForBlock(block)),
                          llvm::cast<BasicBlock>(copy_of(block)));
  llvm::Instruction *jump = from->getTerminator();
  llvm::IRBuilder<> builder(jump);
  builder.SetCurrentDebugLocation(guard.branch->getDebugLoc());
  if (!condition) { // lanes that do not come here may have anything
    Value *passes = builder.CreateFreeze(guard.branch->getCondition());
    if (guard.side == 1)
      passes = builder.CreateNot(passes);
    condition = emit_all_lanes(builder, passes);
  }
  builder.CreateCondBr(condition, full, divergent);
  jump->eraseFromParent();
}

// Makes one branch of `if (x < n && y < n)`: a version without masks needs all conditions.
bool merge_conditions(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  const Finder finder(function, dominators, analyses.getResult<llvm::LoopAnalysis>(function),
                      analyses.getResult<IndexExpressionsAnalysis>(function));
  BranchInst *second = finder.find_second_condition();
  if (!second)
    return false;
  BasicBlock *block = second->getParent();
  const auto is_condition = [&](const llvm::Instruction &instruction) {
    return &instruction == second || &instruction == second->getCondition();
  };
  if (block->size() > limits::small_code / limits::code_growth ||
      llvm::any_of(*block, [&](const llvm::Instruction &instruction) {
        const auto primitive = called_primitive(instruction);
        return !is_condition(instruction) && primitive != Primitive::local_id &&
               primitive != Primitive::group_id &&
               !llvm::isSafeToSpeculativelyExecute(&instruction);
      }))
    return false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block))
    if (!is_condition(instruction))
      instruction.moveBefore(block->getSinglePredecessor()->getTerminator()->getIterator());
  llvm::DomTreeUpdater updater(dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  if (!llvm::foldBranchToCommonDest(second, &updater))
    return false;
  llvm::DeleteDeadBlock(block, &updater);
  return true;
}

} // namespace

llvm::PreservedAnalyses UnmaskedGuardsPass::run_in_lanes(llvm::Function &function,
                                                         llvm::FunctionAnalysisManager &analyses) {
  uint64_t items = 1;
  for (const uint32_t size : specialized_local_size(function))
    items *= size;
  if (items == 0 || items % sub_group_size(function) != 0 || is_resumable(function) ||
      function.hasFnAttribute(lane_function))
    return llvm::PreservedAnalyses::all();
  auto unchanged = llvm::PreservedAnalyses::all();
  while (merge_conditions(function, analyses)) {
    unchanged = llvm::PreservedAnalyses::none();
    analyses.invalidate(function, unchanged);
  }
  auto finder = [&] {
    return Finder(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::LoopAnalysis>(function),
                  analyses.getResult<IndexExpressionsAnalysis>(function));
  };
  if (const auto guard = finder().find()) {
    duplicate(*guard);
    return llvm::PreservedAnalyses::none();
  }
  llvm::Instruction *branch = function.getEntryBlock().getTerminator();
  if (finder().may_be_split())
    if (BranchInst *of_items = split_group_condition(function)) {
      branch = of_items;
      unchanged = llvm::PreservedAnalyses::none();
      analyses.invalidate(function, unchanged);
    }
  const auto guard = finder().find_for_groups(branch);
  if (!guard)
    return unchanged;
  llvm::IRBuilder<> builder(guard->branch);
  Value *all_pass = emit_for_all_work_items(
      builder, *guard->branch->getCondition(), guard->side == 0,
      analyses.getResult<IndexExpressionsAnalysis>(function), specialized_local_size(function));
  if (!all_pass)
    return unchanged;
  duplicate(*guard, all_pass);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
