#include "runtime/launch/cpu/waiter_list.h"

#include "runtime/graph/futex.h"

#include <algorithm>
#include <sched.h>

namespace lockstep::runtime {

namespace {

constexpr std::size_t farthest_neighbour = 64;
constexpr std::size_t least_holes = 256; // worth a compaction

} // namespace

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
  entries_.insert(entries_.end(), waiters.begin(), waiters.end());
  size_.store(size() + waiters.size(), std::memory_order_relaxed);
}

// Entries that are being asked have no place afterwards, so they come back at the end.
void WaiterList::compact() {
  std::erase_if(entries_, [](const Waiter &waiter) { return !waiter.group; });
  ++version_;
}

void WaiterList::begin_sweep(std::size_t from) {
  Lock lock(*this);
  if (const std::size_t holes = entries_.size() - size(); holes > least_holes + size() / 4)
    compact();
  sweep_left_ = entries_.size();
  sweep_next_ = sweep_left_ ? from % sweep_left_ : 0;
}

WaiterList::Block WaiterList::next(std::span<Waiter> to) {
  Lock lock(*this);
  if (sweep_next_ >= entries_.size())
    sweep_next_ = 0;
  const std::size_t count = std::min({to.size(), sweep_left_, entries_.size() - sweep_next_});
  const Block block{sweep_next_, count, version_};
  std::copy_n(entries_.begin() + std::ptrdiff_t(block.first), count, to.begin());
  sweep_next_ += count;
  sweep_left_ = count ? sweep_left_ - count : 0;
  return block;
}

WaiterList::Block WaiterList::neighbour(std::size_t place, int step, Waiter &to) {
  Lock lock(*this);
  for (std::size_t i = 0; i < farthest_neighbour; ++i) {
    place += std::size_t(step); // wraps around before the first
    if (place >= entries_.size())
      break;
    if (entries_[place].group) {
      to = entries_[place];
      return {place, 1, version_};
    }
  }
  return {};
}

void WaiterList::take(const Block &block, std::size_t begin, std::span<Waiter> seen) {
  Lock lock(*this);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    Waiter *entry = version_ == block.version ? &entries_[block.first + begin + i] : nullptr;
    if (!entry || entry->group != seen[i].group) {
      seen[i].group = nullptr;
      continue;
    }
    taken += entry->group != nullptr;
    entry->group = nullptr;
  }
  size_.store(size() - taken, std::memory_order_relaxed);
}

void WaiterList::put_back(const Block &block, std::size_t begin, std::span<const Waiter> waiters) {
  Lock lock(*this);
  std::size_t put = 0;
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    if (!waiters[i].group)
      continue;
    if (version_ == block.version)
      entries_[block.first + begin + i] = waiters[i];
    else
      entries_.push_back(waiters[i]);
    ++put;
  }
  size_.store(size() + put, std::memory_order_relaxed);
}

} // namespace lockstep::runtime
