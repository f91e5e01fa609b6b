// Copies and fills as operations, between views of memory objects and host memory. They work on the
// host's copy of a memory object (residency.h). So these three operations implement read, write,
// copy, map of a copy, and their rectangular forms.
//
// Operations of up to `in_place_bytes` run in the thread that finds them ready; larger ones are
// split into parts for several workers. Ranges must not overlap, except that source and destination
// may be equal.
#pragma once

#include "runtime/graph/operation.h"
#include "runtime/memory/access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::runtime {

inline constexpr std::size_t in_place_bytes = std::size_t{32} << 10;
inline constexpr std::size_t bytes_per_part = std::size_t{256} << 10;

// Moves nothing: the command only takes its position in the order and declares accesses.
class NoWork : public HostOperation {
public:
  explicit NoWork(Accesses accesses = {}, std::shared_ptr<MemorySpace> space = nullptr)
      : accesses_(std::move(accesses)), space_(std::move(space)) {}
  std::span<const Access> accesses() const override { return accesses_; }
  const MemorySpace *memory_space() const override { return space_.get(); }
  uint64_t parts() const override { return 0; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override { return {}; }

private:
  const Accesses accesses_;
  const std::shared_ptr<MemorySpace> space_;
};

class Copy : public HostOperation {
public:
  Copy(MemoryView destination, MemoryView source); // both views have the same size

  std::span<const Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return (size_ + bytes_per_part - 1) / bytes_per_part; }
  bool runs_in_place() const override { return size_ <= in_place_bytes; }
  uint64_t expected_nanoseconds_per_part() const override { return bytes_per_part / 16; }
  Result<void> run(uint64_t first, uint64_t last) override;

private:
  const std::array<Access, 2> accesses_;
  std::byte *const destination_;
  const std::byte *const source_;
  const std::size_t size_;
};

// A box of `region` bytes x rows x slices in a memory with pitches (bytes). As in
// clEnqueueCopyBufferRect; a pitch of 0 stands for the dense one.
struct RectSide {
  std::array<std::size_t, 3> origin{}; // x in bytes
  std::size_t row_pitch = 0, slice_pitch = 0;
};
struct RectShape {
  std::array<std::size_t, 3> region{}; // x in bytes; none is 0
};
// Replaces pitches of 0 by the dense ones.
RectSide with_default_pitches(RectSide side, const RectShape &shape);
// Offset of the first byte of the box, and of one past its last byte.
std::size_t first_byte(const RectSide &side);
std::size_t end_byte(const RectSide &side, const RectShape &shape);

class RectCopy : public HostOperation {
public:
  // The views are whole memories; the constructor adds the origins.
  RectCopy(const MemoryView &destination, const RectSide &destination_side,
           const MemoryView &source, const RectSide &source_side, const RectShape &shape);

  std::span<const Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return (pieces() + pieces_per_part_ - 1) / pieces_per_part_; }
  bool runs_in_place() const override { return row_bytes_ * rows_ * slices_ <= in_place_bytes; }
  uint64_t expected_nanoseconds_per_part() const override {
    return pieces_per_part_ * (piece_bytes_ / 16 + 4);
  }
  Result<void> run(uint64_t first, uint64_t last) override;

private:
  uint64_t pieces() const { return uint64_t(pieces_per_row_) * rows_ * slices_; }

  const std::array<Access, 2> accesses_;
  std::byte *destination_;
  const std::byte *source_;
  std::size_t destination_row_, destination_slice_, source_row_, source_slice_; // pitches
  std::size_t row_bytes_, rows_, slices_;
  std::size_t pieces_per_row_, piece_bytes_; // one memcpy moves one piece
  std::size_t pieces_per_part_;
};

class Fill : public HostOperation {
public:
  static constexpr std::size_t max_pattern = 128;
  // pattern_size: 1 to 128, a power of two (OpenCL) or any number (SYCL); `size` is a multiple of
  // it.
  Fill(MemoryView destination, const void *pattern, std::size_t pattern_size);

  std::span<const Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return (size_ + part_bytes_ - 1) / part_bytes_; }
  bool runs_in_place() const override { return size_ <= in_place_bytes; }
  uint64_t expected_nanoseconds_per_part() const override { return part_bytes_ / 16; }
  Result<void> run(uint64_t first, uint64_t last) override;

private:
  const std::array<Access, 1> accesses_;
  std::byte *const destination_;
  const std::size_t pattern_size_, size_, part_bytes_; // part_bytes_ is a multiple of pattern_size_
  std::array<std::byte, max_pattern> pattern_;
};

} // namespace lockstep::runtime
