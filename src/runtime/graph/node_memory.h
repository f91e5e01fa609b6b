// Memory for command nodes: size classes with free lists, first per thread, then shared in batches,
// because nodes are allocated by the enqueuing thread and freed by the worker that completes them.
#pragma once

#include <cstddef>

namespace lockstep::runtime {

class NodeMemory {
public:
  static constexpr std::size_t alignment = 128;
  static void *allocate(std::size_t size); // throws std::bad_alloc; aligned to `alignment`
  static void free(void *node, std::size_t size) noexcept;
};

// For what one thread makes and another gives back with a node: an allocator of the C++ library's would lock the first
// one's memory each time.
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
