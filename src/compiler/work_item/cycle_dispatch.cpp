#include "compiler/work_item/cycle_dispatch.h"

#include "compiler/analysis/bypassed_blocks.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

#include <vector>

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

using Blocks = llvm::SmallPtrSet<const BasicBlock *, 4>;

template <class Condition> Blocks blocks_with(const llvm::Cycle &cycle, Condition holds) {
  Blocks blocks;
  for (const BasicBlock *block : cycle.blocks())
    if (llvm::any_of(*block, [&](const llvm::Instruction &it) {
          auto primitive = called_primitive(it);
          return primitive && holds(*primitive);
        }))
      blocks.insert(block);
  return blocks;
}

// The blocks at which all lanes meet.
Blocks convergence_blocks_of(const llvm::Cycle &cycle) {
  Blocks blocks = blocks_with(cycle, [](Primitive it) { return is_group_operation(it); });
  if (!blocks.empty())
    return blocks;
  blocks = blocks_with(cycle, [](Primitive it) { return is_sub_group_operation(it); });
  const auto all = llvm::to_vector(cycle.blocks());
  Blocks unavoidable = blocks;
  unavoidable.remove_if([&](const BasicBlock *block) { return can_bypass(all, *block); });
  return unavoidable.empty() ? blocks : unavoidable;
}

// Decides which edges into and within a cycle lead through its dispatch block.
class DispatchedEdges {
public:
  explicit DispatchedEdges(const llvm::Cycle &cycle)
      : cycle_(cycle), convergence_blocks_(convergence_blocks_of(cycle)) {}

  bool contains(const BasicBlock *from, const BasicBlock *to) const {
    if (!cycle_.contains(to))
      return false;
    if (!cycle_.contains(from))
      return true;
    return convergence_blocks_.empty() ? to == cycle_.getHeader()
                                       : convergence_blocks_.contains(from);
  }

private:
  const llvm::Cycle &cycle_;
  Blocks convergence_blocks_;
};

// A value for paths on which the original is undefined. Not poison: LLVM's uniformity analysis
// takes a phi of one value and poison for that value. That would be uniform even if lanes arrive on
// different paths, but masks then select between the two.
llvm::Constant *anything(llvm::Type *type) {
  return llvm::Constant::getNullValue(type);
}

// Values that phis merge: those of one variable of the program.
using Variables = llvm::EquivalenceClasses<const llvm::Value *>;

Variables variables_of(llvm::Function &function) {
  Variables variables;
  for (BasicBlock &block : function)
    for (const llvm::PHINode &phi : block.phis())
      for (const llvm::Value *value : phi.incoming_values())
        if (!llvm::isa<llvm::Constant>(value))
          variables.unionSets(&phi, value);
  return variables;
}

// A block that continues at one of several targets, as a selector decides.
class Dispatch {
public:
  explicit Dispatch(llvm::Function &function)
      : function_(function), context_(function.getContext()), dominators_before_(function),
        variables_(variables_of(function)) {}

  void redirect(const DispatchedEdges &edges) {
    for (BasicBlock &block : function_)
      for (BasicBlock *next : llvm::successors(&block))
        if (edges.contains(&block, next)) {
          sources_.insert(&block);
          targets_.insert(next);
        }
    split_edges_of_others(edges);
    make_blocks();
    for (BasicBlock *target : targets_)
      move_phis(*target, edges);
    for (BasicBlock *source : sources_)
      redirect_branch(*source, edges);
    for (const Merged &merged : merged_)
      for (auto [source, value] : llvm::zip_equal(sources_, merged.values))
        merged.phi->addIncoming(value ? value : anything(merged.phi->getType()), source);
    const llvm::DominatorTree dominators(function_);
    const std::vector<BrokenUses> broken = broken_uses(dominators);
    for (const BrokenUses &uses : broken)
      find_phi(*uses.value, dominators);
    for (const BrokenUses &uses : broken)
      repair(uses);
    simplify_phis();
  }

private:
  bool leads_here(const BasicBlock *from, const BasicBlock *to,
                  const DispatchedEdges &edges) const {
    return split_.contains(from) || edges.contains(from, to);
  }

