// Finds out how a value grows with the local id: `factor * id + uniform terms`, as in a global id.
//
// Requires: a path through one barrier region (region_path.h), and the number of lanes.
// Ensures: `emit_first` computes the value of the first work-item and whether the value wraps in
// the group. Nothing is changed otherwise.
//
// Position: in regions/, for idle_sub_groups.h. The index expressions say what is proven; this adds
// the values that a path has at phis and variables, and tests at run time for sums that may wrap
// before they are extended.
#pragma once

#include "compiler/analysis/index_expressions.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class RegionPath;

struct WorkItemSum {
  struct Level {
    IndexExpression uniform; // the terms without the id
    // The other one, from the inside outwards: the id, or the value of the level before, extended.
    int64_t factor = 1;
    Extension extension = Extension::none;
  };
  unsigned dimension = 0;
  int64_t factor = 1; // of the id, positive
  int64_t lanes = 0;  // of the number of the lane
  llvm::SmallVector<Level, 2> levels;
};

// With several lanes, a sum in dimension 0 must be a vector with an element for each lane; otherwise
// it must be a scalar.
std::optional<WorkItemSum> find_work_item_sum(RegionPath &path, IndexExpressions &expressions,
                                              llvm::Value *value, unsigned lanes);

// The sum of the work-item with local id 0. `wraps_not`: whether the sum grows by `factor` between
// each two of the `size` ids without wrapping, at each extension and in the final comparison's
// signedness. Returns nullopt if a term cannot be computed at `builder`.
struct FirstOfSum {
  llvm::Value *value;
  llvm::Value *wraps_not; // i1
};
std::optional<FirstOfSum> emit_first(const WorkItemSum &sum, RegionPath &path,
                                     llvm::IRBuilderBase &builder, uint32_t size, bool is_signed);

} // namespace lockstep::compiler
