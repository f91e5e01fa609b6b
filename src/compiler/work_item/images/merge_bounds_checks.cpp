// Merges consecutive bounds checks of image accesses into one check of the outermost texels.
//
// Requires: the kernel of one work-item, with the inlined and simplified code of specialize-images.
// Each access checks whether its texel is inside the image for all work-items that run together
// (__lockstep_all_lanes), and has code for both cases.
// Ensures: consecutive checks in straight code are made at the first one. If all lanes are inside
// for all of them, straight code follows; otherwise the original code does. Among texels at
// constant distances from each other, only the outermost two in each dimension are checked.
//
// A filter of 3 x 3 texels makes 18 checks around one work-item's position. Between branches LLVM
// combines and moves nothing: nine loads of overlapping rows stay nine, and each is widened
// separately.
//
// This is correct because a check may always fail (docs/kernel_ir.md). Sizes of images are below
// 2^31, so if the first and the last of some texels are inside, so are those between: their
// coordinates do not wrap.
//
// Position: after the scalar optimizations, which find common subexpressions of coordinates; before
// lanes.
#include "compiler/work_item/images/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Instruction;
using llvm::Value;

// A branch on one or more checks that must all succeed, and the convergence point of its two paths.
struct Choice {
  BranchInst *branch = nullptr;
  BasicBlock *end = nullptr;
  llvm::SmallVector<llvm::CallInst *, 4> checks;
};

// Consecutive choices, and the blocks that are on every path between them.
struct Chain {
  llvm::SmallVector<Choice, 8> choices;
  llvm::SmallSetVector<BasicBlock *, 16> straight; // without the first choice's block
  llvm::SmallSetVector<BasicBlock *, 32> inside;   // of each choice, if the check succeeds
  llvm::SmallSetVector<BasicBlock *, 32> others;   // if the check fails
  BasicBlock *end() const { return choices.back().end; }
};

bool find_checks(Value &condition, llvm::SmallVectorImpl<llvm::CallInst *> &checks) {
  Value *left, *right;
  if (llvm::PatternMatch::match(
          &condition, llvm::PatternMatch::m_LogicalAnd(llvm::PatternMatch::m_Value(left),
                                                       llvm::PatternMatch::m_Value(right))))
    return find_checks(*left, checks) && find_checks(*right, checks);
  if (called_primitive(condition) != Primitive::all_lanes)
    return false;
  checks.push_back(llvm::cast<llvm::CallInst>(&condition));
  return true;
}

class Finder {
public:
  // `merged`: branches that are already part of a chain.
  Finder(const llvm::DominatorTree &dominators, const llvm::PostDominatorTree &post_dominators,
         const llvm::SmallPtrSetImpl<const Instruction *> &merged)
      : dominators_(dominators), post_dominators_(post_dominators), merged_(merged) {}

  std::optional<Chain> chain_from(BasicBlock &first) const;

private:
  std::optional<Choice> choice_of(BasicBlock &block) const;
  bool add_side(BasicBlock &first, const Choice &choice,
                llvm::SmallSetVector<BasicBlock *, 32> &blocks) const;
  bool can_move_to_first(const Choice &choice, const Chain &chain) const;

  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &post_dominators_;
  const llvm::SmallPtrSetImpl<const Instruction *> &merged_;
};

std::optional<Choice> Finder::choice_of(BasicBlock &block) const {
  auto *branch = llvm::dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || merged_.contains(branch))
    return std::nullopt;
  Choice choice{branch, nullptr, {}};
  auto *node = post_dominators_.getNode(&block);
  if (!node || !node->getIDom() || !node->getIDom()->getBlock() ||
      !find_checks(*branch->getCondition(), choice.checks))
    return std::nullopt;
  choice.end = node->getIDom()->getBlock();
  if (choice.end == branch->getSuccessor(0) || !dominators_.dominates(&block, choice.end))
    return std::nullopt;
  return choice;
}

