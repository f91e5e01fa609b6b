// What the checker knows of one work-group that runs: how far it is, and what its work-items know of other groups.
//
// A group has a stamp, which grows at each barrier and at each release. An access is known by its stamp and its
// work-item, so "before the last barrier" and "before the release that I have acquired" are comparisons. Global and
// local memory have an order each (OpenCL API 3.3.4): a barrier moves the base of those that its flags name.
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/clock.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lockstep::runtime {

inline constexpr unsigned checked_global = 0, checked_local = 1; // of what has two elements

struct ItemClocks {
  std::array<Clock, 2> known{}; // with what its group knows; unless has_known, only that
  std::array<bool, 2> has_known{};
  // Read by relaxed atomics, for a fence to acquire: from releases for the device; for this group.
  std::array<Clock, 2> pending{}, pending_in_group{};
  // As of its last release fence, for a relaxed atomic to release: of one for the device; of any.
  std::array<Clock, 2> fenced{}, fenced_in_group{};
};

// What an acquire found, for reports.
struct Acquired {
  uint16_t place = 0; // CheckPlaces
  uintptr_t address = 0;
  uint64_t releases = 0;   // that it saw, at least
  uint32_t from_group = 0; // the last one
};

// A sub-group's barrier is an edge between its lanes, for both memories.
struct SubGroupBarrier {
  Stamp passed = 0; // stamps below it are ordered; 0: none was passed
};

// Who got to a barrier or another group operation.
struct Arrival {
  uint16_t place = 0; // CheckPlaces; 0: nobody got anywhere
  uint64_t intervals = 0, items = 0;
};

struct ToldCopy {
  uint16_t place = 0;
  uint64_t intervals = 0;
  uintptr_t address = 0;
  compiler::CopyShape shape{};
};

struct CheckedGroup {
  uint64_t launch = 0; // LaunchCheck's number; 0: it is nobody's
  uint32_t number = 0;
  std::array<uint64_t, 3> id{};
  Stamp now = 0, first = 0;
  std::array<Stamp, 2> base{}; // stamps below it are ordered before all that comes
  uint64_t intervals = 0;
  std::array<Clock, 2> known{};
  std::array<Clock, 2> fenced{}; // by a barrier that is a fence for the device
  std::unordered_map<uint32_t, ItemClocks> items;
  Acquired acquired;
  std::vector<SubGroupBarrier> sub_group_barriers; // by item; the last ones
  uintptr_t local_memory = 0;
  uint64_t size = 0;                           // work-items
  Stamp copies_awaited = 0, copies_parted = 0; // of copies with stamps below: by a wait, by a fence
  std::vector<ToldCopy> copies;                // under way
  Arrival arrival;
  bool has_parted = false; // that was reported: what comes is no news

  // For another one; not what takes memory of its own, if it is empty.
  void clear();
  bool has_clocks() const {
    auto is_empty = [](const std::array<Clock, 2> &clocks) {
      return clocks[0].is_empty() && clocks[1].is_empty();
    };
    return !items.empty() || !is_empty(known) || !is_empty(fenced);
  }

  // A copy knows what the group did at its last barrier, for it waits for no work-item.
  const Clock &known_by(uint32_t item, unsigned memory) const {
    if (is_copy(item) && size == 1)
      item = 0;
    if (!items.empty())
      if (auto found = items.find(item); found != items.end() && found->second.has_known[memory])
        return found->second.known[memory];
    return known[memory];
  }
  bool has_met(const SubGroupBarrier &mine, uint32_t item) const {
    return mine.passed && item < sub_group_barriers.size() &&
           sub_group_barriers[item].passed == mine.passed;
  }
  // Its own clock, which begins as the group's.
  Clock &clock_of(ItemClocks &item, unsigned memory) {
    if (!item.has_known[memory]) {
      item.known[memory] = known[memory];
      item.has_known[memory] = true;
    }
    return item.known[memory];
  }
};

inline void CheckedGroup::clear() {
  if (has_clocks()) {
    *this = {};
    return;
  }
  launch = intervals = 0;
  base = {};
  acquired = {};
  sub_group_barriers.clear();
  copies_awaited = copies_parted = 0;
  copies.clear();
  arrival = {};
  has_parted = false;
}

} // namespace lockstep::runtime
