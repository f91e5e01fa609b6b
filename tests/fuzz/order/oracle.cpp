#include "oracle.h"

#include <algorithm>

namespace lockstep::fuzz {

using compiler::AccessKind;
using compiler::acquires;
using compiler::CheckOrder;
using compiler::CheckScope;
using compiler::releases;

namespace {

unsigned group_of(unsigned item) {
  return item < items ? item / group_size : (item - items) / most_copies;
}
bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic_read || kind == AccessKind::atomic_write ||
         kind == AccessKind::atomic_update;
}
bool writes(AccessKind kind) {
  return kind != AccessKind::read && kind != AccessKind::atomic_read &&
         kind != AccessKind::copy_read;
}

// API 3.3.1: each scope has to include the other work-item.
bool conflict(const OrderOracle::Access &a, const OrderOracle::Access &b) {
  if (a.item == b.item || (!writes(a.kind) && !writes(b.kind)))
    return false;
  const CheckScope both = std::min(a.scope, b.scope);
  const bool reach_each_other =
      both == CheckScope::device ||
      (both == CheckScope::work_group && group_of(a.item) == group_of(b.item)) ||
      (both == CheckScope::sub_group && a.item / sub_group_size == b.item / sub_group_size);
  return !is_atomic(a.kind) || !is_atomic(b.kind) || !reach_each_other;
}

bool includes(CheckScope scope, unsigned needed) {
  return unsigned(scope) >= unsigned(CheckScope::sub_group) + needed;
}

} // namespace

void OrderOracle::join(Clock &to, const Clock &from) {
  for (unsigned i = 0; i != units; ++i)
    to[i] = std::max(to[i], from[i]);
}

OrderOracle::Clock OrderOracle::now(unsigned item, unsigned memory) const {
  Clock clock = items_[item].knows[memory];
  clock[item] = items_[item].time;
  return clock;
}

bool OrderOracle::is_race(const Access &access) const {
  for (uintptr_t byte = access.address; byte != access.address + access.size; ++byte) {
    auto found = history_.find(byte);
    if (found == history_.end())
      continue;
    for (const Event &event : found->second)
      if (conflict(event.access, access) &&
          items_[access.item].knows[access.memory][event.access.item] < event.time)
        return true;
  }
  return false;
}

void OrderOracle::remember(const Access &access) {
  const uint32_t time = ++items_[access.item].time;
  for (uintptr_t byte = access.address; byte != access.address + access.size; ++byte)
    history_[byte].push_back({access, time});
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
          join(is_ordered ? item.knows[memory] : item.pending[scope][memory],
               carried.of(scope, access.item)[memory]);
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
      Clock &left = own.of(scope, access.item)[memory];
      join(left, item.fenced[scope][memory]);
      if (releases(order) && (memory == access.memory || order == CheckOrder::seq_cst))
        join(left, now(access.item, memory));
    }
}

void OrderOracle::fence(unsigned number, CheckOrder order, CheckScope reach, unsigned flags) {
  Item &item = items_[number];
  for (unsigned memory : both)
    for (unsigned scope = 0; scope != scopes; ++scope) {
      if (!(flags & (memory == local_memory ? 1 : 2)) || !includes(reach, scope))
        continue;
      if (acquires(order))
        join(item.knows[memory], item.pending[scope][memory]);
      if (releases(order))
        join(item.fenced[scope][memory], now(number, memory));
    }
}

void OrderOracle::barrier(unsigned group, unsigned flags, bool is_for_device) {
  const unsigned first = group * group_size;
  for (unsigned memory : both) {
    if (!(flags & (memory == local_memory ? 1 : 2)))
      continue;
    const bool is_fence = is_for_device && memory == global_memory; // nobody else has local memory
    Clock all{};
    for (unsigned number = first; number != first + group_size; ++number) {
      if (is_fence)
        fence(number, CheckOrder::acquire, CheckScope::device, 2);
      join(all, now(number, memory));
    }
    for (unsigned number = first; number != first + group_size; ++number) {
      items_[number].knows[memory] = all;
      if (is_fence)
        fence(number, CheckOrder::release, CheckScope::device, 2);
    }
    copies_[group].at_barrier[memory] = all;
  }
}

unsigned OrderOracle::begin_copy(unsigned group) {
  Copies &copies = copies_[group];
  const unsigned first = items + group * most_copies, copy = first + copies.begun++;
  for (unsigned memory : both) {
    Clock &knows = items_[copy].knows[memory];
    knows = copies.at_barrier[memory];
    for (unsigned other = 0; other != std::max(copies.awaited, copies.parted); ++other)
      knows[first + other] = items_[first + other].time;
  }
  return copy;
}

void OrderOracle::wait_for_copies(unsigned group) {
  Copies &copies = copies_[group];
  copies.awaited = copies.begun;
  for (unsigned copy = items + group * most_copies, left = copies.begun; left != 0; ++copy, --left)
    for (unsigned number = group * group_size; number != (group + 1) * group_size; ++number)
      for (unsigned memory : both)
        items_[number].knows[memory][copy] = items_[copy].time;
}

void OrderOracle::sub_group_barrier(unsigned group, unsigned first, uint64_t lanes) {
  for (unsigned memory : both) {
    Clock all{};
    for (unsigned lane = 0; lane != sub_group_size; ++lane)
      if (lanes >> lane & 1)
        join(all, now(group * group_size + first + lane, memory));
    for (unsigned lane = 0; lane != sub_group_size; ++lane)
      if (lanes >> lane & 1)
        items_[group * group_size + first + lane].knows[memory] = all;
  }
}

} // namespace lockstep::fuzz
