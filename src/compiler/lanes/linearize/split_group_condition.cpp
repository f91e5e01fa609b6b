#include "compiler/lanes/linearize/split_group_condition.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <array>

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;
using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Value;

bool only_returns(const BasicBlock &block) {
  return llvm::isa<llvm::ReturnInst>(block.getTerminator()) && block.sizeWithoutDebug() == 1;
}

// Whether it is the same for all work-items of a group.
bool is_of_group(const Value &value, const std::array<uint32_t, 3> &size, unsigned depth = 0) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || member_of(*instruction))
    return true;
  if (depth == limits::search_depth || instruction->mayReadFromMemory() ||
      llvm::isa<llvm::PHINode>(instruction))
    return false;
  if (const auto primitive = called_primitive(*instruction)) {
    const auto dimension = is_of_work_item(*primitive) && *primitive != Primitive::work_dim
                               ? constant_dimension(llvm::cast<llvm::CallInst>(*instruction))
                               : std::nullopt;
    if (primitive == Primitive::local_id)
      return dimension && *dimension < 3 && size[*dimension] == 1;
    return dimension.has_value();
  }
  return llvm::all_of(instruction->operands(),
                      [&](const llvm::Use &use) { return is_of_group(*use, size, depth + 1); });
}

// The operands of a conjunction, or of a disjunction, in their order.
void add_parts(Value &condition, bool is_conjunction, llvm::SmallVectorImpl<Value *> &parts) {
  Value *one = nullptr, *other = nullptr;
  if (parts.size() < limits::search_depth &&
      (is_conjunction ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
                      : match(&condition, m_LogicalOr(m_Value(one), m_Value(other))))) {
    add_parts(*one, is_conjunction, parts);
    add_parts(*other, is_conjunction, parts);
    return;
  }
  parts.push_back(&condition);
}

} // namespace

BranchInst *split_group_condition(llvm::Function &function) {
  auto *branch = llvm::dyn_cast<BranchInst>(function.getEntryBlock().getTerminator());
  if (!branch || !branch->isConditional())
    return nullptr;
  const unsigned side = only_returns(*branch->getSuccessor(0)) ? 1 : 0;
  BasicBlock *first = branch->getSuccessor(side), *end = branch->getSuccessor(1 - side);
  if (!only_returns(*end) || first == end)
    return nullptr;
  const auto size = specialized_local_size(function);
  llvm::SmallVector<Value *> parts, of_groups, of_items;
  add_parts(*branch->getCondition(), side == 0, parts);
  for (Value *part : parts)
    (is_of_group(*part, size) ? of_groups : of_items).push_back(part);
  if (of_groups.empty() || of_items.empty())
    return nullptr;
  llvm::IRBuilder<> builder(branch);
  // A part may be poison if one before it decides.
  auto combined = [&](llvm::ArrayRef<Value *> values) {
    Value *all = values.front();
    for (Value *value : values.drop_front())
      all = side == 0 ? builder.CreateLogicalAnd(all, value) : builder.CreateLogicalOr(all, value);
    return all;
  };
  Value *items = combined(of_items), *groups = builder.CreateFreeze(combined(of_groups));
  auto *behind = BasicBlock::Create(function.getContext(), "guard.of.items", &function, first);
  first->replacePhiUsesWith(branch->getParent(), behind);
  auto *of_items_only = llvm::cast<BranchInst>(branch->clone());
  of_items_only->setCondition(items);
  of_items_only->insertInto(behind, behind->end());
  branch->setCondition(groups);
  branch->setSuccessor(side, behind);
  return of_items_only;
}

} // namespace lockstep::compiler
