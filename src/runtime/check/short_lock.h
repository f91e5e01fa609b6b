// A lock for a few instructions, which are taken too often to go to the system for it.
#pragma once

#include "runtime/graph/futex.h"

#include <atomic>
#include <thread>

namespace lockstep::runtime {

class ShortLock {
public:
  void lock() {
    // Who waits looks seldom: each look takes the line from whoever is to give the lock back.
    for (unsigned pauses = 4; locked_.exchange(true, std::memory_order_acquire);)
      do {
        for (unsigned i = 0; i != pauses; ++i)
          spin_pause();
        if (pauses < most_pauses)
          pauses *= 2;
        else // who has it may not be running
          std::this_thread::yield();
      } while (locked_.load(std::memory_order_relaxed));
  }
  // Of who may be alone: then nobody else ever takes it.
  void lock_unless(bool is_alone) {
    if (!is_alone)
      lock();
  }
  bool is_locked() const { return locked_.load(std::memory_order_relaxed); }
  void unlock() { locked_.store(false, std::memory_order_release); }

private:
  static constexpr unsigned most_pauses = 16;
  std::atomic<bool> locked_{false};
};

} // namespace lockstep::runtime
