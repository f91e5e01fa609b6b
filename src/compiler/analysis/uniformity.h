// Determines which values are the same for all work-items of a set at one time.
//
// Input:  the single kernel function after inline-kernel; for UniformityLevel::sub_group, after
//         lane-ids, when `__lockstep_lane` is the only source of divergence between lanes.
//
// Two sets matter most. A value that is uniform in a *sub-group* needs a scalar register instead of
// a vector register, and branches on it stay branches. A value that is uniform in the *work-group*
// is computed once, and needs one slot instead of one per sub-group when it is live across a
// barrier.
//
// LLVM's UniformityAnalysis propagates divergence (data dependence, control dependence through
// joins, values that leave a loop at different iterations). This file defines the sources of
// divergence, which LLVM queries from its target. A load through a uniform address is uniform:
// another work-item that changes the location at that time causes a data race, which is undefined
// behavior. Atomic and volatile loads are the exception. They are uniform only between lanes that
// load at the same time: packetize emits one load for all lanes of a sub-group.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/PassManager.h"

#include <memory>

namespace lockstep::compiler {

// The set of work-items that are compared:
//   - `sub_group`: the lanes of a sub-group, after lane-ids.
//   - `work_group`: all work-items of a work-group.
//   - `along_x`, `along_y`, `along_z`: sub-groups that differ only in the local id of one
//     dimension.
//   - `lanes`: as `sub_group`, but before lane-ids, when all local ids may differ between lanes.
//   - `group_at_once`: as `work_group`, if all work-items executed in lock step.
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
  // A uniform value may have a divergent use: behind a loop that work-items leave after different
  // numbers of iterations.
  bool is_uniform_use(const llvm::Use &use) const { return !info_->isDivergentUse(use); }
  // Uniform, and all uses are uniform.
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

// Prints each instruction of a function with "uniform" or "divergent" at one level, for IR tests.
class UniformityPrinterPass : public llvm::PassInfoMixin<UniformityPrinterPass> {
public:
  explicit UniformityPrinterPass(UniformityLevel level) : level_(level) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  UniformityLevel level_;
};

} // namespace lockstep::compiler
