// One way through a barrier region, from its entry to where an analysis stands.
//
// Along a way everything has one version: a phi is what came by the edge that was taken, the
// variable of a crossing value holds what was stored last, or what it held when the region began.
#pragma once

#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"
#include "compiler/ir_to_workgroup/barriers/crossing_values.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

#include <functional>
#include <optional>

namespace llvm {
class LoadInst;
class PHINode;
class StoreInst;
} // namespace llvm

namespace lockstep::compiler {

class RegionPath {
public:
  // `kept` emits the value that a uniform crossing value has when the region begins.
  RegionPath(const BarrierRegions &regions, unsigned region,
             const std::vector<CrossingValue> &crossing,
             std::function<llvm::Value *(const CrossingValue &)> kept);

  void push(llvm::BasicBlock &block) { blocks_.push_back(&block); }
  void pop() { blocks_.pop_back(); }
  bool contains(const llvm::BasicBlock &block) const;

  // The region that begins after the group operation in `block`, if it holds one.
  std::optional<unsigned> operation_in(const llvm::BasicBlock &block) const;
  // Which crossing value a variable stands for, if it does.
  const CrossingValue *crossing_of(const llvm::Value &variable) const;
  // The instruction of the kernel that a step of a recipe is a copy of; others are themselves.
  const llvm::Value *original(const llvm::Value &value) const;

  llvm::StoreInst *store_to(const llvm::AllocaInst &variable) const; // the last one on the way
  llvm::Value *incoming(const llvm::PHINode &phi);                   // null: not of this way
  // What phis and variables stand for; of a value computed again its recipe.
  llvm::Value *resolve(llvm::Value *value);

  // Computes at `builder`, where no block of the way has run yet, what a value that is the same for
  // the whole group will be; null where that cannot be done. Of a vector with equal elements it is
  // one of them. Never poison, and without poison on the way.
  llvm::Value *evaluate(llvm::Value *value, llvm::IRBuilderBase &builder);

  // Since begin_evaluation: did what was resolved mean the same on all ways through the region?
  void begin_evaluation() { same_on_all_ways_ = true; }
  bool evaluation_is_same_on_all_ways() const { return same_on_all_ways_; }
  bool is_executed_once(const llvm::Instruction &instruction) const;

private:
  llvm::Value *load_of(llvm::LoadInst &load);
  llvm::Value *evaluate(llvm::Value *value, llvm::IRBuilderBase &builder, unsigned depth);
  llvm::Value *evaluate_instruction(llvm::Instruction &instruction, llvm::IRBuilderBase &builder,
                                    unsigned depth);
  bool is_kept_on_all_ways(const llvm::LoadInst &load, const CrossingValue &crossing) const;
  bool leads(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
             const llvm::BasicBlock *avoided) const;

  const BarrierRegions &regions_;
  unsigned region_;
  std::function<llvm::Value *(const CrossingValue &)> kept_;
  llvm::DenseMap<const llvm::Value *, const CrossingValue *> crossing_of_; // by variable
  llvm::DenseMap<const llvm::Value *, const llvm::Value *> originals_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> members_;
  llvm::SmallVector<llvm::BasicBlock *> blocks_;
  bool same_on_all_ways_ = true;
};

} // namespace lockstep::compiler
