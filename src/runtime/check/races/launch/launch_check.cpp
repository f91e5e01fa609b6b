#include "runtime/check/races/launch/launch_check.h"

#include "driver/compile.h"
#include "runtime/check/options/check_memory.h"
#include "runtime/check/races/launch/checked_memory.h"
#include "runtime/check/races/launch/hand_over.h"
#include "runtime/check/races/shadow/report_sites.h"
#include "runtime/check/report/findings.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::runtime {

using compiler::AccessKind;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::Intervals;
using compiler::LaunchInfo;

[[gnu::always_inline]] inline uint64_t
LaunchCheck::access_by_rows(const GroupInfo &info, const CheckSite &site, uint16_t place,
                            const void *address, uint64_t lanes, uint64_t first_item,
                            uint64_t intervals) {
  CheckedGroup *group = state_.fast_group(info);
  const auto first = reinterpret_cast<uintptr_t>(address);
  if (!group || site.address_space != compiler::global_space || first % sizeof(uint32_t))
    return lanes;
  if (intervals != group->intervals)
    pass_barriers(*group, intervals);
  state_.begin_epoch_after_release(*group, lanes, first_item);
  return comparer_.visit_runs(*group, place, first, lanes, uint32_t(first_item));
}

[[gnu::always_inline]] inline uint64_t
LaunchCheck::write_as_taken(const GroupInfo &info, uint16_t place, const void *address,
                            int64_t stride, uint64_t lanes, uint64_t first_item,
                            uint64_t intervals) {
  CheckedGroup *group = state_.fast_group(info);
  return group && group->intervals == intervals &&
                 comparer_.write_as_taken(*group, place, address, stride, lanes, first_item)
             ? 0
             : lanes;
}

namespace {

// Compiled code is the caller: an exception must not propagate through it.
template <class Function> void unless_given_up(LaunchCheck &check, Function function) {
  if (!check.watches_groups() || check.has_given_up()) [[unlikely]]
    return;
  try {
    function();
  } catch (const std::bad_alloc &) {
    check.give_up();
  }
}

[[gnu::noinline]] void on_any_access(const LaunchInfo *launch, const GroupInfo *group,
                                     CheckSite *site, const void *address, int64_t stride,
                                     uint64_t lanes, uint64_t first_item, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (!check)
    return;
  if (is_argument(site->kind))
    return unless_given_up(*check, [&] {
      if (!check->watches_groups())
        return;
      CheckedGroup &entered = check->enter(*group, intervals);
      check->argument({entered, *site, NumberedSites::number_of(*site), checked_global}, address,
                      stride, lanes, first_item);
    });
  if (!site->is_marked)
    check->footprint().record(*site, address, stride, lanes);
  if (!check->compares() || site->same_value == compiler::SameValue::has_no_conflict)
    return;
  if (site->address_space == compiler::global_space) // the common case
    return unless_given_up(*check, [&] {
      const CheckedAccess access{check->enter(*group, intervals), *site,
                                 NumberedSites::number_of(*site), checked_global};
      if (lanes & (lanes - 1))
        check->comparer().access(access, address, stride, lanes, first_item);
      else
        check->comparer().access_by_one(access, address, stride, lanes, first_item);
    });
  std::array<uint64_t, 2> lanes_of{}; // by memory
  if (stride != compiler::any_addresses || site->address_space != compiler::generic_space) {
    const auto *one = stride == compiler::any_addresses
                          ? static_cast<const void *const *>(address)[std::countr_zero(lanes)]
                          : address;
    if (const auto memory = memory_of(*site, one))
      lanes_of[*memory] = lanes;
  } else { // lanes may access both memories and private memory
    for (uint64_t left = lanes; left; left &= left - 1)
      if (const auto memory =
              memory_of(*site, static_cast<const void *const *>(address)[std::countr_zero(left)]))
        lanes_of[*memory] |= left & -left;
  }
  for (unsigned memory : {checked_global, checked_local})
    if (lanes_of[memory])
      unless_given_up(*check, [&] {
        CheckedGroup &entered = check->enter(*group, intervals);
        check->comparer().access({entered, *site, NumberedSites::number_of(*site), memory}, address,
                                 stride, lanes_of[memory], first_item);
      });
}

void on_access(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
               const void *address, int64_t stride, uint64_t lanes, uint64_t first_item,
               uint64_t intervals) {
  const auto place = uint16_t(std::atomic_ref(site->number).load(std::memory_order_acquire));
  const bool are_several = lanes & (lanes - 1);
  if (are_several ? stride == sizeof(uint32_t) && NumberedSites::may_be_run(place)
                  : NumberedSites::writes_as_taken(place))
    if (auto *check = static_cast<LaunchCheck *>(launch->check))
      try {
        lanes = are_several ? check->access_by_rows(*group, *site, place, address, lanes,
                                                    first_item, intervals)
                            : check->write_as_taken(*group, place, address, stride, lanes,
                                                    first_item, intervals);
        if (!lanes)
          return;
      } catch (const std::bad_alloc &) {
        return check->give_up();
      }
  on_any_access(launch, group, site, address, stride, lanes, first_item, intervals);
}

void on_fence(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, uint64_t lanes,
              uint64_t first_item, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (!check || !check->watches_groups())
    return;
  unless_given_up(*check, [&] {
    CheckedGroup &entered = check->enter(*group, intervals);
    if (site->kind == AccessKind::sub_group_barrier)
      return check->sub_group_barrier(entered, *site, lanes, first_item);
    if (site->kind == AccessKind::wait_for_copies)
      return; // reported by `intervals`
    if (site->kind == AccessKind::arrival)
      return check->arrive(entered, NumberedSites::number_of(*site), lanes, first_item, intervals);
    check->atomics().fence({entered, *site, NumberedSites::number_of(*site), checked_global}, lanes,
                           first_item);
  });
}

void on_copy(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, const void *address,
             const compiler::CopyShape &shape, uint64_t, uint64_t, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  const auto memory = check ? memory_of(*site, address) : std::nullopt;
  if (!memory)
    return;
  if (!site->is_marked)
    check->footprint().record(*site, address, shape);
  if (site->same_value == compiler::SameValue::has_no_conflict || !check->watches_groups())
    return;
  unless_given_up(*check, [&] {
    CheckedGroup &entered = check->enter(*group, intervals);
    check->copy({entered, *site, NumberedSites::number_of(*site), *memory}, address, shape,
                intervals);
  });
}

void on_choice(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, uint64_t chosen,
               uint64_t lanes, uint64_t first_item, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (check && check->watches_groups() && chosen & lanes && (chosen & lanes) != lanes)
    unless_given_up(*check, [&] {
      check->choose(check->enter(*group, intervals), NumberedSites::number_of(*site),
                    chosen & lanes, lanes, first_item);
    });
}

void on_packets(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, const void *pipe,
                uint64_t first, uint64_t count, uint64_t item, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (check && check->compares())
    unless_given_up(*check, [&] {
      check->comparer().packets(
          {check->enter(*group, intervals), *site, NumberedSites::number_of(*site), checked_global},
          pipe, first, count, uint32_t(item));
    });
}

uint64_t on_map(const LaunchInfo *launch, uint32_t number, compiler::FootprintKind kind,
                uint32_t unit, const void *origin) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (!check)
    return 0;
  try {
    return check->footprint().map_of_argument(launch->args, number, kind, unit, origin);
  } catch (const std::bad_alloc &) {
    check->give_up();
    return 0;
  }
}

} // namespace

