// The race check of one launch. Compiled code reports each access (abi/check_abi.h). The check
// looks up which earlier accesses conflict with it, and reports those that are not ordered before
// it.
//
// Barriers order accesses within a group (checked_group.h). In kernels that synchronize by atomics
// or fences, vector clocks order them (AtomicOrder). AccessComparer compares and records accesses,
// RaceReporter describes races, and LaunchFootprint records what the launch accesses. This class
// receives the reports, begins and ends groups, passes barriers, and checks group operations.
//
// Requires: kernel, launch and accesses outlive it. Its set_ functions are called before the first
// group begins.
//
// Ensures: no exception reaches compiled code. Without memory the launch fails (given_up()).
#pragma once

#include "abi/check_abi.h"
#include "abi/launch_abi.h"
#include "runtime/check/races/launch/access_comparer.h"
#include "runtime/check/races/launch/atomic_order.h"
#include "runtime/check/races/launch/checked_group.h"
#include "runtime/check/races/launch/launch_footprint.h"
#include "runtime/check/races/launch/launch_state.h"
#include "runtime/check/races/launch/race_reporter.h"
#include "runtime/graph/node_memory.h"
#include "runtime/memory/access.h"
#include "support/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

class LaunchCheck {
public:
  // `accesses`: memory given to the launch, for reports.
  LaunchCheck(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch,
              std::span<const Access> accesses = {});
  static void *operator new(std::size_t size) { return NodeMemory::allocate(size); }
  static void operator delete(void *memory, std::size_t size) noexcept {
    NodeMemory::free(memory, size);
  }

  // Properties of the compiled code of the groups.
  void set_sub_group_size(uint32_t work_items) { state_.sub_group_size = work_items; }
  void set_local_memory(bool has_some) { state_.has_local_memory = has_some; }
  void set_alone(bool is_alone) { state_.is_alone = is_alone; }
  void set_workers(unsigned workers) { // threads that may run its groups
    state_.workers = workers;
    set_alone(workers == 1);
  }

  // Sets check_hooks, also for launches that are not checked.
  static void set_hooks();

  // The group has ended; the next one may use the same GroupInfo.
  void leave(const compiler::GroupInfo &group);
  void leave_last(const compiler::GroupInfo &group) { // no group follows
    leave(group);
    give_back(group);
  }
  void give_back(const compiler::GroupInfo &group); // after leave()
  // Prefetches state of a group that resumes soon; fetch_items() is the second step.
  static void fetch(const compiler::GroupInfo &group) {
    if (const auto *known = static_cast<const CheckedGroup *>(group.check))
      known->fetch();
  }
  static void fetch_items(const compiler::GroupInfo &group) {
    if (const auto *known = static_cast<const CheckedGroup *>(group.check))
      known->items.fetch();
  }
  // The group stops: an access by its code, or by the checker for it, has faulted.
  void faulted(const compiler::GroupInfo &group) noexcept;
  // The group stops: some of its work-items wait for others that never arrive.
  void diverged(const compiler::GroupInfo &group);

  bool compares() const { return state_.compares; }
  // False: only commands are compared.
  bool watches_groups() const { return state_.compares || state_.checks_convergence; }
  LaunchFootprint &footprint() { return footprint_; }
  const LaunchFootprint &footprint() const { return footprint_; }
  AccessComparer &comparer() { return comparer_; }
  AtomicOrder &atomics() { return atomics_; }

  // Memory for records or epochs (EpochOwners) is exhausted: from then on nothing is compared.
  void give_up() noexcept { state_.give_up(); }
  bool has_given_up() const { return state_.has_given_up(); }
  // Requires has_given_up(). Without memory the result is an error, which makes the launch fail.
  // Without epochs a note says that the rest of the launch is not checked.
  Result<void> given_up() const;

  // These throw std::bad_alloc.
  CheckedGroup &enter(const compiler::GroupInfo &group, uint64_t intervals);
  // The same for the fast paths. Null: the launch has none.
  CheckedGroup *enter_fast_path(const compiler::GroupInfo &info, uint64_t intervals) {
    CheckedGroup *group = state_.fast_group(info);
    if (group && group->intervals == intervals) [[likely]]
      return group;
    return state_.has_fast_paths() ? &enter(info, intervals) : nullptr;
  }
  // Fast paths of on_access(). They return the remaining lanes.
  uint64_t access_by_rows(const compiler::GroupInfo &info, const compiler::CheckSite &site,
                          uint16_t place, const void *address, uint64_t lanes, uint64_t first_item,
                          uint64_t intervals);
  uint64_t write_as_taken(const compiler::GroupInfo &info, uint16_t place, const void *address,
                          int64_t stride, uint64_t lanes, uint64_t first_item, uint64_t intervals);
  void copy(const CheckedAccess &access, const void *address, const compiler::CopyShape &shape,
            uint64_t intervals);
  void argument(const CheckedAccess &access, const void *value, int64_t stride, uint64_t lanes,
                uint64_t first_item);
  void sub_group_barrier(CheckedGroup &group, compiler::CheckSite &site, uint64_t lanes,
                         uint64_t first_item);
  void arrive(CheckedGroup &group, uint16_t place, uint64_t lanes, uint64_t first_item,
              uint64_t intervals);
  void choose(CheckedGroup &group, uint16_t place, uint64_t chosen, uint64_t lanes,
              uint64_t first_item);

private:
  Error no_memory() const; // also reported as a finding
  void no_numbers() const; // reports a note
  CheckedGroup &new_group(const compiler::GroupInfo &info);
  void pass_barriers(CheckedGroup &group, uint64_t intervals);

  // group_operations.cpp
  void look_for_others_of_sub_group(CheckedGroup &group, compiler::CheckSite &site, uint64_t lanes,
                                    uint64_t first_item) const;
  void end_arrival(CheckedGroup &group);
  void end_wait(CheckedGroup &group);
  void await_event(const CheckedAccess &access, uint64_t first_item, ItemValue event) const;
  void differs(const CheckedAccess &access, ItemValue one, ItemValue other) const;
  void end_copies(CheckedGroup &group);

  LaunchState state_;
  LaunchFootprint footprint_{state_};
  RaceReporter reporter_{state_};
  AccessComparer comparer_{state_, reporter_};
  AtomicOrder atomics_{state_, comparer_};
  mutable std::atomic<bool> is_exhaustion_reported_ = false;
};

} // namespace lockstep::runtime
