#include "runtime/check/races/launch/checked_groups.h"

#include <mutex>
#include <utility>

namespace lockstep::runtime {

CheckedGroup *CheckedGroups::Slot::take() {
  if (!first.load(std::memory_order_relaxed)) // do not touch the cache lines of other threads
    return nullptr;
  std::lock_guard guard(lock);
  CheckedGroup *group = first.load(std::memory_order_relaxed);
  if (!group)
    return nullptr;
  CheckedGroup *next = std::exchange(group->next_free, nullptr);
  first.store(next, std::memory_order_relaxed);
  if (next)
    next->fetch(); // usually taken soon
  return group;
}

CheckedGroup &CheckedGroups::take() {
  const unsigned own = thread_slot();
  if (CheckedGroup *group = slots_[own].take())
    return *group;
  for (Slot &each : slots_) // another thread may have returned a group that this one took
    if (CheckedGroup *group = each.take())
      return *group;
  return make();
}

CheckedGroup &CheckedGroups::make() {
  auto made = std::make_unique<CheckedGroup>();
  std::lock_guard guard(lock_);
  return *all_.emplace_back(std::move(made));
}

void CheckedGroups::give_back(CheckedGroup &group) noexcept {
  Slot &slot = slots_[thread_slot()];
  std::lock_guard guard(slot.lock);
  group.next_free = slot.first.load(std::memory_order_relaxed);
  slot.first.store(&group, std::memory_order_relaxed);
}

} // namespace lockstep::runtime
