#include "runtime/launch/cpu/resumable/lock_queues.h"

#include "platform/linux/futex.h"
#include "runtime/graph/command.h"

#include <algorithm>
#include <sched.h>

namespace lockstep::runtime {
namespace {

constexpr uint64_t longest_wait = 100'000; // nanoseconds
constexpr int spins_between_looks = 64, spins_before_yields = 1024;

constexpr uint64_t first_pause = 1'000'000, longest_pause = 256'000'000; // nanoseconds

} // namespace

LockQueues::LockQueues(unsigned workers)
    : places_(std::make_unique<Place[]>(workers)), next_pause_(first_pause) {}

bool LockQueues::pause() const {
  const uint64_t until = paused_until_.load(std::memory_order_relaxed);
  return until != 0 && now_nanoseconds() < until;
}

void LockQueues::begin_pause() {
  if (pause())
    return;
  const uint64_t length = next_pause_.load(std::memory_order_relaxed);
  next_pause_.store(std::min(2 * length, longest_pause), std::memory_order_relaxed);
  paused_until_.store(now_nanoseconds() + length, std::memory_order_relaxed);
}

bool LockQueues::begin(unsigned worker, const void *lock, uint64_t &waited) {
  Place &place = places_[worker];
  if (place.state.load(std::memory_order_acquire) != unused)
    return false; // it has left a queue, and has not been passed over yet
  const auto number = reinterpret_cast<uintptr_t>(lock) * 0x9e3779b97f4a7c15u >> 32;
  std::atomic<Place *> &last = queues_[number % most_queues].last;
  place.last = &last;
  place.next.store(nullptr, std::memory_order_relaxed);
  place.state.store(waits, std::memory_order_relaxed);
  Place *const before = last.exchange(&place, std::memory_order_acq_rel);
  if (!before) {
    place.state.store(is_first, std::memory_order_relaxed);
    return true;
  }
  before->next.store(&place, std::memory_order_release);
  const uint64_t begin = now_nanoseconds();
  const bool is_granted = wait_in(place);
  waited += now_nanoseconds() - begin;
  if (!is_granted)
    begin_pause();
  return is_granted;
}

bool LockQueues::wait_in(Place &place) {
  const uint64_t begin = now_nanoseconds();
  for (int spins = 1; place.state.load(std::memory_order_acquire) != is_first; ++spins) {
    if (spins < spins_before_yields)
      spin_pause();
    else
      sched_yield();
    if (spins % spins_between_looks == 0 && now_nanoseconds() - begin > longest_wait) {
      uint32_t state = waits;
      return !place.state.compare_exchange_strong(state, has_left, std::memory_order_acq_rel,
                                                  std::memory_order_acquire);
    }
  }
  return true;
}

// The next worker that still waits is the first one now.
void LockQueues::end(unsigned worker) {
  for (Place *place = &places_[worker];;) {
    Place *next = place->next.load(std::memory_order_acquire);
    if (Place *self = place; !next) {
      if (place->last->compare_exchange_strong(self, nullptr, std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
        place->state.store(unused, std::memory_order_release);
        return;
      }
      while (!(next = place->next.load(std::memory_order_acquire))) // it is about to be stored
        spin_pause();
    }
    place->state.store(unused, std::memory_order_release);
    uint32_t state = waits;
    if (next->state.compare_exchange_strong(state, is_first, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
      return;
    place = next; // it has left
  }
}

} // namespace lockstep::runtime
