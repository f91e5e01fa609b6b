// Records the regions of a buffer that are mapped into the host's address space (OpenCL 3.0 API
// sections 5.2.4 and 5.5.3).
//
// Buffers are in host memory, so a mapping moves nothing and its pointer is known at once. The
// records answer three queries: how often an object is mapped, whether a pointer given to unmap
// came from a map of the same object, and whether two regions mapped for writing overlap. The last
// one concerns all sub-buffers of a buffer. So the root buffer has the list, and each region names
// the object that it was mapped through.
//
// A region exists from the call that enqueues its map to the call that enqueues its unmap,
// independently of their execution. So a program can enqueue map, unmap, map without waiting, and
// the checks follow the order of its calls.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace lockstep::runtime {

struct MappedRegion {
  const void *memory; // the object that it was mapped through; compared only, never dereferenced
  const std::byte *begin;
  size_t size;
  bool for_writing;
  // For an image: the box in elements. Byte ranges of two boxes can overlap although the boxes are
  // disjoint.
  std::array<std::size_t, 3> origin{}, extent{};
};

class MappedRegions {
public:
  // False if the region and an overlapping one are both for writing; then nothing changes.
  bool add(const MappedRegion &region);
  // Removes one region of the object that begins at `begin`, if there is one. If there are several,
  // removes one for writing first, because it excludes others.
  std::optional<MappedRegion> remove(const void *memory, const void *begin);
  bool contains(const void *memory, const void *begin) const;
  unsigned count(const void *memory) const;
  bool is_empty() const;

private:
  mutable std::mutex mutex_;
  std::vector<MappedRegion> regions_; // few elements, so a list is the fastest
};

} // namespace lockstep::runtime
