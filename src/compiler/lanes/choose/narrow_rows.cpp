#include "compiler/lanes/choose/narrow_rows.h"

#include "compiler/lanes/choose/row_accesses.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/bit.h"

namespace lockstep::compiler {

uint32_t width_of_rows(llvm::Function &function, uint32_t width,
                       llvm::FunctionAnalysisManager &analyses) {
  constexpr uint32_t narrowest = narrowest_vector_bits / 32; // lanes of float
  const auto size = specialized_local_size(function);
  const bool in_one_dimension = uint64_t{size[1]} * size[2] == 1 && size[0] % width == 0;
  auto &expressions = analyses.getResult<IndexExpressionsAnalysis>(function);
  // Rows of another length have whole sub-groups of the greatest power of two that divides it.
  const uint32_t row = size[0] == 0 ? 0
                       : in_one_dimension
                           ? columns_of_remainders(function, expressions, narrowest, width)
                       : size[0] % width == 0 ? 0
                                              : size[0] & -size[0];
  if (row < narrowest || row >= width || !llvm::isPowerOf2_32(row))
    return width;
  const RowCosts costs = row_costs(function,
                                   {.row = row,
                                    .width = width,
                                    .vectors_in_rows = double(width) / row,
                                    .is_of_remainders = in_one_dimension},
                                   analyses);
  // Lanes of rows of another length divide to find their places, and rows cannot be interleaved.
  const double least = llvm::isPowerOf2_32(size[0]) ? costs.in_rows : costs.in_rows / 2;
  return costs.across_rows > least ? row : width;
}

} // namespace lockstep::compiler
