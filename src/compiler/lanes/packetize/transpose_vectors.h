// Transposes a tile of vectors: from one vector per column to consecutive rows, and back.
//
// Takes log2(columns) steps, each with one two-vector shuffle per column. LLVM would lower a single
// shuffle per column to columns * (columns - 1) shuffles.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

using Vectors = llvm::SmallVector<llvm::Value *, 16>;

// Converts vectors[column][row] to vectors of the same length in which element (row, column) is at
// position `row * columns + column`. The number of columns is a power of two.
Vectors columns_to_rows(llvm::IRBuilderBase &builder, Vectors columns);
Vectors rows_to_columns(llvm::IRBuilderBase &builder, Vectors rows);

} // namespace lockstep::compiler
