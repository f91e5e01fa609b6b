// Stores one pointer for each of several threads, for signal handlers to look up.
//
// A thread_local variable of a shared library is unsuitable: its first use in a thread may
// allocate, and the handler may have interrupted the allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep {

class ThreadSlots {
public:
  constexpr ThreadSlots() = default;
  ThreadSlots(const ThreadSlots &) = delete;
  ThreadSlots &operator=(const ThreadSlots &) = delete;

  // The pointer of this thread; null if it has none. Async-signal-safe.
  void *find() const;
  // Sets the pointer of this thread. Null removes it; a thread must do so before it ends. False: no
  // memory, and nothing has changed.
  [[nodiscard]] bool set(void *pointer);

private:
  struct Slot {
    std::atomic<uintptr_t> thread{0}; // 0: free
    std::atomic<void *> pointer{nullptr};
  };
  struct Block {
    static constexpr std::size_t size = 128;
    Slot slots[size];
    std::atomic<Block *> next{nullptr};
  };
  Slot *find_slot() const;
  Slot *take_slot();

  mutable Block first_;
};

} // namespace lockstep
