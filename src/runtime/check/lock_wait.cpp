#include "runtime/check/lock_wait.h"

#include "runtime/graph/command.h"
#include "runtime/graph/futex.h"

#include <algorithm>
#include <utility>

namespace lockstep::runtime {

namespace {

constexpr unsigned looks = 8, busy = 3;                           // so many that find it taken
constexpr uint64_t first_wait = 4'000, longest_for_each = 40'000; // nanoseconds; of threads
constexpr uint64_t between_turns = 8'000;

// Nobody waits for a lock that is mostly free.
bool is_busy(const WantedLock &lock) {
  unsigned found = 0;
  for (unsigned look = 0; look != looks && found != busy; ++look) {
    found += lock.is_taken();
    for (unsigned i = 0; i != 3 + look % 3; ++i) // not in step with who has it
      spin_pause();
  }
  return found == busy;
}

} // namespace

void let_others_go_on(const WantedLock &lock) {
  thread_local uint64_t wait = 0;
  if (!is_busy(lock)) {
    wait /= 2;
    return;
  }
  wait = std::clamp(2 * wait, first_wait, lock.threads * longest_for_each);
  uint32_t turns = lock.object.turns.count.load(std::memory_order_relaxed);
  const uint64_t end = now_nanoseconds() + wait;
  for (uint64_t now = 0, last_turn = end - wait; now < end; now = now_nanoseconds()) {
    for (int i = 0; i != 32; ++i)
      spin_pause();
    if (turns != std::exchange(turns, lock.object.turns.count.load(std::memory_order_relaxed)))
      last_turn = now;
    else if (now > last_turn + between_turns)
      return;
  }
}

} // namespace lockstep::runtime