void LaunchCheck::set_hooks() {
  compiler::check_hooks = {on_access, on_atomic, on_fence, on_copy, on_choice, on_map, on_packets};
}

LaunchCheck::LaunchCheck(const compiler::KernelInfo &kernel, const LaunchInfo &launch,
                         std::span<const Access> accesses)
    : state_(kernel, launch, accesses) {
  if (state_.compares && !footprint_.is_recorded())
    state_.allow_fast_paths();
  if (!footprint_.is_recorded())
    Findings::instance().was_checked();
}

Result<void> LaunchCheck::given_up() const {
  if (!state_.is_without_epochs())
    return no_memory();
  if (!is_exhaustion_reported_.exchange(true))
    no_numbers();
  return {};
}

void LaunchCheck::no_numbers() const {
  if (!Findings::instance().is_first("not checked", std::hash<std::string>()(state_.kernel.name),
                                     0))
    return;
  Finding note;
  note.is_note = true;
  note.kind = "not checked";
  note.set_kernel(state_.kernel);
  note.headline = "the launch is not checked any further";
  note.explanation = {
      fmt::format("the check of a launch has {} numbers for its work-groups and for what each of "
                  "them does between barriers and releases",
                  EpochOwners::blocks * EpochOwners::block_size),
      fmt::format("they are used up: each work-group takes at least {} of them",
                  EpochOwners::block_size),
      "the launch goes on; a smaller launch of the same kernel is checked to its end"};
  Findings::instance().report(note);
}

Error LaunchCheck::no_memory() const {
  const std::string what =
      "the check has no memory for more of its accesses; " + CheckMemory::text();
  if (Findings::instance().is_first("no memory", std::hash<std::string>()(state_.kernel.name), 0)) {
    Finding finding;
    finding.kind = "no memory";
    finding.set_kernel(state_.kernel);
    finding.headline = what;
    finding.explanation = {"the launch fails, as it was not checked to its end"};
    Findings::instance().report(finding);
  }
  return {ErrorKind::out_of_resources, fmt::format("kernel '{}': {}", state_.kernel.name, what)};
}

// ---- groups and epochs

CheckedGroup &LaunchCheck::enter(const GroupInfo &info, uint64_t intervals) {
  auto *known = static_cast<CheckedGroup *>(info.check);
  CheckedGroup &group = known && known->launch == state_.number ? *known : new_group(info);
  if (intervals != group.intervals) [[unlikely]]
    pass_barriers(group, intervals);
  return group;
}

