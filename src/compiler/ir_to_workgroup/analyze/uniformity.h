// Which values are the same for all work-items of a set, at one time.
//
// Two sets matter. Values uniform in a *sub-group* need one scalar register instead of one vector
// register, and branches on them stay branches. Values uniform in the *work-group* need one slot
// instead of one per sub-group when they live across a barrier, and are computed once.
//
// The propagation (data dependence, control dependence through joins, values that leave a loop at
// different iterations) is LLVM's UniformityAnalysis; ours is where divergence comes from, which
// LLVM asks its target. A load through a uniform address counts as uniform: a location that
// another work-item could change at that time would be a data race, which is undefined, unless the
// load is atomic or volatile. Then it is uniform in a sub-group, whose lanes load at the same time
// (packetise loads once for all), and nowhere else.
//
// Input:  the single kernel function after inline-kernel; at UniformityLevel::sub_group, after
//         lane-ids, when `__lockstep_lane` is what differs between lanes.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/PassManager.h"

#include <memory>

namespace lockstep::compiler {

// The three: the same for all sub-groups that differ in nothing but one dimension's local id. Then
// as sub_group, but before lane-ids, when nobody knows yet what differs between lanes. The last: as
// work_group, if all of its work-items did the same at the same time.
enum class UniformityLevel {
  sub_group,
  work_group,
  along_x,
  along_y,
  along_z,
  lanes,
  group_at_once
};
inline UniformityLevel along_dimension(unsigned dimension) {
  return static_cast<UniformityLevel>(static_cast<unsigned>(UniformityLevel::along_x) + dimension);
}

class Uniformity {
public:
  Uniformity(llvm::Function &function, const llvm::DominatorTree &dominators,
             UniformityLevel level);
  Uniformity(const Uniformity &) = delete;

  bool is_uniform(const llvm::Value &value) const { return info_->isUniform(&value); }
  // A uniform value may be used where the work-items have left a loop after different numbers of
  // iterations.
  bool is_uniform_use(const llvm::Use &use) const { return !info_->isDivergentUse(use); }
  // Uniform, and seen as uniform by all its users.
  bool is_uniform_everywhere(const llvm::Value &value) const;
  bool has_uniform_branch(const llvm::BasicBlock &block) const {
    return !info_->hasDivergentTerminator(block);
  }

private:
  llvm::SmallPtrSet<const llvm::Instruction *, 8> behind_loops_; // sources_ refers to it
  std::unique_ptr<llvm::TargetTransformInfo> sources_;
  std::unique_ptr<llvm::CycleInfo> cycles_;
  std::unique_ptr<llvm::UniformityInfo> info_;
};

// Prints each instruction of a function with "uniform" or "divergent" at one level; for IR tests.
class UniformityPrinterPass : public llvm::PassInfoMixin<UniformityPrinterPass> {
public:
  explicit UniformityPrinterPass(UniformityLevel level) : level_(level) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  UniformityLevel level_;
};

} // namespace lockstep::compiler
