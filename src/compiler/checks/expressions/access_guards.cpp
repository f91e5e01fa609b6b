#include "compiler/checks/expressions/access_guards.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/expressions/launch_expressions.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

using namespace llvm::PatternMatch;

class Guards {
public:
  Guards(LaunchExpressions &sums, GuardedEnds ends, std::vector<Guard> &found)
      : sums_(sums), ends_(ends), found_(found) {}

  // Adds the guards that follow from `condition` being true, or from it being false.
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
    if (!small->getType()->isIntegerTy() || small->getType()->getIntegerBitWidth() > 64)
      return;
    if (llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)) {
      std::swap(small, large);
      predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
    }
    const auto one = sums_.of(small), other = sums_.of(large);
    if (!one || !other)
      return;
    const bool is_signed = llvm::ICmpInst::isSigned(predicate),
               may_be_equal = llvm::ICmpInst::isLE(predicate);
    const int64_t bits = small->getType()->getIntegerBitWidth();
    if (predicate == llvm::ICmpInst::ICMP_EQ) {
      const bool is_swapped = differs(*other);
      const auto &sum = is_swapped ? *other : *one, &number = is_swapped ? *one : *other;
      add_most(sum, number, bits, is_signed, /*may_be_equal=*/true);
      add_least(sum, number, bits, is_signed, /*may_be_equal=*/true);
      // Only a comparison with 0 counts: an unsigned value that is not 0 is greater than 0.
    } else if (predicate == llvm::ICmpInst::ICMP_NE) {
      if (match(large, m_Zero()))
        add_least(*one, *other, bits, is_signed, /*may_be_equal=*/false);
    } else {
      add_most(*one, *other, bits, is_signed, may_be_equal);
      add_least(*other, *one, bits, is_signed, may_be_equal);
    }
  }

  static bool differs(const LaunchExpressions::Result &result) {
    return std::any_of(result.sum.begin(), result.sum.end(), [](const auto &term) {
      return std::any_of(term.first.begin(), term.first.end(),
                         [](const LaunchAtom &each) { return each.differs(); });
    });
  }

  void add_most(const LaunchExpressions::Result &sum, const LaunchExpressions::Result &bound,
                int64_t bits, bool is_signed, bool may_be_equal) {
    if (found_.size() == limits::search_depth || differs(bound) || !differs(sum))
      return;
    Guard guard{to_list(sum.sum), to_list(bound.sum), bits, is_signed, sum.fitting};
    guard.fitting.insert(guard.fitting.end(), bound.fitting.begin(), bound.fitting.end());
    guard.fitting.push_back({guard.bound, bits, /*is_signed=*/true});
    if (may_be_equal)
      guard.bound.push_back({1, {}});
    found_.push_back(std::move(guard));
  }

  // Expresses `sum > bound` as `-sum < -bound`.
  void add_least(const LaunchExpressions::Result &sum, const LaunchExpressions::Result &bound,
                 int64_t bits, bool is_signed, bool may_be_equal) {
    if (ends_ != GuardedEnds::both || found_.size() == limits::search_depth || differs(bound) ||
        !differs(sum))
      return;
    Guard guard{to_list(sum.sum), to_list(bound.sum), 64, /*is_signed=*/true, sum.fitting};
    guard.fitting.insert(guard.fitting.end(), bound.fitting.begin(), bound.fitting.end());
    guard.fitting.push_back({guard.sum, bits, is_signed});
    guard.fitting.push_back({guard.bound, bits, is_signed});
    for (LaunchSum *each : {&guard.sum, &guard.bound})
      for (LaunchTerm &term : *each)
        // The minimum value negates to itself.
        term.factor = static_cast<int64_t>(-static_cast<uint64_t>(term.factor));
    if (may_be_equal)
      guard.bound.push_back({1, {}});
    found_.push_back(std::move(guard));
  }

  LaunchExpressions &sums_;
  const GuardedEnds ends_;
  std::vector<Guard> &found_;
};

} // namespace

std::vector<Guard> guards_of(const llvm::Instruction &access, const llvm::DominatorTree &dominators,
                             LaunchExpressions &sums, GuardedEnds ends) {
  std::vector<Guard> found;
  Guards guards(sums, ends, found);
  const llvm::BasicBlock *block = access.getParent();
  const auto *node = dominators.getNode(block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned side : {0u, 1u})
      if (dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(side)),
                               block))
        guards.add(branch->getCondition(), side == 0);
  }
  return found;
}

} // namespace lockstep::compiler
