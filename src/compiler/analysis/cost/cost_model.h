// Estimates the cycles of code, so that an optimization can compare two forms of it.
//
//     CostModel model(width, &target);
//     if (model.is_clearly_less(one_by_one, in_lanes)) ...
//
// Costs of arithmetic come from LLVM's TargetTransformInfo where a pass has one, all others from
// thresholds.h. Costs are throughputs: latencies are assumed to be hidden by other work.
#pragma once

#include "compiler/analysis/cost/thresholds.h"

namespace llvm {
class Instruction;
class TargetTransformInfo;
} // namespace llvm

namespace lockstep::compiler {

class CostModel {
public:
  // `width`: lanes of a sub-group. `target`: may be null if arithmetic_in_lanes() is not called.
  explicit CostModel(unsigned width, const llvm::TargetTransformInfo *target = nullptr)
      : width_(width), target_(target) {}

  // Scalar instructions of one work-item.
  static double scalars(double count) { return count * costs::scalar_instruction; }
  // Instructions on one vector register each.
  static double vectors(double count) { return count * costs::vector_instruction; }
  // A scalar instruction of one work-item in a form for all lanes.
  double arithmetic_in_lanes(const llvm::Instruction &instruction) const;

  // A gather or scatter of all lanes; one where each lane accesses a cache line of its own; one
  // lane of a gather.
  double gather() const { return width_ * costs::gathered_lane; }
  double gather_of_lines() const { return 2 * gather(); }
  static double gathered_lane() { return costs::gathered_lane; }
  // An access by the only lane that is active: a test, the access, and a broadcast.
  static double access_of_one_lane() {
    return costs::lane_test + costs::gathered_lane + vectors(1);
  }
  // Elements of math functions that are calls.
  static double math_calls(double count) { return count * costs::math_call; }
  // Vector registers that are stored and loaded again.
  static double spills(double registers) { return vectors(2 * registers); }
  // A branch on a value that differs from work-item to work-item.
  static double divergent_jump() { return costs::mispredicted_jump; }
  static double lane_test() { return costs::lane_test; }
  // A branch that skips code without active lanes. Every second one is mispredicted.
  static double skip() { return costs::lane_test + costs::mispredicted_jump / 2; }

  static bool is_clearly_less(double cost, double than) { return cost * costs::margin < than; }

private:
  unsigned width_;
  const llvm::TargetTransformInfo *target_;
};

} // namespace lockstep::compiler
