#include "runtime/threads/spin_place.h"

#include "platform/linux/fork.h"

#include <array>
#include <sched.h>

namespace lockstep::runtime {
namespace {

struct alignas(64) Slot {
  std::atomic<bool> taken{false};
};
constinit std::array<Slot, 256> slots; // by CPU number; larger machines share slots, which is safe

const ForkHook reset([] { // spinning threads of the parent do not exist in a child
  for (Slot &slot : slots)
    slot.taken = false;
});

} // namespace

SpinPlace::SpinPlace() {
  int cpu = sched_getcpu(); // reads thread-local memory that the kernel updates
  Slot &slot = slots[unsigned(cpu < 0 ? 0 : cpu) % slots.size()];
  if (!slot.taken.exchange(true, std::memory_order_relaxed))
    slot_ = &slot.taken;
}

SpinPlace::~SpinPlace() {
  if (slot_)
    slot_->store(false, std::memory_order_relaxed);
}

} // namespace lockstep::runtime
