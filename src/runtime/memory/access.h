// Describes which bytes of memory a command reads or writes, as data. Residency on devices with
// separate memory, reports that name an argument and its byte, and checks for missing dependencies
// all read the same list, Operation::accesses().
#pragma once

#include "runtime/graph/node_memory.h"
#include "runtime/memory/buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::runtime {

// A range of a memory object, which the view keeps alive, or of host memory, which the enqueuing
// caller keeps valid.
class MemoryView {
public:
  MemoryView(std::shared_ptr<Buffer> buffer, std::size_t offset, std::size_t size)
      : buffer_(std::move(buffer)), host_(nullptr), offset_(offset), size_(size) {}
  MemoryView(const void *host, std::size_t size)
      : host_(static_cast<std::byte *>(const_cast<void *>(host))), size_(size) {}

  const std::shared_ptr<Buffer> &buffer() const { return buffer_; } // null: memory of the host
  std::size_t offset() const { return offset_; }                    // in the buffer
  std::size_t size() const { return size_; }
  // Null: all devices work on the host's copy.
  Residency *residency() const { return buffer_ ? buffer_->residency() : nullptr; }
  std::size_t offset_in_root() const {
    return buffer_ ? std::size_t(data() - buffer_->root().data()) : 0;
  }
  // Buffer::only_place
  MemorySpace *only_place() const { return buffer_ ? buffer_->only_place() : nullptr; }
  // Host address of the range, or its address in its only place.
  std::byte *data() const { return buffer_ ? buffer_->data() + offset_ : host_; }

private:
  std::shared_ptr<Buffer> buffer_;
  std::byte *host_;
  std::size_t offset_ = 0, size_;
};

// `overwrite`: every byte is written and none is read, so the previous contents are not needed.
enum class AccessMode : uint8_t { read, write, read_write, overwrite };

constexpr bool reads(AccessMode mode) {
  return mode == AccessMode::read || mode == AccessMode::read_write;
}
constexpr bool writes(AccessMode mode) {
  return mode != AccessMode::read;
}

struct Access {
  MemoryView memory; // from the first byte to the last
  AccessMode mode = AccessMode::read_write;
  // index of the launched kernel's argument; -1: none, pointers elsewhere reach it
  int32_t argument = -1;
  // The argument block contains an address into this memory that the program gave (allocations.h).
  bool is_placed = false;
  // The memory is in one place only, and the operation accesses it there, wherever it runs.
  bool is_in_only_place = false;
  // Describes a box: only its bytes are accessed. row_bytes 0: the whole range.
  std::size_t row_bytes = 0, rows = 1, row_pitch = 0, slices = 1, slice_pitch = 0;
};
using Accesses = std::vector<Access, NodeAllocator<Access>>; // of an operation

// Whether an operation that runs in `space` (null: on the host) can access all of this memory: none
// of it is only in the memory of another device.
inline bool can_access(const MemorySpace *space, std::span<const Access> accesses) {
  return std::ranges::all_of(accesses, [space](const Access &access) {
    const auto &buffer = access.memory.buffer();
    return !buffer || !buffer->only_place() || buffer->only_place() == space ||
           access.is_in_only_place;
  });
}

} // namespace lockstep::runtime
