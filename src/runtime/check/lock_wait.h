// Who wants a lock that another thread takes and gives back all the time lets that one do so for a while. What the check remembers
// of a lock and of what it guards is a dozen lines of the cache, and to pass them on at each turn takes longer than many turns.
#pragma once

#include "runtime/check/synchronisation_objects.h"

#include <cstdint>

namespace lockstep::runtime {

struct WantedLock {
  const SynchronisationObjects &objects;
  const Synchronisation &object;
  const uint32_t &word;
  uint32_t taken;   // what it has then
  unsigned threads; // that may want it
  // By somebody, or somebody is about to.
  bool is_taken() const {
    return __atomic_load_n(&word, __ATOMIC_RELAXED) == taken ||
           objects.is_locked(reinterpret_cast<uintptr_t>(&word));
  }
};

// Before an exchange that takes it, and without the object's lock.
void let_others_go_on(const WantedLock &lock);

inline bool are_others_at_it(const Synchronisation &object) {
  constexpr uint32_t few = 16; // it may be no lock
  return object.turns.count.load(std::memory_order_relaxed) >= few &&
         object.turns.thread.load(std::memory_order_relaxed) != thread_slot();
}

// Of a thread: the object that it was at last, so that its next group need not look for it.
class LastObject {
public:
  static LastObject &own() {
    thread_local LastObject last;
    return last;
  }
  Synchronisation *find(uint64_t launch, uintptr_t address) const { // null: it was another one
    return launch_ == launch && address_ == address ? object_ : nullptr;
  }
  void note(uint64_t launch, uintptr_t address, Synchronisation &object) {
    launch_ = launch;
    address_ = address;
    object_ = &object;
  }

private:
  uint64_t launch_ = 0; // LaunchCheck's number; 0: none
  uintptr_t address_ = 0;
  Synchronisation *object_ = nullptr;
};

} // namespace lockstep::runtime
