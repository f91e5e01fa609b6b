// Exact comparison: which accesses conflict, whether they are ordered, and what is recorded of an
// access that does not replace all earlier ones.
#include "runtime/check/races/launch/access_comparer.h"
#include "runtime/check/races/shadow/report_sites.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <utility>

namespace lockstep::runtime {

using compiler::CheckSite;

bool AccessComparer::is_ordered(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  const uint32_t owner = record.epoch == group.now ? group.number : state_.group_of(record.epoch);
  if (owner == group.number && (is_copy(record.item) || is_copy(item)))
    return is_ordered_with_copy(pair);
  if (owner == group.number) {
    if (record.epoch < group.base[access.memory] ||
        (record.item == item && record.last_item == item && !record.are_several))
      return true;
    if (!group.sub_group_barriers.empty() && is_ordered_in_sub_group(pair))
      return true;
  } else if (access.memory == checked_local) {
    return true; // that group has ended, and its local memory with it
  }
  if (!access.site.is_ordered_by_atomics())
    return false;
  const Clock &known = group.known_by(item, access.memory);
  for (uint32_t other = record.item; other <= record.last_item; ++other)
    if ((owner != group.number || other != item) && !known.covers(owner, other, record.epoch))
      return false;
  return !is_copy(record.item) || !was_passed_over(known.copies_of(owner), record.epoch);
}

bool AccessComparer::was_passed_over(Epoch awaited, Epoch began) const {
  std::lock_guard lock(passed_over_lock_);
  const auto found = passed_over_.find(awaited);
  return found != passed_over_.end() &&
         std::find(found->second.begin(), found->second.end(), began) != found->second.end();
}

void AccessComparer::record_passed_over(Epoch awaited, Epoch began) {
  std::lock_guard lock(passed_over_lock_);
  passed_over_[awaited].push_back(began);
}

// Barriers do not wait for copies. Only a fence by a barrier of the group orders accesses before a
// copy.
bool AccessComparer::is_ordered_with_copy(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  if (!is_copy(record.item))
    return record.epoch < group.base[access.memory] || group.size == 1;
  return record.item == item || group.is_awaited(record.epoch) ||
         (is_copy(item) && record.epoch < group.copies_divided);
}

bool AccessComparer::is_ordered_in_sub_group(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  if (item >= group.sub_group_barriers.size())
    return false;
  const SubGroupBarrier &mine = group.sub_group_barriers[item];
  if (record.epoch >= mine.passed)
    return false;
  for (uint32_t other = record.item; other <= record.last_item; ++other)
    if (other != item && !group.has_met(mine, other))
      return false;
  return true;
}

bool AccessComparer::conflicts(const CheckedAccess &access, const AccessRecord &before,
                               const AccessRecord &now) const {
  if (!writes(before.kind) && !writes(now.kind))
    return false;
  if (!is_atomic(before.kind) || !is_atomic(now.kind))
    return true;
  const AtomicReach narrowest = std::max(before.reach, now.reach);
  return narrowest != AtomicReach::device &&
         (state_.group_of(before.epoch) != access.group.number ||
          narrowest > AtomicReach::work_group);
}

// Atomics with sub-group scope synchronize with the work-items of the sub-group.
bool AccessComparer::races(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const bool are_for_sub_groups =
      is_atomic(record.kind) && is_atomic(NumberedSites::kind_of(access.place)) &&
      std::max(record.reach, NumberedSites::reach(access.place)) == AtomicReach::sub_group &&
      state_.group_of(record.epoch) == access.group.number;
  if (!are_for_sub_groups)
    return !is_ordered(pair);
  AccessRecord one = record;
  for (uint32_t other = record.item; other <= record.last_item; ++other) {
    one.item = one.last_item = uint16_t(other);
    if (state_.sub_group_of(other) != state_.sub_group_of(item) && !is_ordered({one, access, item}))
      return true;
  }
  return false;
}

void AccessComparer::compare(const Visit &visited, ShadowPage &page, std::size_t index,
                             uintptr_t address) {
  const auto &[access, record, quick, word] = visited;
  bool is_reported = false;
  auto look_at = [&](const AccessRecord &before) {
    if (before.epoch < quick.horizon || !conflicts(access, before, record))
      return;
    // With several accessors, this may be one that has been reported already.
    if (is_reported && before.are_several && before.item == record.item)
      return;
    if (const AccessPair pair{before, access, record.item}; races(pair)) {
      reporter_.report(pair, address);
      is_reported = true;
      // The record has two work-items: checks the second one, too.
    } else if (record.last_item != record.item) {
      if (const AccessPair last{before, access, record.last_item}; races(last))
        reporter_.report(last, address);
    }
  };
  auto look_at_word = [&](uint32_t before) {
    if (page.epoch(before) >= quick.horizon)
      look_at(page.record(before));
  };
  if (page.writes())
    look_at_word(page.writes()[index]);
  if (page.others())
    look_at_word(page.others()[index]);
  const uint32_t since = page.sinces()[index];
  if (RecordWord::is_of_two(since)) {
    for (const AccessRecord &before : page.two(since))
      look_at(before);
  } else if (!page.is_set(since)) {
    look_at_word(since);
  } else if (const ShadowSet &set = page.set(since); !set.is_compatible_with(record)) {
    for (const AccessRecord &before : set.records)
      look_at(before.moved(since & RecordWord::item_mask));
  }
  if (record.kind != RecordKind::write)
    return add(visited, page, index);
  // Anything ordered after this write is ordered after all earlier accesses
  page.writes()[index] = word;
  if (page.others())
    page.others()[index] = 0;
  page.drop_set(index);
}

// Whether `now` replaces `before`, given that they are ordered: an access that conflicts with
// `before` and is ordered after `now` is ordered after `before`.
bool AccessComparer::is_replaced(const CheckedAccess &access, const AccessRecord &before,
                                 const AccessRecord &now) const {
  if (before.kind != now.kind || before.reach > now.reach || before.is_guess < now.is_guess)
    return false;
  if (!is_atomic(now.kind) || access.site.synchronizes < CheckSite::by_narrow_atomics)
    return true;
  return state_.group_of(before.epoch) == access.group.number &&
         (access.site.synchronizes < CheckSite::by_sub_group_atomics ||
          (state_.sub_group_of(before.item) == state_.sub_group_of(now.item) &&
           state_.sub_group_of(before.last_item) == state_.sub_group_of(now.item)));
}

void AccessComparer::add(const Visit &visited, ShadowPage &page, std::size_t index) {
  const auto &[access, record, quick, word] = visited;
  auto goes_on = [&record](AccessRecord &before) { // extends a record of neighbors that do the same
    if (before.epoch != record.epoch || before.site != record.site)
      return false;
    if (before.are_several || (before.has(record.item) && before.has(record.last_item)))
      return true;
    if (before.last_item + 1 != record.item)
      return false;
    before.last_item = record.last_item;
    return true;
  };
  auto is_settled = [&](const AccessRecord &before) {
    return before.epoch < quick.horizon ||
           (is_replaced(access, before, record) && is_ordered({before, access, record.item}));
  };
  uint32_t &since = page.sinces()[index];
  if (RecordWord::is_of_two(since)) {
    const auto [one, other] = page.two(since);
    const bool has_one = is_settled(one), has_other = is_settled(other);
    if (has_one && has_other) {
      since = word;
      return;
    }
    auto is_again = [&record](const AccessRecord &before) {
      return before.epoch == record.epoch && before.item == record.item &&
             record.item == record.last_item;
    };
    if (record.kind == RecordKind::read && !record.is_guess && (is_again(one) || is_again(other)))
      return;
  } else if (!page.is_set(since)) {
    AccessRecord before = page.record(since);
    if (is_settled(before)) {
      since = word;
      return;
    }
    if (goes_on(before))
      if (const auto both = RecordWord::of(before, RecordWord::context(since))) {
        since = *both;
        return;
      }
    if (record.kind == RecordKind::read && add_beside(visited, page, index))
      return;
  }
  page.add_to_set(index, record);
  if (const ShadowSet &set = page.set(since); set.records.size() >= set.prune_at)
    prune(visited, page, index);
}

// Both are of this group. Anything ordered after the later one, and all later accesses of the group
// or launch, are ordered after both.
bool AccessComparer::make_two(const Visit &visited, ShadowPage &page, std::size_t index) const {
  const auto &[access, record, quick, word] = visited;
  const uint32_t since = page.sinces()[index];
  return !have_barriers_only(access) && quick.is_single && !is_copy(record.item) &&
         !(since & RecordWord::run_mask) && !is_copy(since & RecordWord::item_mask) &&
         state_.group_of(page.epoch(since)) == access.group.number && page.make_two(index, word);
}

// Records a second reader.
bool AccessComparer::add_beside(const Visit &visited, ShadowPage &page, std::size_t index) {
  const auto &[access, record, quick, word] = visited;
  const uint32_t since = page.sinces()[index];
  if (quick.is_atomic || since & RecordWord::atomic_bit)
    return false;
  page.begin_writes();
  const uint32_t *const epochs = page.words(0).epochs;
  uint32_t &write = page.writes()[index];
  const bool is_written = !(write & RecordWord::reader_bit) && page.epoch(write) >= quick.horizon;
  if (is_written && make_two(visited, page, index))
    return true;
  // Several work-items mostly read again and again what the group has written itself. For other
  // writes a set takes less memory.
  if (is_written && !quick.names_both && access.memory != checked_local &&
      !quick.passes(epochs, write, record.item))
    return false;
  uint32_t *const other = is_written ? &page.make_other(index) : nullptr;
  if (quick.pass(page.words(0), index, word)) // only the room was missing
    return true;
  if (is_written) { // by a write that clocks have ordered before this read
    if (!quick.passes(epochs, *other, record.item))
      return false;
    *other = word;
    return true;
  }
  if (!have_barriers_only(access))
    return false;
  const uint32_t first = state_.group_of(page.epoch(since)),
                 second = state_.group_of(page.epoch(write));
  if (first == second && first == access.group.number)
    return false;
  write = RecordWord::reader_of_another_group(first == second ? word : write);
  return true;
}

// If only barriers order, two work-items of this interval represent their group, and two groups
// represent all: any accessor differs from one of the two. Barriers do not order copies of the
// group, so that work-items and copies do not represent each other.
bool AccessComparer::is_stood_for(const CheckedAccess &access,
                                  const std::vector<AccessRecord> &kept,
                                  const AccessRecord &record) const {
  const CheckedGroup &group = access.group;
  const Epoch base = group.base[access.memory];
  const bool is_own = state_.group_of(record.epoch) == group.number;
  const bool is_before_all_of_group =
      is_own && (is_copy(record.item) ? group.is_awaited(record.epoch) : record.epoch < base);
  if (access.memory == checked_local && (!is_own || is_before_all_of_group))
    return true;
  std::optional<uint32_t> known_group, known_item;
  for (const AccessRecord &other : kept) {
    if (other.kind != record.kind || other.reach != record.reach ||
        other.is_guess > record.is_guess)
      continue;
    const uint32_t owner = state_.group_of(other.epoch);
    if ((is_before_all_of_group && owner == group.number) || owner != known_group.value_or(owner))
      return true;
    known_group = owner;
    if (!is_own || owner != group.number || is_copy(record.item) || is_copy(other.item) ||
        other.epoch < base)
      continue;
    if (other.are_several || other.item != other.last_item ||
        other.item != known_item.value_or(other.item))
      return true;
    known_item = other.item;
  }
  return false;
}

void AccessComparer::prune(const Visit &visited, ShadowPage &page, std::size_t index) const {
  const auto &[access, record, quick, word] = visited;
  uint32_t &since = page.sinces()[index];
  ShadowSet &set = page.set(since);
  const uint32_t first = since & RecordWord::item_mask;
  auto is_now = [&record](const AccessRecord &before) {
    return before.epoch == record.epoch && before.site == record.site && before.has(record.item);
  };
  const std::vector<AccessRecord> records = set.records;
  std::vector<AccessRecord> kept; // newest first: it represents others
  std::vector<bool> is_kept(records.size());
  for (const bool is_newest : {true, false})
    for (std::size_t i = records.size(); i-- != 0;) {
      const AccessRecord before = records[i].moved(first);
      if (is_now(before) != is_newest)
        continue;
      const bool is_settled =
          have_barriers_only(access)
              ? is_stood_for(access, kept, before)
              : is_replaced(access, before, record) && is_ordered({before, access, record.item});
      is_kept[i] = is_newest || !is_settled;
      if (is_kept[i])
        kept.push_back(before);
    }
  if (kept.size() == records.size()) {
    set.prune_at = uint32_t(2 * kept.size());
  } else if (kept.size() == 1 && kept.front() == record) {
    page.drop_set(index);
    since = word;
  } else {
    kept.clear();
    for (std::size_t i = 0; i != records.size(); ++i)
      if (is_kept[i])
        kept.push_back(records[i]);
    page.keep_of_set(index, kept);
  }
}

} // namespace lockstep::runtime
