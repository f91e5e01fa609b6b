// Work-groups that wait, first in first out: the list of one worker in one launch.
//
// An entry holds what its group waits for, if that is one value in memory. So to ask a group in
// vain is to compare that value, without touching the group's own memory: a million groups at a
// barrier are asked by reading 32 MB in order.
#pragma once

#include "runtime/launch/cpu/waiting_group.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct Waiter {
  PureWait wait;
  WaitingGroup *group = nullptr;
};

class WaiterList {
public:
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  void put(std::span<const Waiter> waiters); // at the end
  std::size_t take(std::span<Waiter> to);    // the first ones
  // Only while nobody puts or takes.
  template <class Function> void for_each(Function function) const {
    for (std::size_t i = 0; i < size(); ++i)
      function(ring_[(first_ + i) & (ring_.size() - 1)]);
  }

private:
  class Lock;

  std::atomic<bool> is_locked_{false};
  std::atomic<std::size_t> size_{0};
  std::size_t first_ = 0;
  std::vector<Waiter> ring_; // a power of two of places
};

} // namespace lockstep::runtime
