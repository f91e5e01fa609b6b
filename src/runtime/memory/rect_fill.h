// Fills a box with copies of an element: clEnqueueFillImage, and fills of SYCL.
#pragma once

#include "runtime/memory/transfers.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::runtime {

class RectFill : public HostOperation {
public:
  // `destination` is the whole memory; the constructor adds the origin. A row contains whole
  // elements. Pitches of 0 are the dense ones.
  RectFill(const MemoryView &destination, const RectSide &side, const RectShape &shape,
           std::span<const std::byte> element);

  std::span<const Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return (rows_ + rows_per_part_ - 1) / rows_per_part_; }
  bool runs_in_place() const override { return rows_ * row_bytes_ <= in_place_bytes; }
  uint64_t expected_nanoseconds_per_part() const override {
    return rows_per_part_ * (row_bytes_ / 16 + 4);
  }
  Result<void> run(uint64_t first, uint64_t last) override;

private:
  const std::array<Access, 1> accesses_;
  std::byte *const destination_;
  const std::size_t row_pitch_, slice_pitch_, row_bytes_, rows_in_slice_, rows_, rows_per_part_;
  std::vector<std::byte> block_; // elements, at most a row
};

} // namespace lockstep::runtime
