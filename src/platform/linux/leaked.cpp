#include "platform/linux/leaked.h"

#include <chrono>
#include <thread>

namespace lockstep {
namespace {

constinit std::atomic<LeakedSlot *> all_slots{nullptr}; // grows only

} // namespace

LeakedSlot::Lock::Lock(LeakedSlot &slot) : slot_(slot) {
  const unsigned self = 1 + fork_generation();
  unsigned owner = 0;
  while (!slot_.locked_by_.compare_exchange_weak(owner, self, std::memory_order_acquire)) {
    if (owner == 0 || owner != self) // free, or left locked by a thread of a parent process
      continue;
    owner = 0;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// Called under the slot's lock. A slot is complete before it is in the list, so a child always
// finds a consistent list. A parent that was interrupted here may have added the slot already.
void LeakedSlot::list() {
  LeakedSlot *first = all_slots.load(std::memory_order_acquire);
  for (const LeakedSlot *slot = first; slot; slot = slot->next_)
    if (slot == this)
      return;
  next_ = first;
  while (!all_slots.compare_exchange_weak(next_, this, std::memory_order_release,
                                          std::memory_order_relaxed))
    ;
}

void LeakedSlot::after_fork() {
  for (LeakedSlot *slot = all_slots.load(std::memory_order_acquire); slot; slot = slot->next_)
    if (slot->after_fork_ == AfterFork::make_again)
      slot->object_.store(nullptr, std::memory_order_relaxed);
}

} // namespace lockstep
