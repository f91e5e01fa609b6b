// What threads use all the time is kept apart for each of them, so that they need not pass it on from core to core.
#pragma once

#include <atomic>
#include <cstddef>

namespace lockstep::runtime {

inline constexpr unsigned thread_slots = 64;
inline constexpr std::size_t separate_bytes = 128; // cores fetch two lines at once

// Below thread_slots. Few threads have the same number.
inline unsigned thread_slot() {
  static std::atomic<unsigned> all = 0;
  thread_local const unsigned own = all++ % thread_slots;
  return own;
}

} // namespace lockstep::runtime
