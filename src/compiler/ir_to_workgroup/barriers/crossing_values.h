// Values that are computed before a group operation and used after it.
//
// Between the two, other work-items run, so such a value must be kept for each sub-group, unless it
// is uniform in the work-group (one copy is enough) or cheaper to compute again than to load (an
// index made of ids and arguments).
#pragma once

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"

#include "llvm/ADT/BitVector.h"

#include <vector>

namespace llvm {
class AllocaInst;
}

namespace lockstep::compiler {

enum class CrossingKind { per_sub_group, uniform, recomputed };

struct CrossingValue {
  llvm::Instruction *value = nullptr;
  CrossingKind kind = CrossingKind::per_sub_group;
  // Indexed by region: live when its operation is reached (its operands included), and live when
  // the region starts.
  llvm::BitVector live_before_operation, live_at_entry;
  // How a recomputed value is made: copies of its instructions in order, in no block, the value's
  // own last. They are taken before demotion, which replaces operands by loads.
  std::vector<llvm::Instruction *> recipe;
  std::vector<const llvm::Instruction *> recipe_of; // what each step is a copy of
  // From demote_crossing_values on: the variable that stands for the value in all regions.
  llvm::AllocaInst *variable = nullptr;
};

std::vector<CrossingValue> find_crossing_values(llvm::Function &function,
                                                const BarrierRegions &regions,
                                                const Uniformity &uniformity);

void delete_recipes(std::vector<CrossingValue> &values);

// Gives every crossing value a variable: stored after the definition, loaded by the uses in other
// blocks. Afterwards no SSA value is live across a group operation. The variables are promoted
// again once each region has its own.
void demote_crossing_values(llvm::Function &function, std::vector<CrossingValue> &values);

} // namespace lockstep::compiler
