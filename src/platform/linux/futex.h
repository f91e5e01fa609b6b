// Sleeps on a 32-bit word until another thread wakes it. Uses the Linux system call directly,
// because std::atomic::wait has no time-out and spins by its own policy.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lockstep::runtime {

// Returns when woken, when *word is not `expected`, after `time`, or spuriously. A negative time
// means no limit.
void futex_wait(const void *word, uint32_t expected,
                std::chrono::nanoseconds time = std::chrono::nanoseconds(-1));
void futex_wake_one(const void *word);
void futex_wake_all(const void *word);

// Hint to the CPU: this is a spin-wait loop.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

} // namespace lockstep::runtime
