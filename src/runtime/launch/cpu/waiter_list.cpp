#include "runtime/launch/cpu/waiter_list.h"

#include "runtime/graph/futex.h"

#include <algorithm>
#include <bit>
#include <sched.h>

namespace lockstep::runtime {

// Held for a copy of a few entries; a holder that lost its CPU is waited for by yielding.
class WaiterList::Lock {
public:
  explicit Lock(WaiterList &list) : list_(list) {
    for (int tries = 0; list_.is_locked_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries < 64)
        spin_pause();
      else
        sched_yield();
    }
  }
  ~Lock() { list_.is_locked_.store(false, std::memory_order_release); }

private:
  WaiterList &list_;
};

void WaiterList::put(std::span<const Waiter> waiters) {
  if (waiters.empty())
    return;
  Lock lock(*this);
  const std::size_t before = size(), after = before + waiters.size();
  if (after > ring_.size()) {
    std::vector<Waiter> larger(std::bit_ceil(std::max<std::size_t>(after, 64)));
    for (std::size_t i = 0; i < before; ++i)
      larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }
  for (std::size_t i = 0; i < waiters.size(); ++i)
    ring_[(first_ + before + i) & (ring_.size() - 1)] = waiters[i];
  size_.store(after, std::memory_order_relaxed);
}

std::size_t WaiterList::take(std::span<Waiter> to) {
  if (size() == 0)
    return 0;
  Lock lock(*this);
  const std::size_t count = std::min(to.size(), size());
  for (std::size_t i = 0; i < count; ++i)
    to[i] = ring_[(first_ + i) & (ring_.size() - 1)];
  if (count)
    first_ = (first_ + count) & (ring_.size() - 1);
  size_.store(size() - count, std::memory_order_relaxed);
  return count;
}

} // namespace lockstep::runtime
