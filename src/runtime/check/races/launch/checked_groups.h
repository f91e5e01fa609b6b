// The CheckedGroup objects of a launch's running work-groups. Workers take and return them often,
// so that free ones are kept per thread.
#pragma once

#include "platform/linux/short_lock.h"
#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/launch/checked_group.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep::runtime {

class CheckedGroups {
public:
  CheckedGroup &take(); // cleared; throws std::bad_alloc
  void give_back(CheckedGroup &group) noexcept;
  std::size_t count() const { return all_.size(); } // requires that no thread takes any meanwhile

private:
  struct alignas(separate_bytes) Slot {
    ShortLock lock;
    std::atomic<CheckedGroup *> first = nullptr; // list by CheckedGroup::next_free
    CheckedGroup *take();
  };
  CheckedGroup &make();

  std::array<Slot, thread_slots> slots_;
  ShortLock lock_;
  std::vector<std::unique_ptr<CheckedGroup>> all_; // as many as were in use at once
};

} // namespace lockstep::runtime
