#include "runtime/check/races/shadow/report_sites.h"

#include "abi/address_spaces.h"

#include "platform/linux/leaked.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

namespace lockstep::runtime {

using compiler::AccessKind;
using compiler::CheckScope;

namespace {

RecordKind kind_of(AccessKind kind) {
  switch (kind) {
  case AccessKind::read:
  case AccessKind::copy_read:
  case AccessKind::packets_written:
    return RecordKind::read;
  case AccessKind::write:
  case AccessKind::copy_write:
  case AccessKind::packets_read:
    return RecordKind::write;
  case AccessKind::atomic_read:
    return RecordKind::atomic_read;
  default:
    return RecordKind::atomic_write;
  }
}

AtomicReach reach_of(const compiler::CheckSite &site) {
  if (!is_atomic(kind_of(site.kind)))
    return AtomicReach::device;
  return site.scope >= CheckScope::device       ? AtomicReach::device
         : site.scope == CheckScope::work_group ? AtomicReach::work_group
         : site.scope == CheckScope::sub_group  ? AtomicReach::sub_group
                                                : AtomicReach::work_item;
}

// All synchronization of the kernel has device scope.
bool is_plain_atomic(const compiler::CheckSite &site) {
  return kind_of(site.kind) >= RecordKind::atomic_read && site.scope >= CheckScope::device &&
         site.synchronizes < compiler::CheckSite::by_narrow_atomics;
}

// A device-scope lock without fences, and the plain writes between taking and releasing it.
bool hands_over(const compiler::CheckSite &site) {
  if (site.address_space != compiler::global_space || site.size != sizeof(uint32_t) ||
      site.synchronizes != compiler::CheckSite::by_atomics)
    return false;
  if (site.kind == AccessKind::write)
    return site.same_value != compiler::SameValue::has_no_conflict;
  const bool takes = site.kind == AccessKind::atomic_update &&
                     site.operation == compiler::AtomicOperation::exchange && acquires(site.order),
             gives = site.kind == AccessKind::atomic_write && releases(site.order);
  return (takes || gives) && is_plain_atomic(site) && !site.fences &&
         site.same_value == compiler::SameValue::conflicts_only_with_atomics;
}

bool looks(const compiler::CheckSite &site) {
  return site.kind == AccessKind::atomic_read && site.address_space == compiler::global_space &&
         site.size == sizeof(uint32_t) && is_plain_atomic(site) && !has_fences(site) &&
         site.same_value == compiler::SameValue::conflicts_only_with_atomics;
}

// A plain access of words that atomics may order. If only barriers order accesses, many groups may
// read a word, for which words have room and runs have not.
bool may_be_run(const compiler::CheckSite &site) {
  return (site.kind == AccessKind::write ||
          (site.kind == AccessKind::read && site.is_ordered_by_atomics())) &&
         site.size == sizeof(uint32_t) && site.same_value != compiler::SameValue::guess_of_swap &&
         site.same_value != compiler::SameValue::has_no_conflict;
}

} // namespace

struct AllSites {
  static constexpr std::size_t most = std::size_t(NumberedSites::most);
  std::mutex mutex;
  std::deque<NumberedSite> list{NumberedSite{}};
  // Places for sites without a number of their own, by kind and reach.
  std::array<uint16_t, 16> unknown{};

  AllSites() {
    for (AccessKind kind :
         {AccessKind::read, AccessKind::write, AccessKind::atomic_read, AccessKind::atomic_update})
      for (CheckScope scope : {CheckScope::device, CheckScope::work_group, CheckScope::sub_group,
                               CheckScope::work_item}) {
        NumberedSite place;
        place.site.kind = kind;
        place.site.scope = scope;
        unknown[index(place.site)] = add(std::move(place));
      }
  }
  static std::size_t index(const compiler::CheckSite &site) {
    return std::size_t(kind_of(site.kind)) | std::size_t(reach_of(site)) << 2;
  }
  uint16_t add(NumberedSite place) {
    const bool is_guess = place.site.kind == AccessKind::read &&
                          place.site.same_value == compiler::SameValue::guess_of_swap;
    NumberedSites::kinds_[list.size()] =
        uint16_t(index(place.site) | std::size_t(is_guess) << 4 |
                 std::size_t(is_plain_atomic(place.site)) << 5 |
                 (hands_over(place.site) ? NumberedSites::hands_over_bit : 0) |
                 (place.site.kind == AccessKind::atomic_update ? NumberedSites::takes_bit : 0) |
                 (may_be_run(place.site) ? NumberedSites::run_bit : 0) |
                 (looks(place.site) ? NumberedSites::looks_bit : 0));
    list.push_back(std::move(place));
    return uint16_t(list.size() - 1);
  }
  static AllSites &instance() {
    return leaked<AfterFork::make_again>([] { return new AllSites; });
  }
};

uint16_t NumberedSites::new_number_of(compiler::CheckSite &site) {
  std::atomic_ref number(site.number);
  AllSites &all = AllSites::instance();
  std::lock_guard lock(all.mutex);
  if (const uint32_t known = number.load(std::memory_order_relaxed))
    return uint16_t(known);
  const uint16_t made = all.list.size() == AllSites::most
                            ? all.unknown[AllSites::index(site)]
                            : all.add({site, site.file, site.text, site.object,
                                       site.directory ? site.directory : ""});
  number.store(made, std::memory_order_release);
  return made;
}

const NumberedSite &NumberedSites::of(uint16_t number) {
  AllSites &all = AllSites::instance();
  std::lock_guard lock(all.mutex);
  return all.list[number];
}

} // namespace lockstep::runtime
