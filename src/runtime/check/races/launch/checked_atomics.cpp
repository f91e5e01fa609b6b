#include "runtime/check/races/launch/atomic_order.h"

#include "back_ends/cpu/host_functions/half_conversions.h"
#include "runtime/check/races/clocks/seen_objects.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/launch/checked_memory.h"
#include "runtime/check/races/launch/hand_over.h"
#include "runtime/check/races/launch/launch_check.h"
#include "runtime/check/races/shadow/report_sites.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

namespace lockstep::runtime {

using compiler::AccessKind;
using compiler::acquires;
using compiler::AtomicOperation;
using compiler::CheckOrder;
using compiler::CheckScope;
using compiler::CheckSite;
using compiler::releases;

std::array<AtomicRead, AtomicReads::most> AtomicReads::last_first() const {
  std::array<AtomicRead, most> sorted = reads_;
  std::swap(sorted[0], sorted[last_]);
  std::sort(sorted.begin() + 1, sorted.end(),
            [](const AtomicRead &one, const AtomicRead &other) { return one.epoch > other.epoch; });
  return sorted;
}

// ---- the atomic access

namespace {

template <class Float> Float float_result(AtomicOperation operation, Float was, Float operand) {
  switch (operation) {
  case AtomicOperation::add_floats:
    return was + operand;
  case AtomicOperation::subtract_floats:
    return was - operand;
  case AtomicOperation::multiply_floats:
    return was * operand;
  case AtomicOperation::maximum_of_floats:
    return std::fmax(was, operand);
  default:
    return std::fmin(was, operand);
  }
}
template <class Float, class Word>
Word float_result(AtomicOperation operation, Word was, Word operand) {
  return std::bit_cast<Word>(
      float_result(operation, std::bit_cast<Float>(was), std::bit_cast<Float>(operand)));
}
// Rounding the sum of two halves to float first gives the same half.
uint16_t half_result(AtomicOperation operation, uint16_t was, uint16_t operand) {
  auto number = [](uint16_t bits) {
    return lockstep_float_from_half(std::bit_cast<_Float16>(bits));
  };
  return std::bit_cast<uint16_t>(
      lockstep_half_from_float(float_result(operation, number(was), number(operand))));
}

template <class Word> Word result_of(AtomicOperation operation, Word was, Word operand) {
  using Signed = std::make_signed_t<Word>;
  switch (operation) {
  case AtomicOperation::exchange:
  case AtomicOperation::compare_and_swap:
    return operand;
  case AtomicOperation::add:
    return Word(was + operand);
  case AtomicOperation::subtract:
    return Word(was - operand);
  case AtomicOperation::multiply:
    return Word(uint64_t(was) * operand);
  case AtomicOperation::bit_and:
    return was & operand;
  case AtomicOperation::bit_nand:
    return Word(~(was & operand));
  case AtomicOperation::bit_or:
    return was | operand;
  case AtomicOperation::bit_xor:
    return was ^ operand;
  case AtomicOperation::maximum:
    return Signed(was) > Signed(operand) ? was : operand;
  case AtomicOperation::minimum:
    return Signed(was) < Signed(operand) ? was : operand;
  case AtomicOperation::unsigned_maximum:
    return was > operand ? was : operand;
  case AtomicOperation::unsigned_minimum:
    return was < operand ? was : operand;
  default:
    break;
  }
  if constexpr (sizeof(Word) == 4)
    return float_result<float>(operation, was, operand);
  else if constexpr (sizeof(Word) == 8)
    return float_result<double>(operation, was, operand);
  else if constexpr (sizeof(Word) == 2)
    return half_result(operation, was, operand);
  return was;
}

template <class Word>
uint64_t access_word(const CheckSite &site, Word *word, Word operand, Word expected) {
  if (site.kind == AccessKind::atomic_read)
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
  if (site.kind == AccessKind::atomic_write) {
    if (site.order == CheckOrder::seq_cst)
      __atomic_store_n(word, operand, __ATOMIC_SEQ_CST);
    else
      __atomic_store_n(word, operand, __ATOMIC_RELEASE);
    return 0;
  }
  if (site.operation == AtomicOperation::exchange)
    return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
  if (site.operation == AtomicOperation::add)
    return __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
  Word was = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (true) {
    if (site.operation == AtomicOperation::compare_and_swap && was != expected)
      return was;
    if (__atomic_compare_exchange_n(word, &was, result_of(site.operation, was, operand), false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return was;
  }
}

} // namespace

uint64_t make_atomic_access(const CheckSite &site, void *address, uint64_t operand,
                            uint64_t expected) {
  switch (site.size) {
  case 1:
    return access_word(site, static_cast<uint8_t *>(address), uint8_t(operand), uint8_t(expected));
  case 2:
    return access_word(site, static_cast<uint16_t *>(address), uint16_t(operand),
                       uint16_t(expected));
  case 4:
    return access_word(site, static_cast<uint32_t *>(address), uint32_t(operand),
                       uint32_t(expected));
  default:
    return access_word(site, static_cast<uint64_t *>(address), operand, expected);
  }
}

// ---- clocks

namespace {

constexpr std::array<unsigned, 2> both_memories = {checked_global, checked_local};

// The reach of scopes, widest first: all groups, the same group, the same sub-group.
constexpr unsigned device = 0, same_group = 1, same_sub_group = 2;
bool includes(CheckScope scope, unsigned reach) {
  return scope >= (reach == device       ? CheckScope::device
                   : reach == same_group ? CheckScope::work_group
                                         : CheckScope::sub_group);
}

} // namespace

// Whether an atomic orders `memory`: its own one always, the other one if it is seq_cst (API
// 3.3.4).
inline bool AtomicOrder::orders(const CheckedAccess &access, CheckOrder order,
                                unsigned memory) const {
  return memory == access.memory ||
         (order == CheckOrder::seq_cst && (memory == checked_global || state_.has_local_memory));
}

void AtomicOrder::acquire(const CheckedAccess &access, CheckOrder order, uint64_t lanes,
                          uint64_t first_item, const Synchronization::Carried &carried_for_device,
                          const Synchronization::Within &within, uintptr_t address) {
  const bool is_ordered_now = acquires(order);
  if (!is_ordered_now && !has_fences(access.site))
    return;
  CheckedGroup &group = access.group;
  const auto last = uint32_t(first_item) + uint32_t(std::bit_width(lanes) - 1);
  const bool is_whole_group =
      !has_fences(access.site) && uint64_t(std::popcount(lanes)) == group.size;
  auto acquire_from = [&](const Synchronization::Carried &source, unsigned reach) {
    if (source.releases == 0)
      return;
    // A repeated look at an unchanged object learns nothing: each work-item knows what the group
    // knows.
    auto is_known = [&](unsigned memory) {
      const Clock &carried = source.clocks[memory];
      return carried.is_empty() ||
             (orders(access, order, memory) && group.known[memory].has_version(carried));
    };
    uint64_t learning = lanes;
    if (is_ordered_now && is_known(checked_global) && is_known(checked_local)) {
      learning = 0;
      group.version_of = address;
    } else if (is_whole_group) {
      learning = 0;
      for (unsigned memory : both_memories)
        if (const Clock &carried = source.clocks[memory];
            !carried.is_empty() && orders(access, order, memory)) {
          group.acquire_as_group(memory, carried);
          if (group.known[memory].is_version_of(carried))
            group.version_of = address;
        }
    }
    group.items.change(learning, uint32_t(first_item), [&](ItemClocks &item) {
      for (unsigned memory : both_memories) {
        const Clock &carried = source.clocks[memory];
        if (carried.is_empty())
          continue;
        if (is_ordered_now && orders(access, order, memory)) {
          Clock &known = group.clock_of(item, memory);
          known.join(carried);
          if (known.is_version_of(carried))
            group.version_of = address;
        } else if (has_fences(access.site)) { // kept for a later fence
          item.with_fences().pending[reach][memory].join(carried);
        }
      }
    });
    if (is_ordered_now)
      group.acquired = {access.place, address, source.releases, source.last_group, last};
  };
  if (includes(access.site.scope, device))
    acquire_from(carried_for_device, device);
  if (!within)
    return;
  auto acquire_within = [&](uint64_t which, unsigned reach) {
    if (const auto own = within->find(which);
        includes(access.site.scope, reach) && own != within->end())
      acquire_from(own->second, reach);
  };
  acquire_within(Synchronization::in_group(group.number), same_group);
  if (access.site.synchronizes >= CheckSite::by_sub_group_atomics)
    acquire_within(Synchronization::in_sub_group(group.number, state_.sub_group_of(last)),
                   same_sub_group);
}

// The entry of a work-item's own past: its accesses so far, and those of its group before the last
// barrier. It includes copies that the group has waited for, because no barrier waits for copies.
Clock::Entry AtomicOrder::own_entry(const CheckedGroup &group, unsigned memory, uint32_t item) {
  return {.before = group.base[memory], .copies = group.copies_awaited, .up_to = {item, group.now}};
}

// Releases what `number` knew and its entry to one clock of an object. `is_now`: it has learned
// nothing since. If the object carries nothing else, the work-item now has that version: its next
// acquire from the object finds a later one.
[[gnu::always_inline]] inline void AtomicOrder::leave(const CheckedAccess &access, unsigned memory,
                                                      uint32_t number, const Clock &known,
                                                      const Clock::Entry &entry, bool is_now,
                                                      Clock &clock, bool replaces) {
  CheckedGroup &group = access.group;
  if (clock.goes_on_with(known, group.number, entry)) // typical of locks
    return;
  if (replaces)
    clock.replace(known, group.number, entry);
  else
    clock.absorb(known, group.number, entry);
  if (is_now && group.has_version(number, memory, clock) && memory == access.memory)
    group.version_of = access.address;
}

// `item`: the work-item, if the kernel has fences and this work-item has made some. A relaxed
// atomic releases what its last fence or the group's barrier released. A releasing atomic covers
// all of that.
[[gnu::always_inline]] inline uint16_t
AtomicOrder::leave_all(const CheckedAccess &access, CheckOrder order, uint32_t number,
                       const ItemClocks *item, unsigned reach, Synchronization::Carried &carried,
                       bool replaces, bool is_head) {
  CheckedGroup &group = access.group;
  const FenceClocks *fences = item ? item->fences() : nullptr;
  uint16_t carries = 0;
  for (unsigned memory : both_memories) {
    Clock &clock = carried.clocks[memory];
    if (releases(order) && orders(access, order, memory)) {
      leave(access, memory, number, group.known_by(number, memory),
            own_entry(group, memory, number), !is_head, clock, replaces);
    } else if (fences && fences->fenced[reach][memory]) {
      const Released &fenced = fences->fenced[reach][memory];
      leave(access, memory, number, fenced.known, fenced.own,
            !is_head && group.known_by(number, memory).is_same(fenced.known), clock, replaces);
    } else if (group.fenced_memories >> memory & 1) {
      leave(access, memory, number, group.fenced[memory].known, group.fenced[memory].own, false,
            clock, replaces);
    } else {
      if (replaces && !clock.is_empty())
        clock.clear();
      continue;
    }
    carries |= uint16_t(1u << memory);
  }
  if (replaces)
    carried.releases = 0;
  if (carries) {
    ++carried.releases;
    carried.last_group = group.number;
  }
  return carries;
}

// The common release, of locks and of counters of groups.
[[gnu::always_inline]] inline uint16_t
AtomicOrder::release_plainly(const CheckedAccess &access, CheckOrder order, uint32_t number,
                             Synchronization &object, bool replaces) {
  const uint16_t carries =
      leave_all(access, order, number, nullptr, device, object.device, replaces, false);
  state_.record_release(access.group, number);
  return carries;
}

// `carries`: for other groups (AtomicWrite::carries). Returns true if it has released anything.
bool AtomicOrder::leave_everywhere(const CheckedAccess &access, CheckOrder order, uint32_t number,
                                   Synchronization::Carried &for_device,
                                   Synchronization::Within &within, bool replaces, bool is_head,
                                   uint16_t &carries) {
  const CheckSite &site = access.site;
  CheckedGroup &group = access.group;
  const ItemClocks *item = has_fences(site) ? group.items.find(number) : nullptr;
  uint16_t for_others = 0;
  if (site.scope >= CheckScope::device)
    for_others = leave_all(access, order, number, item, device, for_device, replaces, is_head);
  else if (replaces)
    for_device.clear();
  carries |= for_others;
  bool has_left = for_others;
  auto leave_within = [&](uint64_t which, unsigned reach) {
    if (!includes(site.scope, reach))
      return;
    if (!within)
      within = std::make_unique<Synchronization::Within::element_type>();
    has_left |=
        leave_all(access, order, number, item, reach, (*within)[which], replaces, is_head) != 0;
  };
  if (site.synchronizes >= CheckSite::by_narrow_atomics)
    leave_within(Synchronization::in_group(group.number), same_group);
  if (site.synchronizes >= CheckSite::by_sub_group_atomics)
    leave_within(Synchronization::in_sub_group(group.number, state_.sub_group_of(number)),
                 same_sub_group);
  return has_left;
}

namespace {

void copy(const Synchronization::Carried &from, Synchronization::Carried &to) {
  for (unsigned memory : both_memories)
    if (!from.clocks[memory].is_empty())
      to.clocks[memory].replace(from.clocks[memory]); // its line grows independently from here on
  to.releases = from.releases;
  to.last_group = from.last_group;
}

template <class From, class To> void copy_all(const From &from, To &to) {
  copy(from.device, to.device);
  if (!from.within)
    return;
  to.within = std::make_unique<Synchronization::Within::element_type>();
  for (const auto &[which, carried] : *from.within)
    copy(carried, (*to.within)[which]);
}

uint16_t carried_for_others(const Synchronization &object) {
  uint16_t carries = 0;
  for (unsigned memory : both_memories)
    carries |= uint16_t(!object.device.clocks[memory].is_empty() << memory);
  return carries;
}

} // namespace

// For kernels whose stores may release less than the writes they follow. The object carries what
// `head` has released, or what each of `heads` has.
uint16_t AtomicOrder::release_as_head(const CheckedAccess &access, CheckOrder order,
                                      uint32_t number, Synchronization &object, bool replaces) {
  const uint64_t who = uint64_t(access.group.number) << 32 | number;
  uint16_t carries = 0;
  const bool is_all =
      releases(order) && access.site.scope >= CheckScope::device &&
      (order == CheckOrder::seq_cst || object.device.clocks[1 - access.memory].is_empty());
  // The object carries nothing yet
  if (!object.heads && !object.within && !carried_for_others(object))
    object.head = who;
  // The store ends all sequences of other work-items
  if (replaces && !object.heads && object.head != who) {
    object.within.reset();
    if (leave_everywhere(access, order, number, object.device, object.within, true, false, carries))
      state_.record_release(access.group, number);
    object.head = who;
    return carries;
  }
  if (replaces && is_all && !object.within) { // the common case: all of the object is its own again
    object.heads.reset();
    object.head = who;
    if (leave_everywhere(access, order, number, object.device, object.within, true, false, carries))
      state_.record_release(access.group, number);
    return carries;
  }
  if (replaces && object.heads) {
    const auto heads = std::exchange(object.heads, nullptr);
    object.device.clear();
    object.within.reset();
    if (const auto own = heads->find(who); own != heads->end())
      copy_all(own->second, object);
    object.head = who;
  }
  if (object.head == who && !object.heads) {
    if (leave_everywhere(access, order, number, object.device, object.within, false, false,
                         carries))
      state_.record_release(access.group, number);
    return replaces ? carried_for_others(object) : carries;
  }
  Synchronization::Head head;
  if (object.heads)
    if (const auto known = object.heads->find(who); known != object.heads->end())
      copy_all(known->second, head);
  uint16_t of_head = 0;
  if (!leave_everywhere(access, order, number, head.device, head.within, false, true, of_head))
    return 0;
  if (!object.heads) {
    object.heads = std::make_unique<std::unordered_map<uint64_t, Synchronization::Head>>();
    copy_all(object, (*object.heads)[object.head]);
  }
  (*object.heads)[who] = std::move(head);
  leave_everywhere(access, order, number, object.device, object.within, false, false, carries);
  state_.record_release(access.group, number);
  return carries;
}

// Returns what the atomic carries for other groups.
uint16_t AtomicOrder::release(const CheckedAccess &access, CheckOrder order, uint32_t number,
                              Synchronization &object, bool replaces) {
  const CheckSite &site = access.site;
  // Most relaxed atomics, if the kernel has no fences.
  if (!replaces && !releases(order) && !has_fences(site))
    return 0;
  if (site.fences & CheckSite::weak_stores)
    return release_as_head(access, order, number, object, replaces);
  if (replaces)
    object.within.reset();
  uint16_t carries = 0;
  if (leave_everywhere(access, order, number, object.device, object.within, replaces, false,
                       carries))
    state_.record_release(access.group, number);
  return carries;
}

// At a barrier of a sub-group.
void AtomicOrder::share_clocks(CheckedGroup &group, uint64_t lanes, uint64_t first_item) {
  for (unsigned memory : both_memories) {
    Clock all;
    for (uint64_t left = lanes; left; left &= left - 1) {
      const auto number = uint32_t(first_item) + uint32_t(std::countr_zero(left));
      all.join(group.known_by(number, memory));
      all.add(group.number, own_entry(group, memory, number));
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
      const auto number = uint32_t(first_item) + uint32_t(std::countr_zero(left));
      group.clock_of(group.items[number], memory).join(all);
    }
  }
}

// Same result as visit_atomic() for the common atomics: two of these take and release a lock.
[[gnu::always_inline]] inline void AtomicOrder::plain_atomic(const CheckedAccess &access,
                                                             uintptr_t at, uint32_t item,
                                                             Synchronization &object,
                                                             bool has_failed) {
  CheckedGroup &group = access.group;
  const CheckSite &site = access.site;
  const CheckOrder order = has_failed ? site.failure : site.order;
  const Epoch epoch = group.now;
  const bool replaces = site.kind == AccessKind::atomic_write;
  if (!replaces) {
    group.reads.note(access.place, item, group.now, at, object.writes);
    if (goes_on_to(access, order, item, object))
      return object.note({access.place, 1, group.number, item, epoch, group.base});
    if (const Synchronization::Carried &source = object.device;
        source.releases && (acquires(order) || has_fences(site))) {
      for (unsigned memory : both_memories) {
        const Clock &carried = source.clocks[memory];
        if (carried.is_empty())
          continue;
        if (!acquires(order) || !orders(access, order, memory)) {
          if (has_fences(site))
            group.acquire_by_fence(item, memory, carried);
        } else if (group.acquire(item, memory, carried) && memory == access.memory) {
          group.version_of = at;
        }
      }
      if (acquires(order))
        group.acquired = {access.place, at, source.releases, source.last_group, item};
    }
    if (site.same_value != compiler::SameValue::conflicts_only_with_atomics)
      comparer_.visit_by_one(access, at, item);
    if (site.kind == AccessKind::atomic_read || has_failed)
      return;
  } else if (site.same_value != compiler::SameValue::conflicts_only_with_atomics) {
    comparer_.visit_by_one(access, at, item);
  }
  const uint16_t carries =
      releases(order) && !site.fences ? release_plainly(access, order, item, object, replaces)
      : replaces || site.fences       ? release(access, order, item, object, replaces)
                                      : 0;
  object.note({access.place, carries, group.number, item, epoch, group.base});
}

[[gnu::always_inline]] inline uint64_t
AtomicOrder::locked_atomic(const CheckedAccess &access, void *address, uint64_t lanes,
                           uint64_t first_item, uint64_t operand, uint64_t expected,
                           bool is_locked) {
  CheckedGroup &group = access.group;
  const CheckSite &site = access.site;
  const auto at = reinterpret_cast<uintptr_t>(address);
  const bool is_one = lanes >> std::countr_zero(lanes) == 1; // not std::popcount, which is slower
  const SynchronizationObjects::Locked locked(state_.known_records().objects, state_.number, at,
                                              state_.is_alone, is_locked);
  Synchronization &object = locked.object();
  group.object = &object;
  if (!state_.is_alone)
    LastObject::own().note(state_.number, at, object);
  // The thread that reads an object usually stores to it next.
  if (site.kind != AccessKind::atomic_write && !state_.is_alone) {
    fetch_to_write(address);
    object.fetch(access.memory);
  }
  if (access.memory == checked_local && object.local_group != group.number) {
    object.begin(group.number); // the previous group with that memory has ended
  }
  std::optional<ObjectChange> change;
  if (site.kind != AccessKind::atomic_read)
    change.emplace(object, state_.is_alone);
  uint64_t was = 0;
  {
    const HeldLock held(group, locked.lock());
    was = site.size == sizeof(uint32_t) // the common size
              ? access_word(site, static_cast<uint32_t *>(address), uint32_t(operand),
                            uint32_t(expected))
              : make_atomic_access(site, address, operand, expected);
  }
  const bool has_failed = site.kind == AccessKind::atomic_update &&
                          site.operation == AtomicOperation::compare_and_swap && was != expected;
  try {
    if (is_one && NumberedSites::is_plain_atomic(access.place))
      plain_atomic(access, at, uint32_t(first_item) + uint32_t(std::countr_zero(lanes)), object,
                   has_failed);
    else
      visit_atomic(access, at, lanes, first_item, object, has_failed);
  } catch (const std::bad_alloc &) {
    state_.give_up();
  }
  change.reset();
  if (!state_.is_alone)
    make_for_others(locked, address);
  return was;
}

[[gnu::always_inline]] inline uint64_t AtomicOrder::atomic(const CheckedAccess &access,
                                                           void *address, uint64_t lanes,
                                                           uint64_t first_item, uint64_t operand,
                                                           uint64_t expected) {
  CheckedGroup &group = access.group;
  const auto at = reinterpret_cast<uintptr_t>(address);
  state_.begin_epoch_after_release(group, lanes, first_item);
  group.last_address = at;
  bool is_locked = false;
  if (!state_.is_alone && std::has_single_bit(lanes) && may_be_combined(access)) {
    const auto item = uint32_t(first_item) + uint32_t(std::countr_zero(lanes));
    if (const auto was = combined_atomic(access, address, item, operand, is_locked))
      return *was;
  }
  return locked_atomic(access, address, lanes, first_item, operand, expected, is_locked);
}

// Work-items that wait repeat such loads, so that the last state of the object is kept per thread.
inline uint64_t AtomicOrder::look(CheckedGroup &group, const CheckSite &site, uint16_t place,
                                  void *address, uint64_t lanes, uint64_t first_item) {
  state_.begin_epoch_after_release(group, lanes, first_item);
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto *const word = static_cast<uint32_t *>(address);
  group.last_address = at;
  const auto item = uint32_t(first_item) + uint32_t(std::bit_width(lanes) - 1);
  auto learn = [&](const Synchronization::Carried &carried, const AtomicWrites &writes) {
    group.reads.note(place, item, group.now, at, writes);
    try {
      acquire({group, site, place, checked_global, at}, site.order, lanes, first_item, carried,
              nullptr, at);
    } catch (const std::bad_alloc &) {
      state_.give_up();
    }
  };
  uint64_t was = 0;
  if (!state_.is_alone)
    if (const SeenObject *seen = SeenObjects::own().find(state_.number, at);
        seen && seen->look(*word, was)) {
      learn(seen->device, seen->writes);
      return was;
    }
  const SynchronizationObjects::Locked locked(state_.known_records().objects, state_.number, at,
                                              state_.is_alone);
  Synchronization &object = locked.object();
  group.object = &object;
  {
    const HeldLock held(group, locked.lock());
    was = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  }
  learn(object.device, object.writes);
  if (!state_.is_alone)
    SeenObjects::own().note(state_.number, at, object);
  return was;
}

[[gnu::noinline]] static uint64_t on_any_atomic(const compiler::LaunchInfo *launch,
                                                const compiler::GroupInfo *group, CheckSite *site,
                                                void *address, uint64_t lanes, uint64_t first_item,
                                                uint64_t intervals, uint64_t operand,
                                                uint64_t expected) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (!check)
    return make_atomic_access(*site, address, operand, expected);
  check->footprint().record(*site, address, 0, lanes & -lanes);
  const auto memory = memory_of(*site, address);
  if (memory && check->compares() && !check->has_given_up()) [[likely]]
    try { // on an exception the access has not been made
      CheckedGroup &entered = check->enter(*group, intervals);
      const uint16_t place = NumberedSites::number_of(*site);
      return check->atomics().atomic(
          {entered, *site, place, *memory, reinterpret_cast<uintptr_t>(address)}, address, lanes,
          first_item, operand, expected);
    } catch (const std::bad_alloc &) {
      check->give_up();
    }
  return make_atomic_access(*site, address, operand, expected);
}

namespace {

// For sites that NumberedSites selects. What the fast path does not handle takes the slow path.
template <bool takes>
uint64_t on_lock(const compiler::LaunchInfo *launch, const compiler::GroupInfo *group,
                 CheckSite *site, void *address, uint64_t lanes, uint64_t first_item,
                 uint64_t intervals, uint64_t operand, uint64_t expected) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  try {
    CheckedGroup *entered =
        lanes & (lanes - 1) ? nullptr : check->enter_fast_path(*group, intervals);
    const auto item = uint32_t(first_item) + uint32_t(std::countr_zero(lanes));
    if (uint64_t was = 0; entered && check->atomics().hand_over<takes>(
                                         *entered, *site, NumberedSites::known_number_of(*site),
                                         address, item, uint32_t(operand), was))
      return was;
  } catch (const std::bad_alloc &) {
    check->give_up();
  }
  return on_any_atomic(launch, group, site, address, lanes, first_item, intervals, operand,
                       expected);
}

uint64_t on_look(const compiler::LaunchInfo *launch, const compiler::GroupInfo *group,
                 CheckSite *site, void *address, uint64_t lanes, uint64_t first_item,
                 uint64_t intervals, uint64_t operand, uint64_t expected) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  try {
    if (CheckedGroup *entered = check->enter_fast_path(*group, intervals))
      return check->atomics().look(*entered, *site, NumberedSites::known_number_of(*site), address,
                                   lanes, first_item);
  } catch (const std::bad_alloc &) {
    check->give_up();
  }
  return on_any_atomic(launch, group, site, address, lanes, first_item, intervals, operand,
                       expected);
}

} // namespace

