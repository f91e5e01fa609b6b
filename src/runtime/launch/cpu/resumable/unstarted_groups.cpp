#include "runtime/launch/cpu/resumable/unstarted_groups.h"

#include "platform/linux/futex.h"

#include <algorithm>
#include <bit>
#include <sched.h>

namespace lockstep::runtime {
namespace {

// Many groups wait if there are more than some_waiting, and more than one of few_of.
constexpr uint64_t some_waiting = 2, few_of = 64;
constexpr uint64_t forgets_after = 256; // after so many groups, the counts are halved
constexpr uint64_t worth_rounding = 64;

} // namespace

// Held for a few instructions. If the owner is descheduled, waiters yield.
class UnstartedGroups::Claim::Lock {
public:
  explicit Lock(Claim &claim) : claim_(claim) {
    for (int tries = 0; claim_.is_locked_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries < 64)
        spin_pause();
      else
        sched_yield();
    }
  }
  ~Lock() { claim_.is_locked_.store(false, std::memory_order_release); }

private:
  Claim &claim_;
};

void UnstartedGroups::Claim::set(const Range &range) {
  Lock lock(*this);
  begin_.store(range.begin, std::memory_order_relaxed);
  end_.store(range.end, std::memory_order_relaxed);
}

UnstartedGroups::Range UnstartedGroups::Claim::take_front(uint64_t most) {
  Lock lock(*this);
  const uint64_t begin = begin_.load(std::memory_order_relaxed);
  const uint64_t end = begin + std::min(most, size());
  begin_.store(end, std::memory_order_relaxed);
  return {begin, end};
}

UnstartedGroups::Range UnstartedGroups::Claim::take_back_half() {
  Lock lock(*this);
  const uint64_t end = end_.load(std::memory_order_relaxed);
  const uint64_t half = (size() + 1) / 2;
  uint64_t begin = end - half;
  if (half >= worth_rounding)
    begin += -begin % std::bit_floor(half / 2);
  end_.store(begin, std::memory_order_relaxed);
  return {begin, end};
}

UnstartedGroups::UnstartedGroups(uint64_t groups, unsigned workers)
    : groups_(groups), workers_(workers), claims_(std::make_unique<Claim[]>(workers)) {}

bool UnstartedGroups::any() const {
  return next_.load(std::memory_order_relaxed) < groups_ ||
         returned_groups_.load(std::memory_order_relaxed) > 0 ||
         std::any_of(claims_.get(), claims_.get() + workers_,
                     [](const Claim &claim) { return claim.size() > 0; });
}

UnstartedGroups::Range UnstartedGroups::take(unsigned worker, uint64_t most) {
  Claim &own = claims_[worker];
  if (own.size() > most && many_workers_wait())
    give_back(worker);
  if (own.size() > 0)
    if (const Range taken = own.take_front(most); taken.size() > 0)
      return taken;
  const Range claimed = claim(most);
  const uint64_t end = claimed.begin + std::min(most, claimed.size());
  if (end < claimed.end)
    own.set({end, claimed.end});
  return {claimed.begin, end};
}

void UnstartedGroups::note(unsigned worker, uint64_t started, uint64_t waiting) {
  Claim &own = claims_[worker];
  own.started += started;
  own.waiting += waiting;
  const bool many_wait = own.waiting > some_waiting + own.started / few_of;
  if (many_wait != own.many_wait) {
    own.many_wait = many_wait;
    workers_whose_groups_wait_.fetch_add(many_wait ? 1 : -1u, std::memory_order_relaxed);
  }
  if (own.started >= forgets_after) {
    own.started /= 2;
    own.waiting /= 2;
  }
}

void UnstartedGroups::give_back(unsigned worker) {
  put_back(claims_[worker].take_front(groups_));
}

void UnstartedGroups::put_back(const Range &range) {
  if (range.size() == 0)
    return;
  std::lock_guard lock(mutex_);
  returned_.push_back(range);
  returned_groups_.fetch_add(range.size(), std::memory_order_relaxed);
}

UnstartedGroups::Range UnstartedGroups::claim(uint64_t few) {
  // Does not depend on the number of remaining groups: smaller claims would be closer to each
  // other.
  uint64_t size = std::max(groups_ / workers_, few);
  if (many_workers_wait())
    size = few;
  if (const Range range = claim_returned(size); range.size() > 0)
    return range;
  if (const Range range = claim_next(size); range.size() > 0)
    return range;
  return take_of_others();
}

UnstartedGroups::Range UnstartedGroups::claim_returned(uint64_t size) {
  if (returned_groups_.load(std::memory_order_relaxed) == 0)
    return {};
  std::lock_guard lock(mutex_);
  const auto first = std::min_element(returned_.begin(), returned_.end(),
                                      [](auto &a, auto &b) { return a.begin < b.begin; });
  if (first == returned_.end())
    return {};
  const Range range{first->begin, first->begin + std::min(size, first->size())};
  first->begin = range.end;
  if (first->size() == 0)
    returned_.erase(first);
  returned_groups_.fetch_sub(range.size(), std::memory_order_relaxed);
  return range;
}

UnstartedGroups::Range UnstartedGroups::claim_next(uint64_t size) {
  uint64_t begin = next_.load(std::memory_order_relaxed), end = 0;
  do {
    if (begin >= groups_)
      return {};
    end = begin + std::min(size, groups_ - begin);
    if (size >= worth_rounding && end < groups_)
      end -= end % std::bit_floor(size / 4);
  } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
  return {begin, end};
}

UnstartedGroups::Range UnstartedGroups::take_of_others() {
  for (;;) {
    Claim *const end = claims_.get() + workers_;
    Claim *const largest =
        std::max_element(claims_.get(), end, [](auto &a, auto &b) { return a.size() < b.size(); });
    if (largest->size() == 0)
      return {};
    if (const Range range = largest->take_back_half(); range.size() > 0)
      return range;
  }
}

} // namespace lockstep::runtime