  // Splits redirected edges of terminators that are not branches, since a switch may have many
  // targets. The new blocks' branches are redirected.
  void split_edges_of_others(const DispatchedEdges &edges) {
    for (BasicBlock *source : sources_.takeVector()) {
      llvm::Instruction *end = source->getTerminator();
      if (llvm::isa<llvm::BranchInst>(end)) {
        sources_.insert(source);
        continue;
      }
      llvm::SmallSetVector<BasicBlock *, 8> next(llvm::succ_begin(source), llvm::succ_end(source));
      for (BasicBlock *target : next) {
        if (!edges.contains(source, target))
          continue;
        auto *between = BasicBlock::Create(context_, "edge", &function_, target);
        llvm::BranchInst::Create(target, between)->setDebugLoc(end->getDebugLoc());
        end->replaceSuccessorWith(target, between);
        for (llvm::PHINode &phi : target->phis()) {
          llvm::Value *value = phi.getIncomingValueForBlock(source);
          phi.removeIncomingValueIf(
              [&](unsigned index) { return phi.getIncomingBlock(index) == source; },
              /*DeletePHIIfEmpty=*/false);
          phi.addIncoming(value, between);
        }
        sources_.insert(between);
        split_.insert(between);
      }
    }
  }

  // Makes the dispatch block, and further blocks that decide among the remaining targets.
  void make_blocks() {
    head_ = BasicBlock::Create(context_, "dispatch", &function_, targets_.front());
    llvm::IRBuilder<> builder(head_);
    builder.SetCurrentDebugLocation(targets_.front()->getFirstNonPHIOrDbg()->getDebugLoc());
    auto *type = targets_.size() == 2 ? builder.getInt1Ty() : builder.getInt32Ty();
    selector_ = builder.CreatePHI(type, sources_.size(), "target");
    for (unsigned number = targets_.size() - 1; number != 0; --number) {
      BasicBlock *here = builder.GetInsertBlock();
      reached_from_.push_back({targets_[number], here});
      llvm::Value *is_next =
          targets_.size() == 2
              ? static_cast<llvm::Value *>(selector_)
              : builder.CreateICmpEQ(selector_, builder.getInt32(number), "is.next");
      BasicBlock *other = targets_[0];
      if (number == 1)
        reached_from_.push_back({other, here});
      else
        other = BasicBlock::Create(context_, "dispatch.more", &function_, targets_.front());
      builder.CreateCondBr(is_next, targets_[number], other);
      builder.SetInsertPoint(other);
    }
  }

  llvm::Constant *number_of(BasicBlock *target) const {
    const auto *found = llvm::find(targets_, target);
    return llvm::ConstantInt::get(selector_->getType(), found - targets_.begin());
  }

  // Moves the target's incoming values from the sources to the dispatch block.
  void move_phis(BasicBlock &target, const DispatchedEdges &edges) {
    const auto *from = llvm::find_if(reached_from_, [&](auto &it) { return it.first == &target; });
    for (llvm::PHINode &phi : target.phis()) {
      llvm::SmallVector<llvm::Value *> values;
      for (BasicBlock *source : sources_) {
        const bool leads = llvm::is_contained(llvm::successors(source), &target) &&
                           leads_here(source, &target, edges);
        values.push_back(leads ? phi.getIncomingValueForBlock(source) : nullptr);
        if (leads)
          phi.removeIncomingValueIf(
              [&](unsigned index) { return phi.getIncomingBlock(index) == source; },
              /*DeletePHIIfEmpty=*/false);
      }
      phi.addIncoming(merged_phi(phi, values), from->second);
    }
  }

  struct Merged {
    llvm::PHINode *phi;
    const llvm::Value *of;                   // a value of the variable
    llvm::SmallVector<llvm::Value *> values; // by source; null: any value
  };

  // The phi of the dispatch block for these values of a variable, by source. If it has one phi for
  // all targets, a uniform variable remains uniform. Null: there is none yet.
  llvm::PHINode *find_merged(const llvm::Value &of, llvm::ArrayRef<llvm::Value *> values) {
    for (Merged &merged : merged_) {
      bool differ =
          merged.phi->getType() != of.getType() || !variables_.isEquivalent(merged.of, &of);
      for (auto [value, other] : llvm::zip_equal(values, merged.values))
        differ |= value && other && value != other;
      if (differ)
        continue;
      for (auto [value, other] : llvm::zip_equal(values, merged.values))
        if (value)
          other = value;
      return merged.phi;
    }
    return nullptr;
  }

  llvm::PHINode *merged_phi(llvm::PHINode &phi, llvm::ArrayRef<llvm::Value *> values) {
    if (llvm::PHINode *found = find_merged(phi, values))
      return found;
    auto *made = llvm::PHINode::Create(phi.getType(), sources_.size(), phi.getName(),
                                       selector_->getIterator());
    made->setDebugLoc(phi.getDebugLoc());
    merged_.push_back({made, &phi, llvm::SmallVector<llvm::Value *>(values)});
    return made;
  }

