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

} // namespace lockstep::runtime
