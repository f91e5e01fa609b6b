#include "runtime/memory/rect_fill.h"

#include <algorithm>
#include <cstring>

namespace lockstep::runtime {
namespace {

constexpr std::size_t block_limit = 4096; // it stays in the L1 cache

Access box_of(const MemoryView &memory, const RectSide &side, const RectShape &shape) {
  const std::size_t first = first_byte(side), size = end_byte(side, shape) - first;
  return {.memory = memory.buffer() ? MemoryView(memory.buffer(), memory.offset() + first, size)
                                    : MemoryView(memory.data() + first, size),
          .mode = AccessMode::write,
          .row_bytes = shape.region[0],
          .rows = shape.region[1],
          .row_pitch = side.row_pitch,
          .slices = shape.region[2],
          .slice_pitch = side.slice_pitch};
}

} // namespace

RectFill::RectFill(const MemoryView &destination, const RectSide &given, const RectShape &shape,
                   std::span<const std::byte> element)
    : accesses_{box_of(destination, with_default_pitches(given, shape), shape)},
      destination_(accesses_[0].memory.data()), row_pitch_(accesses_[0].row_pitch),
      slice_pitch_(accesses_[0].slice_pitch), row_bytes_(shape.region[0]),
      rows_in_slice_(shape.region[1]), rows_(shape.region[1] * shape.region[2]),
      rows_per_part_(std::max<std::size_t>(1, bytes_per_part / row_bytes_)) {
  const std::size_t elements =
      std::clamp<std::size_t>(block_limit / element.size(), 1, row_bytes_ / element.size());
  for (std::size_t i = 0; i < elements; ++i)
    block_.insert(block_.end(), element.begin(), element.end());
}

Result<void> RectFill::run(uint64_t first, uint64_t last) {
  const uint64_t end = std::min<uint64_t>(last * rows_per_part_, rows_);
  for (uint64_t row = first * rows_per_part_; row < end; ++row) {
    std::byte *const to =
        destination_ + row / rows_in_slice_ * slice_pitch_ + row % rows_in_slice_ * row_pitch_;
    for (std::size_t done = 0; done < row_bytes_; done += block_.size())
      std::memcpy(to + done, block_.data(), std::min(block_.size(), row_bytes_ - done));
  }
  return {};
}

} // namespace lockstep::runtime
