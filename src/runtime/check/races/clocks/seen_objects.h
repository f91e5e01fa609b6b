// What a thread last saw of shared synchronization objects. If all groups of a launch wait for one
// word, they can read it without taking the object's lock. A seen state is valid until the word or
// the object's clock changes.
#pragma once

#include "runtime/check/races/clocks/synchronization.h"

#include <array>
#include <cstdint>
#include <utility>

namespace lockstep::runtime {

// While it exists, the object and its word are being changed. Requires the object's lock.
class ObjectChange {
public:
  // `is_alone`: no other thread looks at the object.
  ObjectChange(Synchronization &object, bool is_alone)
      : changes_(is_alone || !object.is_watched ? nullptr : &object.changes) {
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
  // Sequence counter. A release changes the word, so that a reader of the new word also finds this
  // changed.
  std::atomic<uint32_t> *const changes_;
};

struct SeenObject {
  uint64_t launch = 0; // LaunchCheck's number; 0: none
  uintptr_t address = 0;
  const Synchronization *object = nullptr;
  uint32_t changes = 0;
  Synchronization::Carried device{};
  AtomicWrites writes{};

  // Reads the word. Returns false if the object has changed since it was seen.
  bool look(const uint32_t &word, uint64_t &was) const {
    if (object->changes.load(std::memory_order_acquire) != changes)
      return false;
    was = __atomic_load_n(&word, __ATOMIC_SEQ_CST);
    return object->changes.load(std::memory_order_relaxed) == changes;
  }
};

class SeenObjects { // of one thread
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
  // Requires the object's lock.
  void note(uint64_t launch, uintptr_t address, Synchronization &object) {
    object.is_watched = true;
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
