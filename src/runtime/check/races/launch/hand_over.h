// Fast path for handing a lock over: an exchange that acquires, a plain write in the critical
// section, and a store that releases.
//
// Requires: the acquirer's clock is only a version of the lock's clock. The page, its context, and
// the object are those that the group or its thread used last.
//
// Ensures: the same result as checked_atomics.cpp and visit_memory.cpp. In all other cases the
// functions return false, and have changed nothing that the slow path would not change.
#pragma once

#include "runtime/check/races/clocks/lock_wait.h"
#include "runtime/check/races/clocks/seen_objects.h"
#include "runtime/check/races/launch/access_comparer.h"
#include "runtime/check/races/launch/atomic_order.h"
#include "runtime/check/races/shadow/report_sites.h"

#include <bit>
#include <cstdint>

namespace lockstep::runtime {

// These functions return false if they have changed nothing, or only what the slow path changes as
// well.
[[gnu::always_inline]] inline bool AtomicOrder::take(const CheckedAccess &access,
                                                     Synchronization &object, uint32_t item) {
  CheckedGroup &group = access.group;
  Synchronization::Carried &source = object.device;
  Clock &carried = source.clocks[checked_global];
  if (!source.releases || !carried.has_line_only() || !source.clocks[checked_local].is_empty())
    return false;
  const bool releases_too = compiler::releases(access.site.order);
  if (releases_too &&
      (!carried.may_grow() || !group.released.may_add(item) ||
       (access.site.order == compiler::CheckOrder::seq_cst && state_.has_local_memory)))
    return false;
  const bool may_begin = group.known[checked_global].is_empty();
  ItemClocks *own = group.items.find_one(item, may_begin);
  if (!own)
    return false;
  Clock &known = own->known[checked_global];
  const bool begins = !own->has_known[checked_global];
  if (begins ? !may_begin : !known.is_earlier_version_of(carried))
    return false;
  if (releases_too && group.released.has(item))
    state_.begin_epoch(group);
  own->has_known[checked_global] = true;
  known.join(carried, Clock::SpareLine::own());
  group.reads.note(access.place, item, group.now, access.address, object.writes);
  group.version_of = access.address;
  group.acquired = {access.place, access.address, source.releases, source.last_group, item};
  const Epoch epoch = group.now;
  if (releases_too) {
    carried.goes_on_with(known, group.number, own_entry(group, checked_global, item));
    ++source.releases;
    source.last_group = group.number;
    group.released.add(item);
  }
  object.note({access.place, uint16_t(releases_too), group.number, item, epoch, group.base});
  return true;
}

[[gnu::always_inline]] inline bool AtomicOrder::give(const CheckedAccess &access,
                                                     Synchronization &object, uint32_t item) {
  CheckedGroup &group = access.group;
  Synchronization::Carried &to = object.device;
  if (group.version_of != access.address || !to.clocks[checked_local].is_empty() ||
      !group.released.may_add(item) ||
      (access.site.order == compiler::CheckOrder::seq_cst && state_.has_local_memory))
    return false;
  const ItemClocks *own = group.items.find_one(item);
  if (!own || !own->has_known[checked_global])
    return false;
  if (group.released.has(item))
    state_.begin_epoch(group);
  if (!to.clocks[checked_global].goes_on_with(own->known[checked_global], group.number,
                                              own_entry(group, checked_global, item)))
    return false;
  to.releases = 1;
  to.last_group = group.number;
  object.note({access.place, 1, group.number, item, group.now, group.base});
  group.released.add(item);
  return true;
}

template <bool takes>
[[gnu::always_inline]] inline bool
AtomicOrder::hand_over_at(const CheckedAccess &access, void *address, Synchronization &object,
                          uint32_t item, uint32_t operand, uint64_t &was) {
  auto *word = static_cast<uint32_t *>(address);
  if (takes) {
    if (!take(access, object, item))
      return false;
    was = __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
    if (was != operand && !state_.is_alone)
      object.handovers.note();
    return true;
  }
  if (!give(access, object, item))
    return false;
  if (access.site.order == compiler::CheckOrder::seq_cst)
    __atomic_store_n(word, operand, __ATOMIC_SEQ_CST);
  else
    __atomic_store_n(word, operand, __ATOMIC_RELEASE);
  was = 0;
  return true;
}

// For a launch that several threads run.
template <bool takes>
[[gnu::noinline]] bool
AtomicOrder::hand_over_among_others(CheckedGroup &group, const compiler::CheckSite &site,
                                    uint16_t place, void *address, uint32_t item, uint32_t operand,
                                    uint64_t &was) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const CheckedAccess access{group, site, place, checked_global, at};
  if (takes && are_others_at_it(*group.object)) [[unlikely]]
    let_others_go_on(
        {*group.object, *static_cast<const uint32_t *>(address), operand, state_.workers});
  const SynchronizationObjects::Locked locked(state_.known_records().objects, state_.number,
                                              *group.object, false);
  fetch_to_write(address);
  locked.object().fetch(checked_global);
  const ObjectChange change(locked.object(), false);
  const HeldLock held(group, locked.lock());
  return hand_over_at<takes>(access, address, locked.object(), item, operand, was);
}

