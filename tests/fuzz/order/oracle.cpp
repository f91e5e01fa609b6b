#include "oracle.h"

#include <algorithm>
#include <bit>

namespace lockstep::fuzz {

using compiler::AccessKind;
using compiler::acquires;
using compiler::CheckOrder;
using compiler::CheckScope;
using compiler::releases;

namespace {

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic_read || kind == AccessKind::atomic_write ||
         kind == AccessKind::atomic_update;
}
bool writes(AccessKind kind) {
  return kind != AccessKind::read && kind != AccessKind::atomic_read &&
         kind != AccessKind::copy_read;
}

bool includes(CheckScope scope, unsigned needed) {
  return unsigned(scope) >= unsigned(CheckScope::sub_group) + needed;
}

bool overlap(const OrderOracle::Access &a, const OrderOracle::Access &b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}

constexpr uintptr_t word_size = 4;

} // namespace

void OrderOracle::Clock::set(unsigned unit, uint32_t time) {
  if (unit >= times_.size())
    times_.resize(unit + 1);
  times_[unit] = time;
}

void OrderOracle::Clock::join(const Clock &other) {
  if (times_.size() < other.times_.size())
    times_.resize(other.times_.size());
  for (std::size_t i = 0; i != other.times_.size(); ++i)
    times_[i] = std::max(times_[i], other.times_[i]);
}

OrderOracle::Clock OrderOracle::now(unsigned item, unsigned memory) const {
  Clock clock = items_[item].knows[memory];
  clock.set(item, items_[item].time);
  return clock;
}

// API 3.3.1: each scope has to include the other work-item.
bool OrderOracle::conflict(const Access &a, const Access &b) const {
  if (a.item == b.item || !overlap(a, b) || (!writes(a.kind) && !writes(b.kind)))
    return false;
  if (!is_atomic(a.kind) || !is_atomic(b.kind))
    return true;
  const CheckScope both = std::min(a.scope, b.scope);
  return !(both == CheckScope::device ||
           (both == CheckScope::work_group && shape_.group_of(a.item) == shape_.group_of(b.item)) ||
           (both == CheckScope::sub_group &&
            shape_.sub_group_of(a.item) == shape_.sub_group_of(b.item)));
}

bool OrderOracle::is_race(const Access &access) const {
  const auto found = history_.find(access.address / word_size);
  if (found == history_.end())
    return false;
  const Clock &knows = items_[access.item].knows[access.memory];
  return std::ranges::any_of(found->second, [&](const Event &event) {
    return knows.of(event.access.item) < event.time && conflict(event.access, access);
  });
}

bool OrderOracle::is_race(std::span<const Access> at_once) const {
  for (std::size_t i = 0; i != at_once.size(); ++i) {
    if (is_race(at_once[i]))
      return true;
    for (std::size_t other = 0; other != i; ++other)
      if (conflict(at_once[other], at_once[i]))
        return true;
  }
  return false;
}

bool OrderOracle::is_race_once_acquired(const Access &access, CheckOrder order) {
  const Item before = items_[access.item];
  acquire(access, order);
  const bool races = is_race(access);
  items_[access.item] = before;
  return races;
}

// Every access ordered after this one is also ordered after the same access made earlier by this
// work-item, so only the latest time is stored.
void OrderOracle::remember(const Access &access) {
  const uint32_t time = ++items_[access.item].time;
  std::vector<Event> &events = history_[access.address / word_size];
  for (Event &event : events)
    if (event.access.item == access.item && event.access.kind == access.kind &&
        event.access.address == access.address && event.access.size == access.size &&
        event.access.scope == access.scope) {
      event.time = time;
      return;
    }
  events.push_back({access, time});
}

void OrderOracle::forget(uintptr_t begin, uintptr_t end) {
  for (uintptr_t word = begin / word_size; word != end / word_size; ++word)
    history_.erase(word);
  objects_.erase(objects_.lower_bound(begin), objects_.lower_bound(end));
}

std::array<unsigned, 2> OrderOracle::reached(unsigned scope, unsigned item) const {
  return {scope, scope == 0 ? shape_.sub_group_of(item) : scope == 1 ? shape_.group_of(item) : 0};
}

