#include "runtime/check/races/clocks/lock_wait.h"

#include "platform/linux/futex.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace lockstep::runtime {

namespace {

constexpr unsigned looks = 8, busy = 3; // looks that find the lock taken
constexpr auto first_sleep = std::chrono::microseconds(20),
               longest_sleep = std::chrono::microseconds(160),
               longest_for_each = std::chrono::microseconds(80); // per thread that may contend

// No thread waits for a lock that is mostly free.
bool is_busy(const WantedLock &lock) {
  unsigned found = 0;
  for (unsigned look = 0; look != looks && found != busy; ++look) {
    found += lock.is_taken();
    for (unsigned i = 0; i != 3 + look % 3; ++i) // varies, to stay out of step with the owner
      spin_pause();
  }
  return found == busy;
}

} // namespace

// Sleeps instead of spinning, because the owner of the lock may need this CPU.
void let_others_go_on(const WantedLock &lock) {
  const auto end = std::chrono::steady_clock::now() + lock.threads * longest_for_each;
  for (auto sleep = first_sleep; is_busy(lock); sleep = std::min(2 * sleep, longest_sleep)) {
    if (std::chrono::steady_clock::now() > end)
      return;
    std::this_thread::sleep_for(sleep);
  }
}

} // namespace lockstep::runtime
