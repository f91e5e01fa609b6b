// Recognizes sums of the local id and of group-uniform values: the global id, narrowed and widened.
//
// Requires: a path through one barrier region (region_path.h), and the number of lanes.
// Ensures: `emit_first` computes the sum of the first work-item and whether the sum wraps in the
// group. Nothing is changed otherwise.
//
// Position: in regions/, for idle_sub_groups.h. The affine expressions of analysis/ exclude sums
// that may wrap; here that is tested at run time.
#pragma once

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
  enum class Step { add, subtract, truncate, zero_extend, sign_extend };
  struct Part {
    Step step;
    llvm::Value *term = nullptr; // the operand of add and subtract
    unsigned bits = 0;           // the others: the width of the result
  };
  unsigned dimension = 0;
  bool has_lanes = false;        // a vector: each lane adds its number
  llvm::SmallVector<Part> parts; // from the local id outwards
};

// Matches `value` as a sum. With several lanes, a sum in dimension 0 must be a vector with an
// element for each lane; otherwise it must be a scalar.
std::optional<WorkItemSum> find_work_item_sum(RegionPath &path, llvm::Value *value, unsigned lanes);

// The sum of the work-item with local id 0. `wraps_not`: whether the sum grows by 1 between each
// two of the `size` ids without wrapping, at each widening and in the final comparison's
// signedness. Returns nullopt if a term cannot be computed at `builder`.
struct FirstOfSum {
  llvm::Value *value;
  llvm::Value *wraps_not; // i1
};
std::optional<FirstOfSum> emit_first(const WorkItemSum &sum, RegionPath &path,
                                     llvm::IRBuilderBase &builder, uint32_t size, bool is_signed);

} // namespace lockstep::compiler