void OrderOracle::acquire(const Access &access, CheckOrder order) {
  Item &item = items_[access.item];
  Object &object = objects_[access.address];
  for (unsigned memory : both) {
    const bool is_ordered =
        acquires(order) && (memory == access.memory || order == CheckOrder::seq_cst);
    for (unsigned scope = 0; scope != scopes; ++scope)
      if (includes(access.scope, scope))
        for (auto &[head, carried] : object)
          (is_ordered ? item.knows[memory] : item.pending[scope][memory])
              .join(carried.left[reached(scope, access.item)][memory]);
  }
}

void OrderOracle::release(const Access &access, CheckOrder order, bool replaces) {
  const Item &item = items_[access.item];
  Object &object = objects_[access.address];
  if (replaces)
    std::erase_if(object, [&access](const auto &each) { return each.first != access.item; });
  Carried &own = object[access.item];
  for (unsigned memory : both)
    for (unsigned scope = 0; scope != scopes; ++scope) {
      if (!includes(access.scope, scope))
        continue;
      Clock &left = own.left[reached(scope, access.item)][memory];
      left.join(item.fenced[scope][memory]);
      if (releases(order) && (memory == access.memory || order == CheckOrder::seq_cst))
        left.join(now(access.item, memory));
    }
}

void OrderOracle::fence(unsigned number, CheckOrder order, CheckScope reach, unsigned flags) {
  Item &item = items_[number];
  for (unsigned memory : both)
    for (unsigned scope = 0; scope != scopes; ++scope) {
      if (!(flags & (memory == local_memory ? 1 : 2)) || !includes(reach, scope))
        continue;
      if (acquires(order))
        item.knows[memory].join(item.pending[scope][memory]);
      if (releases(order))
        item.fenced[scope][memory].join(now(number, memory));
    }
}

void OrderOracle::barrier(unsigned group, unsigned flags, bool is_for_device) {
  const unsigned first = group * shape_.group_size, end = first + shape_.group_size;
  for (unsigned memory : both) {
    if (!(flags & (memory == local_memory ? 1 : 2)))
      continue;
    const bool is_fence = is_for_device && memory == global_memory; // local memory is private
    Clock all;
    for (unsigned number = first; number != end; ++number) {
      if (is_fence)
        fence(number, CheckOrder::acquire, CheckScope::device, 2);
      all.join(now(number, memory));
    }
    for (unsigned number = first; number != end; ++number) {
      items_[number].knows[memory] = all;
      if (is_fence)
        fence(number, CheckOrder::release, CheckScope::device, 2);
    }
    copies_[group].at_barrier[memory] = all;
  }
}

unsigned OrderOracle::begin_copy(unsigned group) {
  Copies &copies = copies_[group];
  const unsigned first = shape_.first_copy_of(group), copy = first + copies.begun++;
  for (unsigned memory : both) {
    Clock &knows = items_[copy].knows[memory];
    knows = shape_.group_size == 1 ? now(group, memory) : copies.at_barrier[memory];
    for (unsigned other = 0; other != std::max(copies.awaited, copies.parted); ++other)
      knows.set(first + other, items_[first + other].time);
  }
  return copy;
}

void OrderOracle::undo_copy(unsigned group) {
  items_[shape_.first_copy_of(group) + --copies_[group].begun] = {};
}

void OrderOracle::wait_for_copies(unsigned group) {
  Copies &copies = copies_[group];
  copies.awaited = copies.begun;
  for (unsigned copy = shape_.first_copy_of(group), left = copies.begun; left != 0; ++copy, --left)
    for (unsigned number = group * shape_.group_size; number != (group + 1) * shape_.group_size;
         ++number)
      for (unsigned memory : both)
        items_[number].knows[memory].set(copy, items_[copy].time);
}

void OrderOracle::sub_group_barrier(unsigned group, unsigned first, uint64_t lanes) {
  first += group * shape_.group_size;
  for (unsigned memory : both) {
    Clock all;
    for (uint64_t left = lanes; left; left &= left - 1)
      all.join(now(first + unsigned(std::countr_zero(left)), memory));
    for (uint64_t left = lanes; left; left &= left - 1)
      items_[first + unsigned(std::countr_zero(left))].knows[memory] = all;
  }
}

} // namespace lockstep::fuzz
