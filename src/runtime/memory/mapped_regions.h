// The regions of a buffer that are mapped into the host's address space (OpenCL 3.0 API
// sections 5.2.4 and 5.5.3).
//
// Buffers lie in host memory, so a mapping moves nothing and its pointer is known at once. What is
// left is the account: how often an object is mapped, whether a pointer given to unmap came from a
// map of the same object, and that no two regions mapped for writing overlap, which must be seen
// across all sub-buffers of a buffer. So the list belongs to the root buffer and names for each
// region the object that it was mapped through.
//
// A region counts from the call that enqueues its map to the call that enqueues its unmap, not from
// execution to execution: only so can a program enqueue map, unmap, map without waiting between
// them and be judged by the order it wrote.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace lockstep::runtime {

struct MappedRegion {
  const void *memory; // the object it was mapped through; compared, never followed
  const std::byte *begin;
  size_t size;
  bool for_writing;
  // Of an image: the box in elements. Boxes of one image may have bytes between each other's without having any in common.
  std::array<std::size_t, 3> origin{}, extent{};
};

class MappedRegions {
public:
  // False if both the region and one that overlaps it are for writing; then nothing is changed.
  bool add(const MappedRegion &region);
  // Takes out one region of the object that begins there, if there is one. Of several, the one for
  // writing goes first: it is the one that forbids others.
  std::optional<MappedRegion> remove(const void *memory, const void *begin);
  bool contains(const void *memory, const void *begin) const;
  unsigned count(const void *memory) const;
  bool is_empty() const;

private:
  mutable std::mutex mutex_;
  std::vector<MappedRegion> regions_; // few, so a list is the fastest
};

} // namespace lockstep::runtime
