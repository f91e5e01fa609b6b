// The state that the parts of a launch's race check share: the launch, the tables of its records,
// and the epochs of its groups.
//
// Requires: kernel, launch and accesses outlive it. The properties of the code are set before the
// first group begins.
//
// Ensures: the tables are borrowed on first use, and returned at the end. After give_up() no access
// is compared, and the tables are freed instead.
//
// Separate from LaunchCheck, because every part needs it and none needs the others' state.
#pragma once

#include "abi/check_abi.h"
#include "abi/launch_abi.h"
#include "runtime/check/races/launch/checked_group.h"
#include "runtime/check/races/launch/launch_records.h"
#include "runtime/check/races/shadow/access_record.h"
#include "runtime/memory/access.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

namespace lockstep::compiler {
struct KernelInfo;
}

namespace lockstep::runtime {

struct CheckedAccess { // by one instruction
  CheckedGroup &group;
  const compiler::CheckSite &site;
  uint16_t place;
  unsigned memory;       // checked_global or checked_local
  uintptr_t address = 0; // only of an atomic
};

struct AccessPair { // a record, and the access by `item` that is compared with it
  const AccessRecord &record;
  const CheckedAccess &access;
  uint32_t item;
};

class LaunchState {
public:
  LaunchState(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch,
              std::span<const Access> accesses);
  ~LaunchState();

  const compiler::KernelInfo &kernel;
  const compiler::LaunchInfo &launch;
  const std::span<const Access> accesses; // memory given to the launch, for reports
  const uint64_t number;                  // unique in this process
  uint32_t sub_group_size = 1;
  bool has_local_memory = true;
  bool is_alone = false; // one thread runs all groups in sequence, so that the check needs no locks
  unsigned workers = 2;  // threads that may run its groups
  const bool compares;   // false: accesses of work-items are not compared
  // Checks which work-items reach group operations, and with which arguments.
  const bool checks_convergence;
  const bool names_both; // CheckOptions

  uint32_t group_of(Epoch epoch) const { return known_records().owners.of(epoch); }
  uint32_t sub_group_of(uint32_t item) const { return item / sub_group_size; }

  LaunchRecords &records(); // throws std::bad_alloc
  LaunchRecords &known_records() const { return *records_.load(std::memory_order_relaxed); }
  // Whether all epochs are used up.
  bool is_without_epochs() const;
  void give_up() noexcept;
  bool has_given_up() const { return has_given_up_.load(std::memory_order_relaxed); }

  // Lets the fast paths handle this launch until it gives up. Requires that accesses are compared,
  // and that nothing else is recorded of them.
  void allow_fast_paths() { fast_launch_ = number; }
  bool has_fast_paths() const {
    return fast_launch_.load(std::memory_order_relaxed) != no_fast_paths;
  }
  // Returns null if the group is not of this launch, or the launch has no fast paths.
  [[gnu::always_inline]] CheckedGroup *fast_group(const compiler::GroupInfo &info) const {
    auto *group = static_cast<CheckedGroup *>(info.check);
    return group && group->launch == fast_launch_.load(std::memory_order_relaxed) ? group : nullptr;
  }

  void begin_epoch(CheckedGroup &group) {
    group.released.clear();
    const Epoch before = group.now;
    group.now = known_records().owners.after(before, group.number, group.epochs);
    if (group.now != before + 1) {
      group.earlier = std::exchange(group.run, group.now);
      group.earlier_end = before + 1;
    }
  }
  // Called before accesses of these lanes are recorded.
  void begin_epoch_after_release(CheckedGroup &group, uint64_t lanes, uint64_t first_item) {
    if (group.released.has_some(lanes, first_item))
      begin_epoch(group);
  }
  void record_release(CheckedGroup &group, uint32_t item) {
    if (!group.released.may_add(item))
      begin_epoch(group);
    else
      group.released.add(item);
  }

private:
  // Differs from the number of an unused group, too.
  static constexpr uint64_t no_fast_paths = ~uint64_t(0);
  std::atomic<uint64_t> fast_launch_ = no_fast_paths;
  std::unique_ptr<LaunchRecords> own_records_;
  std::atomic<LaunchRecords *> records_ = nullptr; // set from the first group on
  std::atomic<bool> has_given_up_ = false;
  // Freed to have memory for the report of exhaustion
  std::array<std::unique_ptr<std::byte[]>, 8> reserve_;
  std::mutex records_lock_;
};

} // namespace lockstep::runtime
