#include "platform/linux/thread_slots.h"

#include <new>
#include <pthread.h>

namespace lockstep {

// Async-signal-safe: reads a register of the thread.
static uintptr_t this_thread() {
  return static_cast<uintptr_t>(pthread_self());
}

ThreadSlots::Slot *ThreadSlots::find_slot() const {
  const uintptr_t self = this_thread();
  for (Block *block = &first_; block; block = block->next.load(std::memory_order_acquire))
    for (Slot &slot : block->slots)
      if (slot.thread.load(std::memory_order_relaxed) == self)
        return &slot;
  return nullptr;
}

ThreadSlots::Slot *ThreadSlots::take_slot() {
  for (Block *block = &first_;;) {
    for (Slot &slot : block->slots) {
      uintptr_t free = 0;
      if (slot.thread.load(std::memory_order_relaxed) == 0 &&
          slot.thread.compare_exchange_strong(free, this_thread(), std::memory_order_acquire))
        return &slot;
    }
    Block *next = block->next.load(std::memory_order_acquire);
    if (!next) {
      auto *made = new (std::nothrow) Block;
      if (!made)
        return nullptr;
      if (block->next.compare_exchange_strong(next, made, std::memory_order_acq_rel))
        next = made;
      else
        delete made;
    }
    block = next;
  }
}

void *ThreadSlots::find() const {
  const Slot *slot = find_slot();
  return slot ? slot->pointer.load(std::memory_order_relaxed) : nullptr;
}

bool ThreadSlots::set(void *pointer) {
  Slot *slot = find_slot();
  if (!slot && !pointer)
    return true;
  if (!slot && !(slot = take_slot()))
    return false;
  slot->pointer.store(pointer, std::memory_order_relaxed);
  if (!pointer)
    slot->thread.store(0, std::memory_order_release);
  return true;
}

} // namespace lockstep