static thread_local const void *last_atomic_write = nullptr;

const void *take_atomic_write() {
  return std::exchange(last_atomic_write, nullptr);
}

uint64_t on_atomic(const compiler::LaunchInfo *launch, const compiler::GroupInfo *group,
                   CheckSite *site, void *address, uint64_t lanes, uint64_t first_item,
                   uint64_t intervals, uint64_t operand, uint64_t expected) {
  const auto place = uint16_t(std::atomic_ref(site->number).load(std::memory_order_acquire));
  if (site->kind != AccessKind::atomic_read && site->address_space != compiler::local_space)
    last_atomic_write = address;
  auto *way = on_any_atomic;
  if (launch->check && NumberedSites::hands_over(place))
    way = NumberedSites::takes(place) ? on_lock<true> : on_lock<false>;
  else if (launch->check && NumberedSites::looks(place))
    way = on_look;
  return way(launch, group, site, address, lanes, first_item, intervals, operand, expected);
}

void AtomicOrder::visit_atomic(const CheckedAccess &access, uintptr_t at, uint64_t lanes,
                               uint64_t first_item, Synchronization &object, bool has_failed) {
  const CheckSite &site = access.site;
  const CheckOrder order = has_failed ? site.failure : site.order;
  for (uint64_t left = lanes; left;) {
    // Lanes that only read learn the same and change nothing, so that only the last of them is
    // recorded.
    const uint64_t together =
        site.kind == AccessKind::atomic_read || has_failed ? left : left & -left;
    const auto item = uint32_t(first_item) + uint32_t(std::bit_width(together) - 1);
    const Epoch epoch = access.group.now;
    if (site.kind != AccessKind::atomic_write) {
      access.group.reads.note(access.place, item, epoch, at, object.writes);
      acquire(access, order, together, first_item, object.device, object.within, at);
    }
    if (site.same_value != compiler::SameValue::conflicts_only_with_atomics)
      comparer_.visit_together(access, at, together, first_item);
    left &= ~together;
    if (site.kind == AccessKind::atomic_read || has_failed)
      return;
    const uint16_t carried =
        release(access, order, item, object, site.kind == AccessKind::atomic_write);
    object.note({access.place, carried, access.group.number, item, epoch, access.group.base});
  }
}

