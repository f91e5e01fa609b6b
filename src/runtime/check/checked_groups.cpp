#include "runtime/check/checked_groups.h"

#include <mutex>
#include <utility>

namespace lockstep::runtime {

CheckedGroup *CheckedGroups::Slot::take() {
  std::lock_guard guard(lock);
  if (!first)
    return nullptr;
  CheckedGroup *group = first;
  first = std::exchange(group->next_free, nullptr);
  if (first)
    first->fetch(); // the next one is mostly taken soon
  return group;
}

CheckedGroup &CheckedGroups::take() {
  const unsigned own = thread_slot();
  if (CheckedGroup *group = slots_[own].take())
    return *group;
  for (Slot &each : slots_) // another thread may have ended what this one has begun
    if (CheckedGroup *group = each.take())
      return *group;
  return make();
}

CheckedGroup &CheckedGroups::make() {
  std::lock_guard guard(lock_);
  return *all_.emplace_back(std::make_unique<CheckedGroup>());
}

void CheckedGroups::give_back(CheckedGroup &group) noexcept {
  Slot &slot = slots_[thread_slot()];
  std::lock_guard guard(slot.lock);
  group.next_free = slot.first;
  slot.first = &group;
}

} // namespace lockstep::runtime
