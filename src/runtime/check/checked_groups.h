// The work-groups of a launch that run, as the checker knows them: each worker takes one for each group and gives it back
// soon, so that they are kept for the thread that had them.
#pragma once

#include "runtime/check/checked_group.h"
#include "runtime/check/short_lock.h"
#include "runtime/check/thread_slot.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep::runtime {

class CheckedGroups {
public:
  CheckedGroup &take(); // a clear one; throws std::bad_alloc
  void give_back(CheckedGroup &group) noexcept;
  std::size_t count() const { return all_.size(); } // while nobody takes any

private:
  struct alignas(separate_bytes) Slot {
    ShortLock lock;
    std::atomic<CheckedGroup *> first = nullptr; // by CheckedGroup::next_free
    CheckedGroup *take();
  };
  CheckedGroup &make();

  std::array<Slot, thread_slots> slots_;
  ShortLock lock_;
  std::vector<std::unique_ptr<CheckedGroup>> all_; // that ever were needed at once
};

} // namespace lockstep::runtime
