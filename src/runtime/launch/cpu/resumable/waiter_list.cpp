#include "runtime/launch/cpu/resumable/waiter_list.h"

#include "platform/linux/futex.h"

#include <algorithm>
#include <array>
#include <bit>
#include <sched.h>

namespace lockstep::runtime {

namespace {

constexpr std::size_t farthest_neighbor = 64;
constexpr std::size_t least_holes = 256;  // minimum for a compaction
constexpr unsigned most_vain_sweeps = 16; // before an index is dropped
constexpr std::size_t most_listed = 64;   // per group

uint64_t key_of(const WaiterList::News &news) {
  uint64_t key = reinterpret_cast<uintptr_t>(news.address) * 0x9e3779b97f4a7c15u;
  if (news.is_of_value)
    key = (key ^ key >> 32 ^ (news.value + 1)) * 0xd6e8feb86659fd93u;
  return key | 1;
}

WaiterList::News news_for(const PureWait &wait) {
  const bool is_of_value = wait.ends_by == compiler::EndsBy::equal && wait.size >= 4;
  return {wait.address, is_of_value, is_of_value ? wait.value : 0};
}

bool are_ordered(const PureWait &a, const PureWait &b) {
  return a.size != 0 && a.address == b.address && a.ends_by == compiler::EndsBy::equal &&
         b.ends_by == compiler::EndsBy::equal && a.value != b.value;
}

} // namespace

// Held while a few entries are copied. If the owner is descheduled, waiters yield.
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
  for (std::size_t i = 0; i < waiters.size(); ++i)
    list(waiters[i], entries_.size() + i);
  entries_.insert(entries_.end(), waiters.begin(), waiters.end());
  size_.store(size() + waiters.size(), std::memory_order_relaxed);
}

// Entries that are taken out lose their position, so they are put back at the end.
void WaiterList::compact() {
  std::erase_if(entries_, [](const Waiter &waiter) { return !waiter.group; });
  ++version_;
  if (!index_.empty())
    build_index();
}

// ---- the index

// Adding a group to the index takes some time for each of its values; a lookup costs as much as a
// few comparisons.
bool WaiterList::is_index_faster(std::size_t groups, uint64_t values_each, std::size_t advances) {
  constexpr std::size_t least_values = 128, few_of_single = 16, few_of_several = 4;
  return groups * values_each >= least_values &&
         advances < groups / (values_each == 1 ? few_of_single : few_of_several);
}

void WaiterList::make_index() {
  Lock lock(*this);
  if (index_.empty())
    build_index();
}

void WaiterList::build_index() {
  std::size_t wanted = 0;
  for (const Waiter &waiter : entries_)
    if (waiter.group)
      wanted += waiter.wait.size ? 1 : std::min<std::size_t>(waiter.group->live, most_listed);
  listed_ = vain_sweeps_ = 0;
  index_.assign(std::bit_ceil(2 * wanted + 64), {});
  for (std::size_t place = 0; place < entries_.size(); ++place)
    list(entries_[place], place);
}

void WaiterList::list(const Waiter &waiter, std::size_t place) {
  if (index_.empty() || !waiter.group)
    return;
  if (waiter.wait.size) {
    list(waiter.wait, place);
    return;
  }
  std::array<PureWait, most_listed> waits;
  const std::size_t count = get_pure_waits(*waiter.group, waits);
  for (std::size_t i = 0; i < count; ++i)
    list(waits[i], place);
}

// Outdated entries also use space, until the index is full and is rebuilt.
void WaiterList::list(const PureWait &wait, std::size_t place) {
  if (!has_room())
    return;
  const News news = news_for(wait);
  const uint64_t key = key_of(news);
  Listed &listed = index_[slot_of(key)];
  listed_ += !listed.key;
  listed = {key, place};
  if (news.is_of_value)
    lists_values_.store(true, std::memory_order_relaxed);
}

// The slot of the key, or the free slot for it.
std::size_t WaiterList::slot_of(uint64_t key) const {
  for (std::size_t slot = key >> 20;; ++slot) {
    slot &= index_.size() - 1;
    if (!index_[slot].key || index_[slot].key == key)
      return slot;
  }
}

WaiterList::Block WaiterList::waiting_for(const News &news, Waiter &to) {
  Lock lock(*this);
  if (index_.empty())
    return {};
  if (!has_room())
    build_index();
  const Listed &listed = index_[slot_of(key_of(news))];
  if (!listed.key || listed.place >= entries_.size())
    return {};
  const Waiter &waiter = entries_[listed.place];
  if (!waiter.group || (waiter.wait.size && waiter.wait.address != news.address))
    return {};
  vain_sweeps_ = 0;
  to = waiter;
  return {listed.place, 1, version_};
}

// ---- sweeps

void WaiterList::begin_sweep(std::size_t from) {
  Lock lock(*this);
  if (const std::size_t holes = entries_.size() - size(); holes > least_holes + size() / 4)
    compact();
  if (!index_.empty() && ++vain_sweeps_ > most_vain_sweeps)
    index_ = {};
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

WaiterList::Block WaiterList::neighbor(std::size_t place, int step, Waiter &to) {
  Lock lock(*this);
  for (std::size_t i = 0; i < farthest_neighbor; ++i) {
    place += std::size_t(step); // wraps around before the first entry
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
  const bool is_indexed = !index_.empty();
  std::size_t put = 0;
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    if (!waiters[i].group)
      continue;
    std::size_t place = block.first + begin + i;
    if (version_ == block.version) {
      entries_[place] = waiters[i];
    } else {
      place = entries_.size();
      entries_.push_back(waiters[i]);
    }
    if (is_indexed)
      list(waiters[i], place);
    ++put;
  }
  size_.store(size() + put, std::memory_order_relaxed);
}

std::vector<Waiter> WaiterList::take_last(std::size_t most, bool only_parallel) {
  Lock lock(*this);
  std::vector<Waiter> taken;
  taken.reserve(std::min(most, size()));
  for (std::size_t i = entries_.size(); i-- > 0 && taken.size() < most;)
    if (entries_[i].group) {
      if (only_parallel && taken.size() == 1 && are_ordered(entries_[i].wait, taken[0].wait))
        return {};
      taken.push_back(entries_[i]);
    }
  std::size_t left = taken.size();
  for (std::size_t i = entries_.size(); left > 0;)
    if (entries_[--i].group) {
      entries_[i].group = nullptr;
      --left;
    }
  size_.store(size() - taken.size(), std::memory_order_relaxed);
  std::ranges::reverse(taken);
  return taken;
}

} // namespace lockstep::runtime
