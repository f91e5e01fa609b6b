// What an atomic object carries from who released to who acquires, and the access to it.
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/clock.h"
#include "runtime/check/fetch_to_write.h"
#include "runtime/check/thread_slot.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace lockstep::runtime {

// For reports: who has written an object or read it, the last ones.
struct AtomicWrite {
  uint16_t place = 0;   // CheckPlaces; 0: none
  uint16_t carries = 0; // for other groups, of global (1) and of local (2) memory
  uint32_t group = 0, item = 0, stamp = 0;
  std::array<uint32_t, 2> before{}; // the group's last barriers of each memory (CheckedGroup::base)
};
using AtomicWrites = std::array<AtomicWrite, 3>; // the last one first
struct AtomicRead {
  uint16_t place = 0;
  uint32_t item = 0, stamp = 0;
  uintptr_t address = 0;
  AtomicWrites writes{}; // which it could have seen
};
// By one group: the last ones of different places.
class AtomicReads {
public:
  static constexpr std::size_t most = 4;
  // Of one that is told of already, the last time counts.
  [[gnu::always_inline]] void note(uint16_t place, uint32_t item, uint32_t stamp, uintptr_t address,
                                   const AtomicWrites &writes) {
    if (reads_[last_].place != place || reads_[last_].address != address)
      last_ = place_for(place, address);
    AtomicRead &read = reads_[last_];
    read.place = place;
    read.item = item;
    read.stamp = stamp;
    read.address = address;
    read.writes = writes;
  }
  void clear() {
    for (AtomicRead &each : reads_)
      each.place = each.stamp = 0;
    last_ = 0;
  }
  const AtomicRead &last() const { return reads_[last_]; }
  std::array<AtomicRead, most> last_first() const;

private:
  std::size_t place_for(uint16_t place, uintptr_t address) const {
    std::size_t oldest = 0;
    for (std::size_t i = 0; i != most; ++i) {
      if (reads_[i].place == place && reads_[i].address == address)
        return i;
      oldest = reads_[i].stamp < reads_[oldest].stamp ? i : oldest;
    }
    return oldest;
  }
  std::size_t last_ = 0;
  std::array<AtomicRead, most> reads_{}; // what is not used has no place
};

struct alignas(separate_bytes) Synchronisation {
  struct Carried {
    std::array<Clock, 2> clocks{}; // of global and of local memory (checked_group.h)
    uint64_t releases = 0;         // since it was last replaced
    uint32_t last_group = 0;
    void clear() {
      for (Clock &clock : clocks)
        clock.clear();
      releases = 0;
    }
  };
  // By groups and by sub-groups, for their own work-items; null: there are none, since only in some kernels scopes differ.
  using Within = std::unique_ptr<std::unordered_map<uint64_t, Carried>>;
  // What one work-item has released. Its own stores go on with that, and end what others have (API 3.3.4).
  struct Head {
    Carried device;
    Within within;
  };
  Carried device;           // for whoever acquires with a scope that reaches all groups
  uint32_t local_group = 0; // in local memory: whose
  Within within;
  // Of several work-items, by group and item; null: all that it carries is of `head`, or all stores of the kernel release as much
  // as anybody has before.
  std::unique_ptr<std::unordered_map<uint64_t, Head>> heads;
  uint64_t head = 0;
  static uint64_t in_group(uint32_t group) { return uint64_t(group) << 32; }
  static uint64_t in_sub_group(uint32_t group, uint32_t sub_group) {
    return in_group(group) | (sub_group + 1);
  }
  AtomicWrites writes{};
  uint64_t stores = 0; // so many have replaced what it carried
  // Of threads that use it, where there are several: how many turns there were, and whose the last one was.
  struct Turns {
    std::atomic<uint32_t> count = 0;
    std::atomic<unsigned> thread = 0;
    void note() { // with the object's lock
      count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (const unsigned own = thread_slot(); thread.load(std::memory_order_relaxed) != own)
        thread.store(own, std::memory_order_relaxed);
    }
  } turns{};
  // Odd while it is changed, and the word with it, where there are several threads (seen_objects.h).
  alignas(line_bytes) std::atomic<uint32_t> changes = 0;
  void begin(uint32_t group); // of that group's local memory, and nothing is known
  void note(const AtomicWrite &write) {
    std::move_backward(writes.begin(), writes.end() - 1, writes.end());
    writes.front() = write;
  }

  // All that an access of that memory is about to change comes from where it is at once, not piece by piece.
  void fetch(unsigned memory) const {
    for (std::size_t at = 0; at < sizeof *this; at += line_bytes)
      fetch_to_write(reinterpret_cast<const std::byte *>(this) + at);
    device.clocks[memory].fetch();
  }
};

// The kernel has some, so that atomics have to do with what comes.
inline bool has_fences(const compiler::CheckSite &atomic) {
  return atomic.fences & ~compiler::CheckSite::weak_stores;
}

// CheckHooks::atomic
uint64_t on_atomic(const compiler::LaunchInfo *launch, const compiler::GroupInfo *group,
                   compiler::CheckSite *site, void *address, uint64_t lanes, uint64_t first_item,
                   uint64_t intervals, uint64_t operand, uint64_t expected);

// Atomically, relaxed or stronger; the value that was there. `operand` and the result have the low bits.
uint64_t make_atomic_access(const compiler::CheckSite &site, void *address, uint64_t operand,
                            uint64_t expected);

} // namespace lockstep::runtime
