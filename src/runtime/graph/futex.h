// Sleeping on a 32-bit word until another thread wakes it: the Linux system call itself, because
// std::atomic::wait has no time-out and spins by its own rules.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lockstep::runtime {

// Returns when woken, when *word is not `expected`, when the time is over, or for no reason.
// A negative time means for ever.
void futex_wait(const void *word, uint32_t expected,
                std::chrono::nanoseconds time = std::chrono::nanoseconds(-1));
void futex_wake_one(const void *word);
void futex_wake_all(const void *word);

// Tells the CPU that this is a loop that waits for another CPU.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

} // namespace lockstep::runtime
