// Allocates command nodes. Free nodes are kept by size class, first per thread, then shared in
// batches: an enqueuing thread allocates a node, and the worker that completes it frees it.
#pragma once

#include <cstddef>

namespace lockstep::runtime {

class NodeMemory {
public:
  static constexpr std::size_t alignment = 128;
  static void *allocate(std::size_t size); // throws std::bad_alloc; aligned to `alignment`
  static void free(void *node, std::size_t size) noexcept;
};

// Allocator for containers that one thread fills and another frees together with a node. The
// standard allocator would lock the first thread's arena each time.
template <class T> struct NodeAllocator {
  using value_type = T;
  NodeAllocator() = default;
  template <class Other> NodeAllocator(const NodeAllocator<Other> &) {}
  T *allocate(std::size_t count) {
    return static_cast<T *>(NodeMemory::allocate(count * sizeof(T)));
  }
  void deallocate(T *memory, std::size_t count) noexcept {
    NodeMemory::free(memory, count * sizeof(T));
  }
  bool operator==(const NodeAllocator &) const = default;
};

} // namespace lockstep::runtime
