// Lines that another core has written last take a while to come. Whoever asks for several at once waits once.
#pragma once

#include <cstddef>

namespace lockstep::runtime {

inline constexpr std::size_t line_bytes = 64;

inline void fetch_to_write(const void *line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" ::"m"(*static_cast<const char *>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

} // namespace lockstep::runtime
