// Recognizes sums of products of rows and columns, as in a matrix product:
//
//    for (k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
//
// One factor is the same for all work-items of a row, and the other one for all of a column. It may
// be the element of a tile in local memory. A block of rows and columns loads each factor once for
// many products, so the width of a sub-group decides how many loads a product needs.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
}

namespace lockstep::compiler {

class IndexExpressions;

// Returns the bits of the sum if each innermost loop of the kernel carries nothing but counters and
// one such sum, or counters alone. Returns 0 otherwise. Columns are those of dimension 0, and
// neighbors load adjacent elements.
unsigned bits_of_row_column_products(const llvm::Function &function, IndexExpressions &expressions);

} // namespace lockstep::compiler
