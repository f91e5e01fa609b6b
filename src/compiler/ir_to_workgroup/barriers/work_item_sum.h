// Recognises sums of the local id and of values that are the same for the whole group: the global
// id, narrowed and widened as kernels do.
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
    llvm::Value *term = nullptr; // add, subtract: what
    unsigned bits = 0;           // the others: of the result
  };
  unsigned dimension = 0;
  bool has_lanes = false;        // a vector: each lane adds its number
  llvm::SmallVector<Part> parts; // from the local id outwards
};

// `value` as a sum, with lanes in dimension 0 if there are several: then a vector with an element
// for each, else a scalar.
std::optional<WorkItemSum> find_work_item_sum(RegionPath &path, llvm::Value *value, unsigned lanes);

// The sum of the work-item with local id 0, and whether it grows by 1 from each of the `size` ids
// to the next without wrapping: at no widening, nor, at the end, in the signedness of the
// comparison. Nothing if a term cannot be computed at `builder`.
struct FirstOfSum {
  llvm::Value *value;
  llvm::Value *wraps_not; // i1
};
std::optional<FirstOfSum> emit_first(const WorkItemSum &sum, RegionPath &path,
                                     llvm::IRBuilderBase &builder, uint32_t size, bool is_signed);

} // namespace lockstep::compiler
