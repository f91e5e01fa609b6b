#include "runtime/memory/rect_fill.h"

#include <algorithm>
#include <cstring>

namespace lockstep::runtime {
namespace {

Access box_of(const MemoryView &memory, const RectSide &side, const RectShape &shape) {
  const std::size_t first = first_byte(side);
  return {.memory = {memory.buffer(), memory.offset() + first, end_byte(side, shape) - first},
          .mode = AccessMode::write,
          .row_bytes = shape.region[0],
          .rows = shape.region[1],
          .row_pitch = side.row_pitch,
          .slices = shape.region[2],
          .slice_pitch = side.slice_pitch};
}

} // namespace

RectFill::RectFill(const MemoryView &destination, const RectSide &side, const RectShape &shape,
                   std::span<const std::byte> element)
    : accesses_{box_of(destination, side, shape)}, destination_(accesses_[0].memory.data()),
      row_pitch_(side.row_pitch), slice_pitch_(side.slice_pitch), rows_in_slice_(shape.region[1]),
      rows_(shape.region[1] * shape.region[2]),
      rows_per_part_(std::max<std::size_t>(1, bytes_per_part / shape.region[0])),
      row_(shape.region[0]) {
  for (std::size_t at = 0; at != row_.size(); at += element.size())
    std::ranges::copy(element, row_.begin() + std::ptrdiff_t(at));
}

Result<void> RectFill::run(uint64_t first, uint64_t last) {
  const uint64_t end = std::min<uint64_t>(last * rows_per_part_, rows_);
  for (uint64_t row = first * rows_per_part_; row < end; ++row)
    std::memcpy(destination_ + row / rows_in_slice_ * slice_pitch_ +
                    row % rows_in_slice_ * row_pitch_,
                row_.data(), row_.size());
  return {};
}

} // namespace lockstep::runtime
