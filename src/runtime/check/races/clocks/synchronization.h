// The synchronization object of an atomic: which clocks it carries from releases to acquires, and
// the atomic access itself.
#pragma once

#include "abi/check_abi.h"
#include "platform/linux/short_lock.h"
#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/clocks/clock.h"
#include "runtime/check/races/shadow/fetch_to_write.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace lockstep::runtime {

// The last writes and reads of an object, for reports.
struct AtomicWrite {
  uint16_t place = 0;   // NumberedSites; 0: none
  uint16_t carries = 0; // for other groups: bit 0 global, bit 1 local memory
  uint32_t group = 0, item = 0, epoch = 0;
  // Epochs of the group's last barriers, per memory (CheckedGroup::base)
  std::array<uint32_t, 2> before{};
};
using AtomicWrites = std::array<AtomicWrite, 3>; // newest first
struct AtomicRead {
  uint16_t place = 0;
  uint32_t item = 0, epoch = 0;
  uintptr_t address = 0;
  AtomicWrites writes{}; // the writes that it could have read
};
// The last reads by one group, of different places.
class AtomicReads {
public:
  static constexpr std::size_t most = 4;
  // A repeated read replaces the earlier entry.
  [[gnu::always_inline]] void note(uint16_t place, uint32_t item, uint32_t epoch, uintptr_t address,
                                   const AtomicWrites &writes) {
    if (reads_[last_].place != place || reads_[last_].address != address)
      last_ = place_for(place, address);
    AtomicRead &read = reads_[last_];
    read.place = place;
    read.item = item;
    read.epoch = epoch;
    read.address = address;
    read.writes = writes;
  }
  void clear() {
    for (AtomicRead &each : reads_)
      each.place = each.epoch = 0;
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
      oldest = reads_[i].epoch < reads_[oldest].epoch ? i : oldest;
    }
    return oldest;
  }
  std::size_t last_ = 0;
  std::array<AtomicRead, most> reads_{}; // unused entries have no place
};

// Requires its lock, unless one thread runs the launch. Objects are used again by later launches:
// their memory, which one thread takes and another one frees, would often come from the system.
struct alignas(separate_bytes) Synchronization {
  explicit Synchronization(uintptr_t address = 0) : address(address) {}

  // In a line of their own, which waiting threads read.
  ShortLock lock;
  std::atomic<bool> is_contended = false; // UpdateRequests may wait for the lock's owner
  const uintptr_t address;
  Synchronization *next = nullptr; // at an address in the same four bytes

  alignas(line_bytes) uint64_t launch =
      0;                    // that used it last; of an earlier one, it carries nothing
  uint32_t local_group = 0; // in local memory: the group that owns it
  bool is_watched = false;  // threads read the word without the object's lock: `changes` counts
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
  // Clocks for acquires within the same group or sub-group. Null: none; only few kernels use
  // different scopes.
  using Within = std::unique_ptr<std::unordered_map<uint64_t, Carried>>;
  // What one work-item has released: the head of a release sequence. Its own stores continue the
  // sequence and end those of others (API 3.3.4).
  struct Head {
    Carried device;
    Within within;
  };
  Carried device; // for acquires with a scope that reaches all groups
  Within within;
  // Release sequences of several work-items, by group and item. Null: everything carried is of
  // `head`, or every store of the kernel releases at least as much as any earlier release.
  std::unique_ptr<std::unordered_map<uint64_t, Head>> heads;
  uint64_t head = 0;
  static uint64_t in_group(uint32_t group) { return uint64_t(group) << 32; }
  static uint64_t in_sub_group(uint32_t group, uint32_t sub_group) {
    return in_group(group) | (sub_group + 1);
  }
  AtomicWrites writes{};
  // Changes of thread, if several threads use the object: how many turns there were, and which
  // thread had the last one.
  struct Handovers {
    std::atomic<uint32_t> count = 0;
    std::atomic<unsigned> thread = 0;
    void note() { // requires the object's lock
      count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      if (const unsigned own = thread_slot(); thread.load(std::memory_order_relaxed) != own)
        thread.store(own, std::memory_order_relaxed);
    }
  } handovers{};
  // Odd while the object and its word are being changed, if there are several threads and it is
  // watched (seen_objects.h).
  alignas(line_bytes) std::atomic<uint32_t> changes = 0;
  void begin(uint32_t group);         // for that group's local memory; clears everything
  void begin_launch(uint64_t number); // the same for a launch
  void note(const AtomicWrite &write) {
    std::move_backward(writes.begin(), writes.end() - 1, writes.end());
    writes.front() = write;
  }

  // Prefetches all lines that an access of that memory is about to change at once, not one by one.
  void fetch(unsigned memory) const {
    const auto *end = reinterpret_cast<const std::byte *>(&handovers);
    for (const auto *at = reinterpret_cast<const std::byte *>(&launch); at < end; at += line_bytes)
      fetch_to_write(at);
    device.clocks[memory].fetch();
  }
};

// CheckHooks::atomic
uint64_t on_atomic(const compiler::LaunchInfo *launch, const compiler::GroupInfo *group,
                   compiler::CheckSite *site, void *address, uint64_t lanes, uint64_t first_item,
                   uint64_t intervals, uint64_t operand, uint64_t expected);
// The address of the last write by on_atomic() to other than local memory on this thread, once.
const void *take_atomic_write();

// Makes the access atomically, relaxed or stronger, and returns the previous value. `operand` and
// the result use the low bits.
uint64_t make_atomic_access(const compiler::CheckSite &site, void *address, uint64_t operand,
                            uint64_t expected);

} // namespace lockstep::runtime
