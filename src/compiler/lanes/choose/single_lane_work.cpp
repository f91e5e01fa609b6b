#include "compiler/lanes/choose/single_lane_work.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/waits/analysis/wait_lanes.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

constexpr double expected_of_all = 2; // LLVM assumes that every second work-item enters

} // namespace

bool one_lane_does_most(llvm::Function &function, unsigned width,
                        llvm::FunctionAnalysisManager &analyses) {
  const auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto entered_by_one = [&](HeldBack of) {
    return blocks_entered_by_one(
        function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
        analyses.getResult<llvm::PostDominatorTreeAnalysis>(function), loops, of);
  };
  const auto of_sub_group = entered_by_one(HeldBack::sub_group);
  // Outside of loops, the estimate is not reliable.
  if (llvm::none_of(of_sub_group, [&](auto *block) { return loops.getLoopFor(block); }))
    return false;
  const auto of_group = entered_by_one(HeldBack::work_group);
  const auto size = specialized_local_size(function);
  const double items =
      std::max(double(widest_sub_group), double(size[0]) * double(size[1]) * double(size[2]));
  const auto &frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  double in_lanes = 0, one_by_one = 0; // per sub-group
  for (const llvm::BasicBlock &block : function) {
    const double times = double(frequencies.getBlockFreq(&block).getFrequency());
    if (!of_sub_group.contains(&block)) {
      in_lanes += times * CostModel::vectors(double(block.sizeWithoutDebug()));
      one_by_one += times * CostModel::scalars(double(block.sizeWithoutDebug())) * width;
      continue;
    }
    // The fraction of sub-groups that have such a lane.
    const double share = width / (of_group.contains(&block) ? items : widest_sub_group);
    for (const llvm::Instruction &instruction : block) {
      one_by_one += expected_of_all * times * share * CostModel::scalars(1);
      in_lanes += expected_of_all * times * share *
                  (llvm::getLoadStorePointerOperand(&instruction) ? CostModel::access_of_one_lane()
                                                                  : CostModel::vectors(1));
    }
  }
  return CostModel::is_clearly_less(one_by_one, in_lanes);
}

} // namespace lockstep::compiler
