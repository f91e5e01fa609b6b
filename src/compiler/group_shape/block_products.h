// Whether block-products makes blocks of a kernel's sums of products.
#pragma once

namespace llvm {
class Function;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

class IndexExpressions;
class Uniformity;

// True if the kernel is one loop that adds products of rows and columns (row_column_products.h), all
// work-items of a group reach it, and its iterations load rows that are far from each other.
// `uniformity`: of the work-group.
bool has_blocks_of_products(const llvm::Function &function, const llvm::LoopInfo &loops,
                            IndexExpressions &expressions, const Uniformity &uniformity);

} // namespace lockstep::compiler
