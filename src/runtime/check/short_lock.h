// A lock for a few instructions, which are taken too often to go to the system for it.
#pragma once

#include <atomic>
#include <thread>

namespace lockstep::runtime {

class ShortLock {
public:
  void lock() {
    for (unsigned tries = 0; locked_.exchange(true, std::memory_order_acquire);)
      while (locked_.load(std::memory_order_relaxed))
        if (++tries % 64 == 0) // who has it may not be running
          std::this_thread::yield();
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> locked_{false};
};

} // namespace lockstep::runtime