// Collects the blocks between a choice and its end: acyclic code that may be duplicated.
bool Finder::add_side(BasicBlock &first, const Choice &choice,
                      llvm::SmallSetVector<BasicBlock *, 32> &blocks) const {
  llvm::SmallSetVector<BasicBlock *, 16> side;
  if (&first != choice.end)
    side.insert(&first);
  for (unsigned index = 0; index != side.size(); ++index) {
    BasicBlock *block = side[index];
    if (!dominators_.dominates(choice.branch->getParent(), block) ||
        block == choice.branch->getParent())
      return false;
    for (BasicBlock *next : llvm::successors(block)) {
      if (dominators_.dominates(next, block))
        return false; // a loop
      if (next != choice.end)
        side.insert(next);
    }
  }
  blocks.insert(side.begin(), side.end());
  return true;
}

bool can_be_repeated(const BasicBlock &block) {
  return llvm::all_of(block, [](const Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction) &&
           !(call && (call->isConvergent() || call->cannotDuplicate()));
  });
}

// Whether all operands of the checks are available before the chain, or computed unconditionally in
// its straight code.
bool Finder::can_move_to_first(const Choice &choice, const Chain &chain) const {
  const Instruction *first = chain.choices.front().branch;
  llvm::SmallSetVector<const Value *, 16> open(choice.checks.begin(), choice.checks.end());
  for (unsigned index = 0; index != open.size(); ++index) {
    auto *instruction = llvm::dyn_cast<Instruction>(open[index]);
    if (!instruction || dominators_.dominates(instruction, first))
      continue;
    const bool reads_constants = instruction->hasMetadata(llvm::LLVMContext::MD_invariant_load);
    if (!chain.straight.contains(instruction->getParent()) ||
        llvm::isa<llvm::PHINode>(instruction) || instruction->mayHaveSideEffects() ||
        (instruction->mayReadFromMemory() && !reads_constants))
      return false;
    open.insert(instruction->op_begin(), instruction->op_end());
  }
  return true;
}

std::optional<Chain> Finder::chain_from(BasicBlock &first) const {
  Chain chain;
  for (BasicBlock *block = &first;;) {
    if (auto choice = choice_of(*block)) {
      Chain longer = chain;
      const bool is_first = chain.choices.empty();
      longer.choices.push_back(*choice);
      if (!is_first && !can_move_to_first(*choice, longer))
        break;
      if (!add_side(*choice->branch->getSuccessor(0), *choice, longer.inside) ||
          !add_side(*choice->branch->getSuccessor(1), *choice, longer.others) ||
          llvm::any_of(longer.inside, [&](BasicBlock *b) { return longer.others.contains(b); }))
        break;
      if (!llvm::all_of(longer.inside, [](BasicBlock *b) { return can_be_repeated(*b); }) ||
          !llvm::all_of(longer.others, [](BasicBlock *b) { return can_be_repeated(*b); }))
        break;
      chain = std::move(longer);
      block = choice->end;
    } else {
      auto *branch = llvm::dyn_cast<BranchInst>(block->getTerminator());
      if (chain.choices.empty() || !branch || !branch->isUnconditional() ||
          !branch->getSuccessor(0)->getSinglePredecessor())
        break;
      block = branch->getSuccessor(0);
    }
    if (block == &first || !can_be_repeated(*block))
      break;
    chain.straight.insert(block);
  }
  if (chain.choices.size() < 2)
    return std::nullopt;
  // blocks after the last choice are not part of the chain
  while (chain.straight.contains(chain.end()))
    chain.straight.pop_back();
  unsigned size = 0;
  for (const auto &block : chain.straight)
    size += block->size();
  for (const auto &block : chain.inside)
    size += block->size();
  return size <= 2 * limits::repeated_code ? std::optional(std::move(chain)) : std::nullopt;
}

class CheckEmitter {
public:
  explicit CheckEmitter(Chain &chain)
      : chain_(chain), first_(chain.choices.front().branch), function_(*first_->getFunction()) {}

  void run();

private:
  void hoist(Instruction &instruction);
  Value *emit_combined_check();
  void copy_blocks();
  void enter(Value *all);
  void leave();

