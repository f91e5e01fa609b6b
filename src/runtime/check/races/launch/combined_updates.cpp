// Updates of a contended object, which the owner of its lock makes for the threads that wait
// (update_requests.h).
//
// Requires: the conditions of may_be_combined(): a counter of groups, at which a work-item arrives
// with a clock that has nothing but an earlier version of the counter's, or of another object's.
// Ensures: the same result as AtomicOrder::plain_atomic(). Under the lock, only the word, the
// object's clock and its records change. The work-item's own clock and records follow afterwards, on
// its own thread.
#include "platform/linux/futex.h"
#include "runtime/check/races/clocks/seen_objects.h"
#include "runtime/check/races/launch/atomic_order.h"
#include "runtime/check/races/launch/checked_memory.h"
#include "runtime/check/races/shadow/report_sites.h"

#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>

namespace lockstep::runtime {

using compiler::acquires;
using compiler::AtomicOperation;
using compiler::CheckOrder;
using compiler::CheckSite;
using compiler::releases;

bool AtomicOrder::may_be_combined(const CheckedAccess &access) const {
  const CheckSite &site = access.site;
  const CheckedGroup &group = access.group;
  return site.kind == compiler::AccessKind::atomic_update &&
         site.operation != AtomicOperation::compare_and_swap && !site.fences &&
         access.memory == checked_global && NumberedSites::is_plain_atomic(access.place) &&
         site.same_value == compiler::SameValue::conflicts_only_with_atomics &&
         (site.order != CheckOrder::seq_cst || !state_.has_local_memory) && !group.fenced_memories;
}

// What the work-item knows: nothing (null), or a version of one object's clock. nullopt: more.
static std::optional<const Clock *> plainly_known(CheckedGroup &group, uint32_t item) {
  const Clock &known = group.known_by(item, checked_global);
  if (known.is_empty())
    return nullptr;
  return known.has_line_only() ? std::optional(&known) : std::nullopt;
}

UpdateRequest *AtomicOrder::post(const CheckedAccess &access, void *address, uint32_t item,
                                 uint64_t operand, UpdateRequests &requests) {
  CheckedGroup &group = access.group;
  const auto known = plainly_known(group, item);
  if (!known)
    return nullptr;
  UpdateRequest *request = requests.claim();
  if (!request)
    return nullptr;
  request->site = &access.site;
  request->address = address;
  request->operand = operand;
  request->known = *known;
  request->known_entries = *known ? (*known)->few_entries() : std::span<const std::byte>();
  request->write = {access.place, 0, group.number, item, group.now, group.base};
  request->entry = own_entry(group, checked_global, item);
  std::swap(request->spare, Clock::SpareLine::own());
  request->state.store(UpdateRequest::posted, std::memory_order_release);
  return request;
}

// True if the object carries one line for groups, and nothing else.
static bool carries_line_only(const Synchronization &object) {
  const Synchronization::Carried &device = object.device;
  return device.releases && device.clocks[checked_global].has_line_only() &&
         device.clocks[checked_local].is_empty() && !object.within && !object.heads;
}

// A work-item that acquires and releases, and comes from another object: instead of joining the
// object's clock, which may be long, to its own, it leaves its own there and takes the result. That
// has its own entry as well, which orders nothing: a work-item's accesses are ordered among
// themselves, and those of its group before its last barrier are ordered before it.
bool AtomicOrder::goes_on_to(const CheckedAccess &access, CheckOrder order, uint32_t item,
                             Synchronization &object) {
  if (!acquires(order) || !releases(order) || !may_be_combined(access) ||
      !carries_line_only(object))
    return false;
  CheckedGroup &group = access.group;
  Synchronization::Carried &device = object.device;
  Clock &carried = device.clocks[checked_global];
  const auto known = plainly_known(group, item);
  if (!known || !*known || (*known)->lineage() == carried.lineage())
    return false;
  group.acquired = {access.place, access.address, device.releases, device.last_group, item};
  carried.absorb(**known);
  carried.append(group.number, own_entry(group, checked_global, item), /*knows_all=*/true);
  ++device.releases;
  device.last_group = group.number;
  group.clock_of(group.items[item], checked_global) = carried;
  group.version_of = access.address;
  state_.record_release(group, item);
  return true;
}

// Called by the lock's owner. Returns false if the object carries more than one line for groups.
bool AtomicOrder::make_for(UpdateRequest &request, Synchronization &object) {
  const CheckOrder order = request.site->order;
  Synchronization::Carried &device = object.device;
  Clock &carried = device.clocks[checked_global];
  const bool is_ordered = acquires(order) || releases(order);
  if (is_ordered && !carries_line_only(object))
    return false;
  const bool is_known = !request.known || request.known->lineage() == carried.lineage(),
             absorbs = request.known && releases(order) && (!is_known || !acquires(order));
  if (acquires(order) && !is_known && !absorbs)
    return false;
  const ObjectChange change(object, false);
  request.was = make_atomic_access(*request.site, request.address, request.operand, /*expected=*/0);
  request.writes = object.writes;
  request.releases = device.releases;
  request.last_group = device.last_group;
  if (acquires(order) && !absorbs)
    request.carried.join(carried, request.spare);
  if (releases(order)) {
    request.write.carries = 1;
    try {
      if (absorbs)
        carried.absorb(*request.known);
      carried.append(request.write.group, request.entry, acquires(order));
    } catch (const std::bad_alloc &) {
      state_.give_up();
    }
    ++device.releases;
    device.last_group = request.write.group;
  }
  if (acquires(order) && absorbs)
    request.carried.join(carried, request.spare); // goes_on_to()
  object.note(request.write);
  return true;
}

// Called before the object's lock is released.
void AtomicOrder::make_for_others(const SynchronizationObjects::Locked &locked, void *address) {
  if (!locked.is_contended().load(std::memory_order_relaxed))
    return;
  constexpr unsigned most_passes = 4; // then another thread is the owner
  UpdateRequests &requests = objects().requests();
  for (unsigned pass = 0; pass != most_passes; ++pass)
    if (!requests.make_posted(
            address, [&](UpdateRequest &each) { return make_for(each, locked.object()); })) {
      if (pass == 0)
        locked.is_contended().store(false, std::memory_order_relaxed);
      return;
    }
}

// The work-item's part of an update that another thread has made.
void AtomicOrder::learn(const CheckedAccess &access, uint32_t item, UpdateRequest &request) {
  CheckedGroup &group = access.group;
  const CheckOrder order = access.site.order;
  group.object = nullptr;
  group.reads.note(access.place, item, group.now, access.address, request.writes);
  if (acquires(order)) {
    ItemClocks &own = group.items[item];
    own.known[checked_global] = std::move(request.carried); // a later version than it had
    own.has_known[checked_global] = true;
    group.version_of = access.address;
    group.acquired = {access.place, access.address, request.releases, request.last_group, item};
  }
  if (releases(order))
    state_.record_release(group, item);
}

// Returns the previous value, or nullopt: the update has not been made, and is_locked says whether
// this thread has the object's lock now.
std::optional<uint64_t> AtomicOrder::combined_atomic(const CheckedAccess &access, void *address,
                                                     uint32_t item, uint64_t operand,
                                                     bool &is_locked) {
  Synchronization &object = objects().object_at(access.address);
  ShortLock &lock = object.lock;
  is_locked = lock.try_lock();
  if (is_locked)
    return std::nullopt;
  UpdateRequest *request = post(access, address, item, operand, objects().requests());
  if (!request)
    return std::nullopt;
  // The owner takes that back when it finds no request, perhaps just before this one came.
  const auto ask_owner = [&is_contended = object.is_contended] {
    if (!is_contended.load(std::memory_order_relaxed))
      is_contended.store(true, std::memory_order_relaxed);
  };
  ask_owner();
  const auto is_answered = [request] {
    return request->state.load(std::memory_order_acquire) != UpdateRequest::posted;
  };
  constexpr unsigned looks_for_each_lock = 4, looks_before_yielding = 256;
  for (unsigned looks = 1; !is_answered(); ++looks) {
    if (looks % looks_for_each_lock == 0 && lock.try_lock()) {
      is_locked = !is_answered(); // no other thread answers without the lock
      if (!is_locked)
        lock.unlock();
      break;
    }
    if (looks % looks_before_yielding == 0) {
      ask_owner();
      std::this_thread::yield();
    }
    spin_pause();
  }
  std::optional<uint64_t> was;
  if (!is_locked && request->state.load(std::memory_order_relaxed) == UpdateRequest::made) {
    try {
      learn(access, item, *request);
    } catch (const std::bad_alloc &) {
      state_.give_up();
    }
    was = request->was;
  }
  std::swap(request->spare, Clock::SpareLine::own());
  request->carried.clear();
  request->state.store(UpdateRequest::unused, std::memory_order_release);
  return was;
}

} // namespace lockstep::runtime