  // A value may now reach a block behind a barrier through the dispatch block, merged with paths on
  // which it is undefined.
  struct BrokenUses {
    llvm::Instruction *value;
    llvm::SmallVector<llvm::Use *> uses;
  };
  std::vector<BrokenUses> broken_uses(const llvm::DominatorTree &dominators) const {
    std::vector<BrokenUses> all;
    for (llvm::Instruction &instruction : llvm::instructions(function_)) {
      llvm::SmallVector<llvm::Use *> broken;
      for (llvm::Use &use : instruction.uses())
        if (!dominators.dominates(&instruction, use))
          broken.push_back(&use);
      if (!broken.empty())
        all.push_back({&instruction, std::move(broken)});
    }
    return all;
  }

  // Not if the value is carried through the dispatch block: then its phi refers to itself.
  void find_phi(llvm::Instruction &value, const llvm::DominatorTree &dominators) {
    llvm::SmallVector<llvm::Value *> values;
    for (BasicBlock *source : sources_) {
      const BasicBlock *from = split_.contains(source) ? source->getSinglePredecessor() : source;
      const bool dominates = dominators.dominates(&value, source->getTerminator());
      if (!dominates && dominators_before_.dominates(&value, from->getTerminator()))
        return;
      values.push_back(dominates ? &value : nullptr);
    }
    llvm::PHINode *phi = find_merged(value, values);
    if (!phi)
      return;
    at_dispatch_[&value] = phi;
    for (auto [source, each] : llvm::zip_equal(sources_, values))
      if (each)
        phi->setIncomingValueForBlock(source, each);
  }

  void repair(const BrokenUses &broken) const {
    llvm::Type *const type = broken.value->getType();
    llvm::SSAUpdater updater;
    updater.Initialize(type, broken.value->getName());
    updater.AddAvailableValue(&function_.getEntryBlock(), anything(type));
    updater.AddAvailableValue(broken.value->getParent(), broken.value);
    if (llvm::PHINode *phi = at_dispatch_.lookup(broken.value))
      updater.AddAvailableValue(head_, phi);
    for (llvm::Use *use : broken.uses)
      updater.RewriteUse(*use);
  }

  // Removes phis that merge one value.
  void simplify_phis() {
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock &block : function_)
        for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis()))
          if (llvm::Value *value = phi.hasConstantValue()) {
            phi.replaceAllUsesWith(value);
            phi.eraseFromParent();
            changed = true;
          }
    }
  }

  void redirect_branch(BasicBlock &source, const DispatchedEdges &edges) {
    auto *branch = llvm::cast<llvm::BranchInst>(source.getTerminator());
    llvm::SmallVector<unsigned, 2> redirected; // indices of successors
    for (unsigned next = 0; next != branch->getNumSuccessors(); ++next)
      if (leads_here(&source, branch->getSuccessor(next), edges))
        redirected.push_back(next);
    llvm::Value *number = number_of(branch->getSuccessor(redirected.front()));
    if (redirected.size() == 1) {
      branch->setSuccessor(redirected.front(), head_);
    } else {
      llvm::IRBuilder<> builder(branch);
      number = builder.CreateSelect(branch->getCondition(), number,
                                    number_of(branch->getSuccessor(1)), "target");
      builder.CreateBr(head_);
      branch->eraseFromParent();
    }
    selector_->addIncoming(number, &source);
  }

  llvm::Function &function_;
  llvm::LLVMContext &context_;
  llvm::SmallSetVector<BasicBlock *, 8> sources_, targets_;
  llvm::SmallPtrSet<const BasicBlock *, 8> split_; // made here, on edges of switches
  BasicBlock *head_ = nullptr;
  llvm::PHINode *selector_ = nullptr;
  llvm::SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> reached_from_; // by target
  const llvm::DominatorTree dominators_before_;                              // of the redirection
  Variables variables_;
  std::vector<Merged> merged_;                                       // phis of the dispatch block
  llvm::DenseMap<llvm::Instruction *, llvm::PHINode *> at_dispatch_; // for broken uses
};

} // namespace

bool has_group_operation(const llvm::Cycle &cycle) {
  return !blocks_with(cycle, [](Primitive it) { return is_group_operation(it); }).empty();
}

void add_dispatch(llvm::Function &function, const llvm::Cycle &cycle) {
  Dispatch(function).redirect(DispatchedEdges(cycle));
}

} // namespace lockstep::compiler
