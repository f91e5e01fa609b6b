#include "runtime/memory/transfers.h"

#include <algorithm>
#include <cstring>

namespace lockstep::runtime {

namespace {

Access box(const MemoryView &memory, AccessMode mode, const RectSide &given,
           const RectShape &shape) {
  const RectSide side = with_default_pitches(given, shape);
  const std::size_t begin = first_byte(side), size = end_byte(side, shape) - begin;
  return {.memory = memory.buffer() ? MemoryView(memory.buffer(), memory.offset() + begin, size)
                                    : MemoryView(memory.data() + begin, size),
          .mode = mode,
          .row_bytes = shape.region[0],
          .rows = shape.region[1],
          .row_pitch = side.row_pitch,
          .slices = shape.region[2],
          .slice_pitch = side.slice_pitch};
}

} // namespace

// ---- Copy

Copy::Copy(MemoryView destination, MemoryView source)
    : accesses_{Access{std::move(destination), AccessMode::overwrite},
                Access{std::move(source), AccessMode::read}},
      destination_(accesses_[0].memory.data()), source_(accesses_[1].memory.data()),
      size_(accesses_[0].memory.size()) {}

Result<void> Copy::run(uint64_t first, uint64_t last) {
  std::size_t begin = first * bytes_per_part;
  std::size_t end = std::min<std::size_t>(last * bytes_per_part, size_);
  if (destination_ != source_)
    std::memcpy(destination_ + begin, source_ + begin, end - begin);
  return {};
}

// ---- RectCopy

RectSide with_default_pitches(RectSide side, const RectShape &shape) {
  if (side.row_pitch == 0)
    side.row_pitch = shape.region[0];
  if (side.slice_pitch == 0)
    side.slice_pitch = shape.region[1] * side.row_pitch;
  return side;
}

std::size_t first_byte(const RectSide &side) {
  return side.origin[2] * side.slice_pitch + side.origin[1] * side.row_pitch + side.origin[0];
}

std::size_t end_byte(const RectSide &side, const RectShape &shape) {
  return first_byte(side) + (shape.region[2] - 1) * side.slice_pitch +
         (shape.region[1] - 1) * side.row_pitch + shape.region[0];
}

RectCopy::RectCopy(const MemoryView &destination, const RectSide &destination_side,
                   const MemoryView &source, const RectSide &source_side, const RectShape &shape)
    : accesses_{box(destination, AccessMode::write, destination_side, shape),
                box(source, AccessMode::read, source_side, shape)},
      destination_(accesses_[0].memory.data()), source_(accesses_[1].memory.data()) {
  const RectSide to = with_default_pitches(destination_side, shape);
  const RectSide from = with_default_pitches(source_side, shape);
  destination_row_ = to.row_pitch;
  destination_slice_ = to.slice_pitch;
  source_row_ = from.row_pitch;
  source_slice_ = from.slice_pitch;
  row_bytes_ = shape.region[0];
  rows_ = shape.region[1];
  slices_ = shape.region[2];
  // Contiguous rows become one long row. Long rows are split again, so that they are distributed
  // over workers like a plain copy.
  if (destination_row_ == row_bytes_ && source_row_ == row_bytes_) {
    row_bytes_ *= rows_;
    rows_ = 1;
    if (destination_slice_ == row_bytes_ && source_slice_ == row_bytes_) {
      row_bytes_ *= slices_;
      slices_ = 1;
    }
  }
  pieces_per_row_ = std::max<std::size_t>(1, (row_bytes_ + bytes_per_part - 1) / bytes_per_part);
  piece_bytes_ = (row_bytes_ + pieces_per_row_ - 1) / pieces_per_row_;
  pieces_per_part_ =
      std::max<std::size_t>(1, bytes_per_part / std::max<std::size_t>(1, piece_bytes_));
}

Result<void> RectCopy::run(uint64_t first, uint64_t last) {
  uint64_t piece = first * pieces_per_part_;
  const uint64_t end = std::min<uint64_t>(last * pieces_per_part_, pieces());
  std::size_t in_row = piece % pieces_per_row_;
  std::size_t row = piece / pieces_per_row_ % rows_;
  std::size_t slice = piece / pieces_per_row_ / rows_;
  for (; piece < end; ++piece) {
    std::size_t x = in_row * piece_bytes_;
    std::byte *to = destination_ + slice * destination_slice_ + row * destination_row_ + x;
    const std::byte *from = source_ + slice * source_slice_ + row * source_row_ + x;
    if (to != from && x < row_bytes_)
      std::memcpy(to, from, std::min(piece_bytes_, row_bytes_ - x));
    if (++in_row < pieces_per_row_)
      continue;
    in_row = 0;
    if (++row == rows_) {
      row = 0;
      ++slice;
    }
  }
  return {};
}

// ---- Fill

Fill::Fill(MemoryView destination, const void *pattern, std::size_t pattern_size)
    : accesses_{Access{std::move(destination), AccessMode::overwrite}},
      destination_(accesses_[0].memory.data()), pattern_size_(pattern_size),
      size_(accesses_[0].memory.size()), part_bytes_(bytes_per_part / pattern_size * pattern_size) {
  std::memcpy(pattern_.data(), pattern, pattern_size);
}

Result<void> Fill::run(uint64_t first, uint64_t last) {
  std::byte *begin = destination_ + first * part_bytes_;
  std::size_t bytes = std::min<std::size_t>(last * part_bytes_, size_) - first * part_bytes_;
  bool all_equal = std::all_of(pattern_.begin() + 1, pattern_.begin() + pattern_size_,
                               [&](std::byte b) { return b == pattern_[0]; });
  if (all_equal) {
    std::memset(begin, int(pattern_[0]), bytes);
    return {};
  }
  // Copies a block of repeated patterns over the range. A block that fits in the L1 cache makes
  // this as fast as a copy.
  constexpr std::size_t block_limit = 4096;
  std::size_t filled = std::min(bytes, pattern_size_);
  std::memcpy(begin, pattern_.data(), filled);
  while (filled < bytes && filled < block_limit) {
    std::size_t more = std::min(filled, bytes - filled);
    std::memcpy(begin + filled, begin, more);
    filled += more;
  }
  const std::size_t block = filled;
  while (filled < bytes) {
    std::size_t more = std::min(block, bytes - filled);
    std::memcpy(begin + filled, begin, more);
    filled += more;
  }
  return {};
}

} // namespace lockstep::runtime
