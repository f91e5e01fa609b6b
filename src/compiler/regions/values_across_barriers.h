// Finds values that are computed before a group operation and used after it.
//
// Between the two, other work-items run, so each sub-group must store such a value. A value that is
// uniform in the work-group needs one copy only. A value that is cheaper to compute than to load
// (an index made of ids and arguments) is rematerialized.
#pragma once

#include "compiler/analysis/uniformity.h"
#include "compiler/regions/barrier_regions.h"

#include "llvm/ADT/BitVector.h"

#include <vector>

namespace llvm {
class AllocaInst;
}

namespace lockstep::compiler {

enum class BarrierValueKind { per_sub_group, uniform, recomputed };

struct BarrierValue {
  llvm::Instruction *value = nullptr;
  BarrierValueKind kind = BarrierValueKind::per_sub_group;
  // Indexed by region: whether the value is live when the region's operation is reached (as an
  // operand, too), and when the region starts.
  llvm::BitVector live_before_operation, live_at_entry;
  // How to rematerialize the value: copies of its instructions in order, in no block, the value's
  // own last. The copies are made before demotion, which replaces operands by loads.
  std::vector<llvm::Instruction *> recipe;
  std::vector<const llvm::Instruction *> recipe_of; // what each step copies
  // The variable that represents the value in all regions; set by demote_barrier_values.
  llvm::AllocaInst *variable = nullptr;
};

std::vector<BarrierValue> find_barrier_values(llvm::Function &function,
                                              const BarrierRegions &regions,
                                              const Uniformity &uniformity);

void delete_recipes(std::vector<BarrierValue> &values);

// Replaces every value live across a barrier by a variable: stored after the definition, loaded in
// other blocks that use it. Ensures that no SSA value is live across a group operation. The
// variables are promoted again after each region has its own.
void demote_barrier_values(llvm::Function &function, std::vector<BarrierValue> &values);

} // namespace lockstep::compiler
