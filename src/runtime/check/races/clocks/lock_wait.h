// Back-off for contended locks: a waiter lets the thread that keeps taking and releasing the lock
// run on for a while. Handing a lock to another core moves a dozen cache lines of checker state,
// which takes longer than many critical sections.
#pragma once

#include "runtime/check/races/clocks/synchronization.h"

#include <cstdint>

namespace lockstep::runtime {

struct WantedLock {
  const Synchronization &object;
  const uint32_t &word;
  uint32_t taken;   // the value of a taken lock
  unsigned threads; // that may contend
  // Whether a thread has the lock or is about to take it.
  bool is_taken() const {
    return __atomic_load_n(&word, __ATOMIC_RELAXED) == taken || object.lock.is_locked();
  }
};

// Called before an exchange that takes the lock, without the object's own lock.
void let_others_go_on(const WantedLock &lock);

inline bool are_others_at_it(const Synchronization &object) {
  constexpr uint32_t few = 16; // fewer: the object may not be a lock
  return object.handovers.count.load(std::memory_order_relaxed) >= few &&
         object.handovers.thread.load(std::memory_order_relaxed) != thread_slot();
}

// The object that this thread used last, so that its next group need not look it up.
class LastObject {
public:
  static LastObject &own() {
    thread_local LastObject last;
    return last;
  }
  Synchronization *find(uint64_t launch, uintptr_t address) const { // null: another object was last
    return launch_ == launch && address_ == address ? object_ : nullptr;
  }
  void note(uint64_t launch, uintptr_t address, Synchronization &object) {
    launch_ = launch;
    address_ = address;
    object_ = &object;
  }

private:
  uint64_t launch_ = 0; // LaunchCheck's number; 0: none
  uintptr_t address_ = 0;
  Synchronization *object_ = nullptr;
};

} // namespace lockstep::runtime