void AtomicOrder::fence(const CheckedAccess &access, uint64_t lanes, uint64_t first_item) {
  CheckedGroup &group = access.group;
  const CheckSite &site = access.site;
  state_.begin_epoch_after_release(group, lanes, first_item);
  // No atomic acquires with a reach narrower than `narrowest`.
  const unsigned narrowest = site.synchronizes >= CheckSite::by_sub_group_atomics ? same_sub_group
                             : site.synchronizes >= CheckSite::by_narrow_atomics  ? same_group
                                                                                  : device;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const auto number = uint32_t(first_item) + uint32_t(std::countr_zero(left));
    ItemClocks &item = group.items[number];
    for (unsigned memory : both_memories) {
      constexpr uint32_t flags[] = {2, 1}; // CLK_GLOBAL_MEM_FENCE, CLK_LOCAL_MEM_FENCE
      if (!(site.fences & flags[memory]))
        continue;
      for (unsigned reach = device; reach <= narrowest; ++reach) {
        if (!includes(site.scope, reach))
          continue;
        if (FenceClocks *fences = item.fences();
            fences && acquires(site.order) && !fences->pending[reach][memory].is_empty()) {
          group.clock_of(item, memory).join(fences->pending[reach][memory]);
          fences->pending[reach][memory].clear();
        }
      }
      if (!releases(site.order))
        continue;
      for (unsigned reach = device; reach <= narrowest; ++reach)
        if (includes(site.scope, reach)) {
          Released &fenced = item.with_fences().fenced[reach][memory];
          fenced.known = group.known_by(number, memory);
          fenced.own = own_entry(group, memory, number);
        }
    }
  }
  if (releases(site.order) && std::has_single_bit(lanes))
    state_.record_release(group, uint32_t(first_item) + uint32_t(std::countr_zero(lanes)));
  else if (releases(site.order))
    state_.begin_epoch(group);
}

} // namespace lockstep::runtime
