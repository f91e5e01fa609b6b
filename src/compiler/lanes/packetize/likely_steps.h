// Guesses by how much a value differs between neighboring lanes of nearly all sub-groups.
//
// `(x + 1) % w`, `x == w - 1 ? 0 : x + 1` and `clamp(x + 1, 0, w - 1)` are consecutive except in the
// sub-group where the row ends. Such an access is contiguous nearly always, and a test at run time
// is worth it even where a loaded index would rarely pass it.
#pragma once

#include "compiler/analysis/lane_shapes.h"

#include <optional>

namespace lockstep::compiler {

// Null: nothing is known. The step is a guess: the caller tests it at run time.
std::optional<int64_t> likely_step(const llvm::Value &value, const LaneShapes &shapes);

} // namespace lockstep::compiler