  Chain &chain_;
  BranchInst *first_;
  llvm::Function &function_;
  llvm::SmallSetVector<BasicBlock *, 32> copied_;
  llvm::ValueToValueMapTy map_;
  BasicBlock *copy_of(BasicBlock *block) {
    return llvm::cast<BasicBlock>(static_cast<Value *>(map_[block]));
  }
};

// Moves an instruction and its operands before the first choice.
void CheckEmitter::hoist(Instruction &instruction) {
  if (!chain_.straight.contains(instruction.getParent()))
    return;
  for (Value *operand : instruction.operands())
    if (auto *of = llvm::dyn_cast<Instruction>(operand))
      hoist(*of);
  instruction.moveBefore(first_->getIterator());
}

struct Sum {
  Value *base;
  int64_t constant;
};

// The component of a vector to which constants are added.
std::optional<Sum> component_of(Value &vector, uint64_t index) {
  using namespace llvm::PatternMatch;
  int64_t added = 0;
  for (Value *at = &vector;;) {
    Value *rest, *scalar;
    uint64_t place;
    llvm::Constant *constants;
    if (match(at, m_InsertElt(m_Value(rest), m_Value(scalar), m_ConstantInt(place)))) {
      if (place == index)
        return Sum{scalar, added};
    } else if (match(at, m_Add(m_Value(rest), m_Constant(constants)))) {
      auto *own = llvm::dyn_cast_or_null<llvm::ConstantInt>(constants->getAggregateElement(index));
      if (!own)
        return std::nullopt;
      added += own->getSExtValue();
    } else {
      return std::nullopt;
    }
    at = rest;
  }
}

// Splits a coordinate into a base and a constant.
Sum sum_of(Value &coordinate) {
  using namespace llvm::PatternMatch;
  Sum sum{&coordinate, 0};
  for (;;) {
    Value *inner;
    const llvm::APInt *constant;
    uint64_t index;
    if (match(sum.base, m_AddLike(m_Value(inner), m_APInt(constant)))) {
      sum = {inner, sum.constant + constant->getSExtValue()};
      continue;
    }
    if (!match(sum.base, m_ExtractElt(m_Value(inner), m_ConstantInt(index))))
      return sum;
    const auto component = component_of(*inner, index);
    if (!component)
      return sum;
    sum = {component->base, sum.constant + component->constant};
  }
}

// Combines all checks. Of comparisons with the same bound, the smallest and the largest sum imply
// those between.
Value *CheckEmitter::emit_combined_check() {
  llvm::MapVector<std::pair<Value *, Value *>, std::map<int64_t, llvm::CallInst *>> rows;
  llvm::SmallSetVector<llvm::CallInst *, 16> merged;
  for (const Choice &choice : chain_.choices)
    for (llvm::CallInst *check : choice.checks) {
      auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(check->getArgOperand(0));
      if (!comparison || comparison->getPredicate() != llvm::ICmpInst::ICMP_ULT ||
          !comparison->getOperand(0)->getType()->isIntegerTy(32)) {
        merged.insert(check);
        continue;
      }
      const Sum sum = sum_of(*comparison->getOperand(0));
      rows[{sum.base, comparison->getOperand(1)}].emplace(sum.constant, check);
    }
  constexpr int64_t farthest = 1 << 20; // beyond it, all of them are checked
  for (auto &[row, checks] : rows)
    for (auto &[distance, check] : checks)
      if (distance == checks.begin()->first || distance == checks.rbegin()->first ||
          checks.rbegin()->first - checks.begin()->first > farthest)
        merged.insert(check);
  llvm::IRBuilder<> builder(first_);
  Value *all = nullptr;
  for (llvm::CallInst *check : merged)
    all = all ? builder.CreateAnd(all, check) : check;
  return all;
}

