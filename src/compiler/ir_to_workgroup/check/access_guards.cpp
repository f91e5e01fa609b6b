#include "compiler/ir_to_workgroup/check/access_guards.h"

#include "compiler/ir_to_workgroup/check/launch_sums.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;
constexpr size_t most_guards = 6;

bool differs(const LaunchTerm &term) {
  return std::any_of(term.atoms.begin(), term.atoms.end(),
                     [](const LaunchAtom &each) { return each.differs(); });
}

class Guards {
public:
  Guards(LaunchSums &sums, std::vector<Guard> &found) : sums_(sums), found_(found) {}

  // Of a condition that holds, or of one that does not.
  void add(llvm::Value *condition, bool holds) {
    llvm::Value *one = nullptr, *other = nullptr;
    if (match(condition, m_Not(m_Value(one))))
      return add(one, !holds);
    if (holds ? match(condition, m_LogicalAnd(m_Value(one), m_Value(other)))
              : match(condition, m_LogicalOr(m_Value(one), m_Value(other)))) {
      add(one, holds);
      return add(other, holds);
    }
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(condition);
        call && holds && called_primitive(*call) == Primitive::all_lanes)
      return add(call->getArgOperand(0), holds);
    if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition))
      add(*comparison, holds);
  }

private:
  void add(const llvm::ICmpInst &comparison, bool holds) {
    auto predicate = holds ? comparison.getPredicate() : comparison.getInversePredicate();
    const llvm::Value *small = comparison.getOperand(0), *large = comparison.getOperand(1);
    if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
      std::swap(small, large);
      predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
    }
    const bool may_be_equal = llvm::ICmpInst::isLE(predicate);
    if (found_.size() == most_guards || (!may_be_equal && !llvm::ICmpInst::isLT(predicate)) ||
        !small->getType()->isIntegerTy() || small->getType()->getIntegerBitWidth() > 64)
      return;
    const auto sum = sums_.of(small), bound = sums_.of(large);
    if (!sum || !bound)
      return;
    Guard guard{to_list(sum->sum), to_list(bound->sum),
                static_cast<int64_t>(small->getType()->getIntegerBitWidth()),
                llvm::ICmpInst::isSigned(predicate), sum->fitting};
    guard.fitting.insert(guard.fitting.end(), bound->fitting.begin(), bound->fitting.end());
    guard.fitting.push_back({guard.bound, guard.bits, /*is_signed=*/true});
    if (may_be_equal)
      guard.bound.push_back({1, {}});
    if (std::none_of(guard.bound.begin(), guard.bound.end(), differs) &&
        std::any_of(guard.sum.begin(), guard.sum.end(), differs))
      found_.push_back(std::move(guard));
  }

  LaunchSums &sums_;
  std::vector<Guard> &found_;
};

} // namespace

std::vector<Guard> guards_of(const llvm::Instruction &access, const llvm::DominatorTree &dominators,
                             LaunchSums &sums) {
  std::vector<Guard> found;
  Guards guards(sums, found);
  const llvm::BasicBlock *block = access.getParent();
  const auto *node = dominators.getNode(block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned way : {0u, 1u})
      if (dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(way)),
                               block))
        guards.add(branch->getCondition(), way == 0);
  }
  return found;
}

} // namespace lockstep::compiler
