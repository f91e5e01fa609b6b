// Turning a tile of vectors: from one vector for each column to rows behind each other, and back.
//
// In log2(columns) steps, each of as many shuffles of two vectors as there are columns. As one shuffle of all for each
// column, LLVM makes columns * (columns - 1) of them.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

using Vectors = llvm::SmallVector<llvm::Value *, 16>;

// vectors[column][row] to as many vectors of the same length in which `row * columns + column` is an element's place.
// The number of columns is a power of two.
Vectors columns_to_rows(llvm::IRBuilderBase &builder, Vectors columns);
Vectors rows_to_columns(llvm::IRBuilderBase &builder, Vectors rows);

} // namespace lockstep::compiler
