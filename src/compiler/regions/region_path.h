// One path through a barrier region, from its entry to the current block of an analysis.
//
// On a path each value has one version. A phi is the value of the edge that the path takes. The
// variable of a value live across a barrier holds what the path stored last, or its value at the
// region's start.
#pragma once

#include "compiler/regions/barrier_regions.h"
#include "compiler/regions/values_across_barriers.h"

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
  // `load_uniform` emits a load of a uniform value at the begin of the region.
  RegionPath(const BarrierRegions &regions, unsigned region,
             const std::vector<BarrierValue> &live_values,
             std::function<llvm::Value *(const BarrierValue &)> load_uniform);

  void push(llvm::BasicBlock &block) { blocks_.push_back(&block); }
  void pop() { blocks_.pop_back(); }
  bool contains(const llvm::BasicBlock &block) const;

  // The region that begins after the group operation in `block`, if `block` contains one.
  std::optional<unsigned> operation_in(const llvm::BasicBlock &block) const;
  // The value live across a barrier that `variable` represents; null if there is none.
  const BarrierValue *barrier_value_of(const llvm::Value &variable) const;
  // The kernel's instruction that a step of a recipe copies; any other value is returned unchanged.
  const llvm::Value *original(const llvm::Value &value) const;

  llvm::StoreInst *store_to(const llvm::AllocaInst &variable) const; // the last one on the path
  llvm::Value *incoming(const llvm::PHINode &phi); // null: the phi is not on this path
  // Replaces phis and loads of variables by their value on this path, and a rematerialized value by
  // its recipe.
  llvm::Value *resolve(llvm::Value *value);

  // Computes a group-uniform value at `builder`, before any block of the path has run; null if that
  // is not possible. For a vector with equal elements, returns one element. The result is never
  // poison, provided the path computes no poison.
  llvm::Value *evaluate(llvm::Value *value, llvm::IRBuilderBase &builder);

  // Whether all values resolved since begin_evaluation are the same on all paths through the
  // region.
  void begin_evaluation() { same_on_all_paths_ = true; }
  bool evaluation_is_same_on_all_paths() const { return same_on_all_paths_; }
  bool is_executed_once(const llvm::Instruction &instruction) const;

private:
  llvm::Value *load_of(llvm::LoadInst &load);
  llvm::Value *evaluate(llvm::Value *value, llvm::IRBuilderBase &builder, unsigned depth);
  llvm::Value *evaluate_instruction(llvm::Instruction &instruction, llvm::IRBuilderBase &builder,
                                    unsigned depth);
  bool survives_on_all_paths(const llvm::LoadInst &load, const BarrierValue &live_value) const;
  bool leads(const llvm::BasicBlock &from, const llvm::BasicBlock &to,
             const llvm::BasicBlock *avoided) const;

  const BarrierRegions &regions_;
  unsigned region_;
  std::function<llvm::Value *(const BarrierValue &)> load_uniform_;
  llvm::DenseMap<const llvm::Value *, const BarrierValue *> barrier_value_of_; // by variable
  llvm::DenseMap<const llvm::Value *, const llvm::Value *> originals_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> members_;
  llvm::SmallVector<llvm::BasicBlock *> blocks_;
  bool same_on_all_paths_ = true;
};

} // namespace lockstep::compiler
