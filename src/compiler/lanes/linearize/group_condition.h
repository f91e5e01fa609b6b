// Computes whether all work-items of a group pass a guard, such as `get_global_id(0) < n`.
#pragma once

#include "compiler/analysis/index_expressions.h"

#include <array>
#include <cstdint>

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Emits a condition that is the same for all work-items of a group. If it holds, `condition` is
// `expected` for each of them; if not, it may be, too. Returns null if that cannot be computed:
// `condition` must consist of comparisons of sums, which grow with local ids, with values that do
// not depend on local ids. `size`: the local size.
llvm::Value *emit_for_all_work_items(llvm::IRBuilderBase &builder, llvm::Value &condition,
                                     bool expected, IndexExpressions &expressions,
                                     const std::array<uint32_t, 3> &size);

} // namespace lockstep::compiler
