// Estimates what it costs that the work-items of a sub-group are in several rows.
//
// The lanes of `a[y * n + x]` are then neighbors in each row, but the distance between two rows is
// known only at run time: a gather. In one row, the access is one load.
//
// In groups of one dimension, rows may be made by `get_global_id(0) / 8` and `get_local_id(0) % 8`.
#pragma once

#include "compiler/analysis/index_expressions.h"

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

struct RowLayout {
  uint32_t row;                  // work-items; 0: not known
  uint32_t width;                // of a sub-group that has several rows
  double vectors_in_rows;        // instructions in place of one of it if each sub-group has one row
  bool is_whole = true;          // it has whole rows: their distance may be known
  bool is_of_remainders = false; // the rows of a group of one dimension
};

// In cycles, weighted by LLVM's block frequencies. Both are zero if the kernel has no local id of a
// row.
struct RowCosts {
  double in_rows = 0, across_rows = 0;
};

// Runs before lane-ids.
RowCosts row_costs(llvm::Function &function, const RowLayout &layout,
                   llvm::FunctionAnalysisManager &analyses);

// The columns of rows that a kernel of one dimension makes by remainders; 0: of none, or of several.
uint32_t columns_of_remainders(llvm::Function &function, IndexExpressions &expressions,
                               uint32_t narrowest, uint32_t width);

} // namespace lockstep::compiler
