// What a thread has last seen of objects that others look at, too. Where a whole launch waits for one word, each of its groups looks
// at it, and they need not wait for each other to do so: what a thread has seen is the same until the word or what it carries
// is changed.
#pragma once

#include "runtime/check/synchronisation.h"

#include <array>
#include <cstdint>
#include <utility>

namespace lockstep::runtime {

// For its time, the object and its word are changed; with its lock.
class ObjectChange {
public:
  // `is_alone`: no other thread looks at it.
  ObjectChange(Synchronisation &object, bool is_alone)
      : changes_(is_alone ? nullptr : &object.changes) {
    if (changes_)
      changes_->store(changes_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  ~ObjectChange() {
    if (changes_)
      changes_->store(changes_->load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  ObjectChange(const ObjectChange &) = delete;
  ObjectChange &operator=(const ObjectChange &) = delete;

private:
  std::atomic<uint32_t> *const
      changes_; // the word is changed by a release, so that whoever reads it finds this changed
};

struct SeenObject {
  uint64_t launch = 0; // LaunchCheck's number; 0: none
  uintptr_t address = 0;
  const Synchronisation *object = nullptr;
  uint32_t changes = 0;
  Synchronisation::Carried device{};
  AtomicWrites writes{};

  // The word, if the object is as it was seen.
  bool look(const uint32_t &word, uint64_t &was) const {
    if (object->changes.load(std::memory_order_acquire) != changes)
      return false;
    was = __atomic_load_n(&word, __ATOMIC_SEQ_CST);
    return object->changes.load(std::memory_order_relaxed) == changes;
  }
};

class SeenObjects { // of a thread
public:
  static SeenObjects &own() {
    thread_local SeenObjects all;
    return all;
  }
  const SeenObject *find(uint64_t launch, uintptr_t address) const {
    for (const SeenObject &each : seen_)
      if (each.launch == launch && each.address == address)
        return &each;
    return nullptr;
  }
  // With the object's lock.
  void note(uint64_t launch, uintptr_t address, const Synchronisation &object) {
    SeenObject &seen = place_for(launch, address);
    seen = {.launch = launch,
            .address = address,
            .object = &object,
            .changes = object.changes.load(std::memory_order_relaxed),
            .device = object.device,
            .writes = object.writes};
  }

private:
  SeenObject &place_for(uint64_t launch, uintptr_t address) {
    for (SeenObject &each : seen_)
      if (each.launch == launch && each.address == address)
        return each;
    next_ = (next_ + 1) % seen_.size();
    return seen_[next_];
  }
  std::array<SeenObject, 2> seen_{};
  std::size_t next_ = 0;
};

} // namespace lockstep::runtime
