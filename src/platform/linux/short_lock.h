// A spin lock for critical sections of a few instructions that are entered too often for a system
// call.
#pragma once

#include "platform/linux/futex.h"

#include <atomic>
#include <thread>

namespace lockstep::runtime {

class ShortLock {
public:
  void lock() {
    // Waiting threads back off: each read of the flag takes its cache line from the thread that is
    // about to unlock.
    for (unsigned pauses = 4; locked_.exchange(true, std::memory_order_acquire);)
      do {
        for (unsigned i = 0; i != pauses; ++i)
          spin_pause();
        if (pauses < most_pauses)
          pauses *= 2;
        else // the owner may not be running
          std::this_thread::yield();
      } while (locked_.load(std::memory_order_relaxed));
  }
  // For a caller that may be the only user of the lock: then no other thread ever takes it.
  void lock_unless(bool is_alone) {
    if (!is_alone)
      lock();
  }
  bool try_lock() { return !is_locked() && !locked_.exchange(true, std::memory_order_acquire); }
  bool is_locked() const { return locked_.load(std::memory_order_relaxed); }
  void unlock() { locked_.store(false, std::memory_order_release); }

private:
  static constexpr unsigned most_pauses = 16;
  std::atomic<bool> locked_{false};
};

} // namespace lockstep::runtime