CheckedGroup &LaunchCheck::new_group(const GroupInfo &info) {
  LaunchRecords &all = state_.records();
  auto *group = static_cast<CheckedGroup *>(info.check); // may be of the previous group
  if (!group)
    info.check = group = &all.groups.take();
  if (group->epochs.launch != state_.number) {
    group->epochs = {.launch = state_.number};
    group->last_address = 0;
    group->object = nullptr;
    group->written = {};
    group->items.forget_places();
  }
  const uint64_t *groups = state_.launch.num_groups, *own = info.group_id;
  const uint64_t number = own[0] + groups[0] * (own[1] + groups[1] * own[2]);
  if (number > std::numeric_limits<uint32_t>::max())
    all.owners.use_up();
  group->number = uint32_t(number);
  std::copy_n(own, 3, group->id.begin());
  group->now = group->first = group->run = all.owners.add(group->number, group->epochs);
  group->local_memory = reinterpret_cast<uintptr_t>(info.local_memory);
  group->size = info.local_size[0] * info.local_size[1] * info.local_size[2];
  group->launch = state_.number;
  return *group;
}

// All work-items of a group have passed a barrier when the first one reports it.
void LaunchCheck::pass_barriers(CheckedGroup &group, uint64_t intervals) {
  const uint64_t before = std::exchange(group.intervals, intervals);
  state_.begin_epoch(group);
  const bool is_fence = intervals / Intervals::device_step != before / Intervals::device_step;
  auto has_passed = [&](uint64_t step, uint64_t field) {
    return (intervals / step & field) != (before / step & field);
  };
  if (has_passed(Intervals::copy_fence_step, Intervals::copy_fence_field))
    group.copies_divided = group.now;
  for (unsigned memory : {checked_global, checked_local}) {
    const uint64_t step = memory == checked_global ? Intervals::global_step : Intervals::local_step;
    if (!has_passed(step, Intervals::field))
      continue;
    group.base[memory] = group.now;
    bool has_own = false;
    for (auto &[lanes, first_item, item] : group.items) {
      if (item.has_known[memory])
        group.known[memory].join(std::move(item.known[memory]));
      if (is_fence && memory == checked_global && item.fences()) {
        for (const auto &pending : item.fences()->pending)
          group.known[memory].join(pending[memory]);
        for (auto &fenced : item.fences()->fenced)
          fenced[memory].clear(); // the barrier's state is newer
      }
      item.known[memory].clear();
      item.has_known[memory] = false;
      has_own |= item.has_known[1 - memory] || item.fences();
    }
    if (!has_own)
      group.items.clear(Clock::SpareLine::own());
    if (!is_fence || memory != checked_global) // local memory is not shared with other groups
      continue;
    group.fenced[memory] = {group.known[memory],
                            {.before = group.now, .copies = group.copies_awaited}};
    group.fenced_memories |= uint8_t(1u << memory);
  }
  // A wait is reported immediately. Barriers reported with it are before it and do not cover the
  // copies of this wait.
  if (has_passed(Intervals::wait_step, Intervals::wait_field))
    end_wait(group);
}

void LaunchCheck::sub_group_barrier(CheckedGroup &group, CheckSite &site, uint64_t lanes,
                                    uint64_t first_item) {
  if (site.fences)
    look_for_others_of_sub_group(group, site, lanes, first_item);
  const std::size_t end = first_item + 64;
  if (group.sub_group_barriers.size() < end)
    group.sub_group_barriers.resize(end);
  state_.begin_epoch_after_release(group, lanes, first_item);
  if (site.is_ordered_by_atomics())
    atomics_.share_clocks(group, lanes, first_item);
  state_.begin_epoch(group);
  for (uint64_t left = lanes; left; left &= left - 1)
    group.sub_group_barriers[first_item + std::size_t(std::countr_zero(left))].passed = group.now;
}

void LaunchCheck::leave(const GroupInfo &info) {
  auto *group = static_cast<CheckedGroup *>(info.check);
  if (!group || group->launch != state_.number)
    return;
  unless_given_up(*this, [&] { // requires complete reports
    end_arrival(*group);
    end_copies(*group);
  });
  group->clear();
}

void LaunchCheck::faulted(const GroupInfo &info) noexcept {
  auto *group = static_cast<CheckedGroup *>(info.check);
  if (ShortLock *held = group ? std::exchange(group->held, nullptr) : nullptr;
      held && !state_.is_alone)
    held->unlock();
}

void LaunchCheck::diverged(const GroupInfo &info) {
  auto *group = static_cast<CheckedGroup *>(info.check);
  if (group && group->launch == state_.number)
    unless_given_up(*this, [&] { end_arrival(*group); });
}

void LaunchCheck::give_back(const GroupInfo &info) {
  if (auto *group = static_cast<CheckedGroup *>(std::exchange(info.check, nullptr)))
    state_.known_records().groups.give_back(*group);
}

} // namespace lockstep::runtime
