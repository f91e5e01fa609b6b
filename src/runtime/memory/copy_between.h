// Copies between memories, if at least one of them belongs to a device that has memory of its own.
// Host threads make the copy: directly, if the two devices can, else through the host's memory.
#pragma once

#include "runtime/graph/operation.h"
#include "runtime/memory/access.h"
#include "runtime/memory/memory_space.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::runtime {

// Bytes in one memory.
struct PlacedBytes {
  MemorySpace *space; // null: the host's
  std::byte *data;
};
// One of the memories is that of a device. For at most MemorySpace::part_bytes.
Result<void> copy_between(const PlacedBytes &to, const PlacedBytes &from, std::size_t size);

// A copy of which a view is only in the memory of a device (Buffer::only_place), for a queue of any
// device. It accesses such a view in its place, and other views on the host.
class CopyBetween final : public HostOperation {
public:
  CopyBetween(const MemoryView &to, const MemoryView &from); // both have the same size

  std::span<const Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return MemorySpace::parts_of(size()); }
  uint64_t expected_nanoseconds_per_part() const override {
    return MemorySpace::nanoseconds_per_part;
  }
  Result<void> run(uint64_t first, uint64_t last) override;

private:
  std::size_t size() const { return accesses_[0].memory.size(); }

  const std::array<Access, 2> accesses_;
};

} // namespace lockstep::runtime