void CheckEmitter::copy_blocks() {
  copied_.insert(chain_.straight.begin(), chain_.straight.end());
  copied_.insert(chain_.inside.begin(), chain_.inside.end());
  llvm::SmallVector<BasicBlock *> copies;
  for (BasicBlock *block : copied_) {
    copies.push_back(llvm::CloneBasicBlock(block, map_, ".inside", &function_));
    map_[block] = copies.back();
  }
  llvm::remapInstructionsInBlocks(copies, map_);
  for (const Choice &choice : chain_.choices) {
    if (choice.branch == first_)
      continue;
    auto *copy = llvm::cast<BranchInst>(copy_of(choice.branch->getParent())->getTerminator());
    BranchInst::Create(copy->getSuccessor(0), copy->getIterator());
    copy->eraseFromParent();
  }
}

// Branches to the merged code if all checks succeed, otherwise to the first choice.
void CheckEmitter::enter(Value *all) {
  BasicBlock *before = first_->getParent();
  BasicBlock *inside = copy_of(first_->getSuccessor(0));
  BasicBlock *one_by_one = llvm::SplitBlock(before, first_);
  one_by_one->setName("one.by.one");
  before->getTerminator()->eraseFromParent();
  BranchInst::Create(inside, one_by_one, all, before);
  for (BasicBlock *block : copied_) { // remove edges of failed checks
    BasicBlock *copy = copy_of(block);
    for (llvm::PHINode &phi : llvm::make_early_inc_range(copy->phis()))
      phi.removeIncomingValueIf([&](unsigned index) {
        return !llvm::is_contained(llvm::predecessors(copy), phi.getIncomingBlock(index));
      });
  }
}

// Merges the values of both versions at the end of the last choice.
void CheckEmitter::leave() {
  BasicBlock *end = chain_.end();
  llvm::SmallDenseMap<BasicBlock *, BasicBlock *, 4> arrivals; // from the copy to its original
  for (BasicBlock *block : copied_)
    if (BasicBlock *copy = copy_of(block); llvm::is_contained(llvm::successors(copy), end))
      arrivals[copy] = block;
  auto copied = [&](Value *value) {
    auto found = map_.find(value);
    return found == map_.end() ? value : static_cast<Value *>(found->second);
  };
  for (llvm::PHINode &phi : end->phis())
    for (auto [copy, block] : arrivals)
      phi.addIncoming(copied(phi.getIncomingValueForBlock(block)), copy);
  llvm::SmallVector<BasicBlock *> from(llvm::predecessors(end));
  for (BasicBlock *block : copied_)
    for (Instruction &instruction : *block) {
      llvm::SmallVector<llvm::Use *> later;
      for (llvm::Use &use : instruction.uses()) {
        auto *user = llvm::cast<Instruction>(use.getUser());
        BasicBlock *at = user->getParent();
        if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user))
          at = phi->getIncomingBlock(use);
        if (!copied_.contains(at) && !chain_.others.contains(at))
          later.push_back(&use);
      }
      if (later.empty())
        continue;
      auto *both = llvm::PHINode::Create(instruction.getType(), from.size(),
                                         instruction.getName() + ".both", end->begin());
      for (BasicBlock *before : from)
        both->addIncoming(arrivals.contains(before) ? copied(&instruction) : &instruction, before);
      for (llvm::Use *use : later)
        use->set(both);
    }
}

void CheckEmitter::run() {
  for (const Choice &choice : chain_.choices)
    for (llvm::CallInst *check : choice.checks)
      hoist(*check);
  Value *all = emit_combined_check();
  remark(*first_, "images",
         llvm::Twine(chain_.choices.size()) +
             " reads and writes ask once whether all lanes are inside");
  copy_blocks();
  enter(all);
  leave();
}

} // namespace

llvm::PreservedAnalyses MergeBoundsChecksPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  llvm::SmallPtrSet<const Instruction *, 16> merged;
  bool changed = false;
  for (bool found = true; found; changed |= found) {
    found = false;
    const llvm::DominatorTree dominators(function);
    const llvm::PostDominatorTree post_dominators(function);
    const Finder finder(dominators, post_dominators, merged);
    llvm::ReversePostOrderTraversal<llvm::Function *> blocks(&function);
    for (BasicBlock *block : blocks)
      if (auto chain = finder.chain_from(*block)) {
        for (const Choice &choice : chain->choices)
          merged.insert(choice.branch);
        CheckEmitter(*chain).run();
        found = true;
        break;
      }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
