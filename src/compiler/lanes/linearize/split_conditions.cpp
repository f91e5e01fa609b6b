#include "compiler/lanes/linearize/split_conditions.h"

#include "compiler/analysis/uniformity.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Value;

// A branch on `uniform && other` or `uniform || other`.
struct Condition {
  BranchInst *branch;
  Value *uniform, *other;
  bool is_and, is_first; // is_first: the uniform part is evaluated first
};

std::optional<Condition> find(BranchInst &branch) {
  using namespace llvm::PatternMatch;
  Value *one = nullptr, *other = nullptr;
  if (match(branch.getCondition(), m_LogicalAnd(m_Value(one), m_Value(other))))
    return Condition{&branch, one, other, true, true};
  if (match(branch.getCondition(), m_LogicalOr(m_Value(one), m_Value(other))))
    return Condition{&branch, one, other, false, true};
  return std::nullopt;
}

void split(const Condition &condition) {
  BasicBlock *from = condition.branch->getParent();
  BasicBlock *if_true = condition.branch->getSuccessor(0),
             *if_false = condition.branch->getSuccessor(1);
  // where the uniform part alone decides
  BasicBlock *decided = condition.is_and ? if_false : if_true,
             *open = condition.is_and ? if_true : if_false;
  auto *rest = BasicBlock::Create(from->getContext(), from->getName() + ".rest", from->getParent(),
                                  from->getNextNode());
  llvm::IRBuilder<> builder(condition.branch);
  Value *uniform = condition.is_first ? condition.uniform : builder.CreateFreeze(condition.uniform);
  builder.CreateCondBr(uniform, condition.is_and ? rest : decided,
                       condition.is_and ? decided : rest);
  condition.branch->removeFromParent();
  condition.branch->insertInto(rest, rest->end());
  condition.branch->setCondition(condition.other);
  for (llvm::PHINode &phi : decided->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(from), rest);
  open->replacePhiUsesWith(from, rest);
}

} // namespace

bool split_conditions(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  std::vector<Condition> conditions;
  for (BasicBlock &block : function)
    if (auto *branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
        branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
      if (auto condition = find(*branch))
        conditions.push_back(*condition);
  if (conditions.empty())
    return false;
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  Uniformity uniformity(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                        UniformityLevel::sub_group);
  std::erase_if(conditions, [&](Condition &condition) {
    const BasicBlock *block = condition.branch->getParent();
    if (uniformity.is_uniform(*condition.other)) {
      std::swap(condition.uniform, condition.other);
      condition.is_first = false;
    }
    const llvm::Loop *loop = loops.getLoopFor(block);
    return !uniformity.is_uniform(*condition.uniform) || uniformity.is_uniform(*condition.other) ||
           llvm::any_of(llvm::successors(block), [&](const BasicBlock *next) {
             return loops.getLoopFor(next) != loop || (loop && loop->getHeader() == next);
           });
  });
  for (const Condition &condition : conditions)
    split(condition);
  return !conditions.empty();
}

} // namespace lockstep::compiler
