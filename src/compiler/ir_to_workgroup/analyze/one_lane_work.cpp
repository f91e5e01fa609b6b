#include "compiler/ir_to_workgroup/analyze/one_lane_work.h"

#include "compiler/ir_to_workgroup/analyze/wait_lanes.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// In instructions of scalar code.
constexpr double masked = 1.5, gather = 12; // for one lane: its mask, and its place in a vector
constexpr double clearly = 1.25;            // estimates are no better
constexpr double expected_of_all = 2;       // LLVM expects every second work-item there
constexpr double widest = 64;               // lanes of a sub-group (analyze/wait_lanes.h)

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
  // Without a loop there the estimate says little.
  if (llvm::none_of(of_sub_group, [&](auto *block) { return loops.getLoopFor(block); }))
    return false;
  const auto of_group = entered_by_one(HeldBack::work_group);
  const auto size = specialised_local_size(function);
  const double items = std::max(widest, double(size[0]) * double(size[1]) * double(size[2]));
  const auto &frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  double in_lanes = 0, one_by_one = 0; // of a sub-group
  for (const llvm::BasicBlock &block : function) {
    const double times = double(frequencies.getBlockFreq(&block).getFrequency());
    if (!of_sub_group.contains(&block)) {
      in_lanes += times * double(block.sizeWithoutDebug());
      one_by_one += times * double(block.sizeWithoutDebug()) * width;
      continue;
    }
    // How many sub-groups have such a lane.
    const double share = width / (of_group.contains(&block) ? items : widest);
    for (const llvm::Instruction &instruction : block) {
      one_by_one += expected_of_all * times * share;
      in_lanes += expected_of_all * times * share *
                  (llvm::getLoadStorePointerOperand(&instruction) ? gather : masked);
    }
  }
  return in_lanes > clearly * one_by_one;
}

} // namespace lockstep::compiler