// `takes`: see NumberedSites. Throws std::bad_alloc before it makes the access.
template <bool takes>
[[gnu::always_inline]] inline bool
AtomicOrder::hand_over(CheckedGroup &group, const compiler::CheckSite &site, uint16_t place,
                       void *address, uint32_t item, uint32_t operand, uint64_t &was) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (group.last_address != at || !group.object) [[unlikely]] {
    Synchronization *last = state_.is_alone ? nullptr : LastObject::own().find(state_.number, at);
    if (!last)
      return false;
    group.last_address = at;
    group.object = last;
  }
  if (!state_.is_alone)
    return hand_over_among_others<takes>(group, site, place, address, item, operand, was);
  const CheckedAccess access{group, site, place, checked_global, at};
  return hand_over_at<takes>(access, address, *group.object, item, operand, was);
}

// The context of a write with the current epoch on the last written page. 0: the address is on
// another page.
[[gnu::always_inline]] inline uint32_t
AccessComparer::context_at_hand(CheckedGroup &group, uint16_t place, uintptr_t at) {
  WrittenPage &written = group.written;
  if (!written.page || !written.page->has(at))
    return 0;
  ShadowPage &page = *written.page;
  if (written.epoch != group.now || written.place != place || written.version != page.version()) {
    const uint32_t context = page.context_of(group.now, place);
    written = {group.now, place, page.version(), RecordWord::of_one(context, false, 0), &page};
  }
  return written.word;
}

// Begins like visit_one(). Throws std::bad_alloc.
[[gnu::always_inline]] inline bool
AccessComparer::write_as_taken(CheckedGroup &group, uint16_t place, const void *address,
                               int64_t stride, uint64_t lanes, uint64_t first_item) {
  const auto lane = unsigned(std::countr_zero(lanes));
  const auto item = uint32_t(first_item) + lane;
  const uintptr_t at = stride == compiler::any_addresses
                           ? static_cast<const uintptr_t *>(address)[lane]
                           : reinterpret_cast<uintptr_t>(address) + uintptr_t(stride) * lane;
  const ItemClocks *own = group.items.find_one(item);
  if (at % sizeof(uint32_t) || !own || !own->has_known[checked_global])
    return false;
  const Clock::Release last = own->known[checked_global].last_added();
  if (!last)
    return false;
  if (group.released.has(item))
    state_.begin_epoch(group);
  LockedPage locked;
  if (ShadowPage *page = group.written.page; page && !state_.is_alone) {
    page->lock(state_.number);
    locked.page = page;
  }
  const uint32_t word = context_at_hand(group, place, at);
  return word &&
         group.written.page->replace_write(at, word | item, last.item,
                                           last.epoch & ~(EpochOwners::block_size - 1), last.epoch);
}

} // namespace lockstep::runtime
