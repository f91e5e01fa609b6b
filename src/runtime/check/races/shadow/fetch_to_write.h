// Prefetch, mostly for writing. A cache line last written by another core takes long to arrive; prefetching
// several lines at once waits only once.
#pragma once

#include <cstddef>
#include <span>

namespace lockstep::runtime {

inline constexpr std::size_t line_bytes = 64;

inline void fetch_to_write(const void *line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char *>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

inline void fetch_to_read(std::span<const std::byte> memory) {
  for (const std::byte *at = memory.data(), *end = at + memory.size(); at < end; at += line_bytes)
    __builtin_prefetch(at);
}

} // namespace lockstep::runtime
