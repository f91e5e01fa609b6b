#include "compiler/lanes/packetize/transpose_vectors.h"

#include "llvm/IR/DerivedTypes.h"

namespace lockstep::compiler {

namespace {

using Mask = llvm::SmallVector<int, 64>;

unsigned length_of(const llvm::Value &vector) {
  return llvm::cast<llvm::FixedVectorType>(vector.getType())->getNumElements();
}

// Interleaves the elements of the first or the second halves of two vectors.
Mask alternating_halves(unsigned length, bool second_halves) {
  Mask mask;
  for (unsigned i = 0; i != length; ++i)
    mask.push_back(int(i / 2 + (second_halves ? length / 2 : 0) + (i % 2 ? length : 0)));
  return mask;
}

Mask every_second(unsigned length, unsigned first) {
  Mask mask;
  for (unsigned i = 0; i != length; ++i)
    mask.push_back(int(2 * i + first));
  return mask;
}

} // namespace

// Each step moves one more bit of the column number below the row number.
Vectors columns_to_rows(llvm::IRBuilderBase &builder, Vectors columns) {
  const size_t half = columns.size() / 2;
  const unsigned length = length_of(*columns[0]);
  const Mask low = alternating_halves(length, false), high = alternating_halves(length, true);
  for (size_t step = 1; step < columns.size(); step *= 2) {
    Vectors next;
    for (size_t i = 0; i != half; ++i)
      for (const Mask &mask : {low, high})
        next.push_back(builder.CreateShuffleVector(columns[i], columns[i + half], mask));
    columns = std::move(next);
  }
  return columns;
}

Vectors rows_to_columns(llvm::IRBuilderBase &builder, Vectors rows) {
  const size_t half = rows.size() / 2;
  const unsigned length = length_of(*rows[0]);
  const Mask even = every_second(length, 0), odd = every_second(length, 1);
  for (size_t step = 1; step < rows.size(); step *= 2) {
    Vectors next(rows.size());
    for (size_t i = 0; i != half; ++i) {
      next[i] = builder.CreateShuffleVector(rows[2 * i], rows[2 * i + 1], even);
      next[i + half] = builder.CreateShuffleVector(rows[2 * i], rows[2 * i + 1], odd);
    }
    rows = std::move(next);
  }
  return rows;
}

} // namespace lockstep::compiler
