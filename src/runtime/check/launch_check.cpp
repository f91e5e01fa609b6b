#include "runtime/check/launch_check.h"

#include "compiler/compile.h"
#include "compiler/host_functions/address_space_query.h"
#include "runtime/check/check_options.h"
#include "runtime/check/check_places.h"
#include "runtime/check/findings.h"
#include "runtime/check/quick_check.h"
#include "runtime/check/synchronisation.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::runtime {

namespace {

using compiler::AccessKind;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::Intervals;
using compiler::LaunchInfo;

std::atomic<uint64_t> all_launches = 0;
constexpr std::size_t reserve_bytes = 16384;

// Nothing for private memory, which nobody shares.
std::optional<unsigned> memory_of(const CheckSite &site, const void *address) {
  constexpr int private_space = 0, global_space = 1, local_space = 3, generic_space = 4;
  int space = int(site.address_space);
  if (space == generic_space)
    space = lockstep_address_space_of(address);
  if (space == local_space)
    return checked_local;
  return space == global_space ? std::optional(checked_global) : std::nullopt;
  static_assert(private_space == 0);
}

bool is_atomic(RecordKind kind) {
  return kind >= RecordKind::atomic_read;
}
bool writes(RecordKind kind) {
  return kind == RecordKind::write || kind == RecordKind::atomic_write;
}

// Machine code has called, and nothing can be thrown through it.
template <class Function> void unless_given_up(LaunchCheck &check, Function function) {
  if (!check.compares() || check.has_given_up()) [[unlikely]]
    return;
  try {
    function();
  } catch (const std::bad_alloc &) {
    check.give_up();
  }
}

void on_access(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
               const void *address, int64_t stride, uint64_t lanes, uint64_t first_item,
               uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (!check)
    return;
  if (is_argument(site->kind))
    return unless_given_up(*check, [&] {
      CheckedGroup &entered = check->enter(*group, intervals);
      check->argument({entered, *site, CheckPlaces::number_of(*site), checked_global}, address,
                      stride, lanes, first_item);
    });
  check->touch(*site, address, stride, lanes);
  const void *one = address;
  if (stride == compiler::any_addresses)
    one = static_cast<const void *const *>(address)[std::countr_zero(lanes)];
  const auto memory = memory_of(*site, one);
  if (!memory)
    return;
  unless_given_up(*check, [&] {
    CheckedGroup &entered = check->enter(*group, intervals);
    check->access({entered, *site, CheckPlaces::number_of(*site), *memory}, address, stride, lanes,
                  first_item);
  });
}

uint64_t on_atomic(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, void *address,
                   uint64_t lanes, uint64_t first_item, uint64_t intervals, uint64_t operand,
                   uint64_t expected) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  const auto memory = memory_of(*site, address);
  if (check)
    check->touch(*site, address, 0, lanes & -lanes);
  uint64_t was = 0;
  bool is_made = false;
  if (check && memory)
    unless_given_up(*check, [&] {
      CheckedGroup &entered = check->enter(*group, intervals);
      was = check->atomic({entered, *site, CheckPlaces::number_of(*site), *memory}, address, lanes,
                          first_item, operand, expected);
      is_made = true;
    });
  return is_made ? was : make_atomic_access(*site, address, operand, expected);
}

void on_fence(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, uint64_t lanes,
              uint64_t first_item, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (!check)
    return;
  unless_given_up(*check, [&] {
    CheckedGroup &entered = check->enter(*group, intervals);
    if (site->kind == AccessKind::sub_group_barrier)
      return check->sub_group_barrier(entered, *site, lanes, first_item);
    if (site->kind == AccessKind::wait_for_copies)
      return; // told by the intervals
    if (site->kind == AccessKind::arrival)
      return check->arrive(entered, CheckPlaces::number_of(*site), lanes, first_item, intervals);
    check->fence({entered, *site, CheckPlaces::number_of(*site), checked_global}, lanes,
                 first_item);
  });
}

void on_copy(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, const void *address,
             const compiler::CopyShape &shape, uint64_t, uint64_t, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  const auto memory = check ? memory_of(*site, address) : std::nullopt;
  if (!memory)
    return;
  check->touch(*site, address, shape);
  unless_given_up(*check, [&] {
    CheckedGroup &entered = check->enter(*group, intervals);
    check->copy({entered, *site, CheckPlaces::number_of(*site), *memory}, address, shape,
                intervals);
  });
}

void on_choice(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site, uint64_t chosen,
               uint64_t lanes, uint64_t first_item, uint64_t intervals) {
  auto *check = static_cast<LaunchCheck *>(launch->check);
  if (check && chosen & lanes && (chosen & lanes) != lanes)
    unless_given_up(*check, [&] {
      check->choose(check->enter(*group, intervals), CheckPlaces::number_of(*site), chosen & lanes,
                    lanes, first_item);
    });
}

} // namespace

void LaunchCheck::set_hooks() {
  compiler::check_hooks = {on_access, on_atomic, on_fence, on_copy, on_choice};
}

void LaunchCheck::touch(const CheckSite &site, const void *address,
                        const compiler::CopyShape &shape) {
  if (!touched_ || site.argument != CheckSite::no_argument)
    return;
  const auto *first = static_cast<const std::byte *>(address);
  for (uint64_t slice = 0; slice != shape.slices; ++slice)
    for (uint64_t row = 0; row != shape.rows; ++row)
      touched_->touch(site, first + slice * shape.slice_pitch + row * shape.row_pitch, shape.row);
}

std::vector<ReachedBytes> LaunchCheck::touched() const {
  return touched_ ? touched_->reached() : std::vector<ReachedBytes>();
}

LaunchCheck::LaunchCheck(const compiler::KernelInfo &kernel, const LaunchInfo &launch)
    : kernel_(kernel), launch_(launch), number_(++all_launches),
      compares_(check_options().races || !check_options().commands) {
  if (check_options().commands)
    touched_ = std::make_unique<TouchedMemory>();
  if (!check_options().commands)
    Findings::instance().was_checked();
}

LaunchCheck::~LaunchCheck() {
  if (!has_given_up()) // else there is memory again
    LaunchRecords::give_back(std::move(records_));
}

void LaunchCheck::give_up() noexcept {
  std::lock_guard lock(groups_lock_);
  has_given_up_ = true;
  for (auto &each : reserve_)
    each.reset();
}

Error LaunchCheck::no_memory() const {
  const std::string what =
      "the check has no memory for more of its accesses; " + CheckMemory::text();
  if (Findings::instance().is_first("no memory", std::hash<std::string>()(kernel_.name), 0)) {
    Finding finding;
    finding.kind = "no memory";
    finding.kernel = kernel_.name;
    finding.headline = what;
    finding.explanation = {"the launch fails, as it was not checked to its end"};
    Findings::instance().tell(finding);
  }
  return {ErrorKind::out_of_resources, fmt::format("kernel '{}': {}", kernel_.name, what)};
}

// ---- who, and when

CheckedGroup &LaunchCheck::enter(const GroupInfo &info, uint64_t intervals) {
  auto *known = static_cast<CheckedGroup *>(info.check);
  CheckedGroup &group = known && known->launch == number_ ? *known : new_group(info);
  if (intervals != group.intervals) [[unlikely]]
    pass_barriers(group, intervals);
  return group;
}

CheckedGroup &LaunchCheck::new_group(const GroupInfo &info) {
  CheckedGroup *group = nullptr;
  {
    std::lock_guard lock(groups_lock_);
    if (has_given_up())
      throw std::bad_alloc();
    if (!records_) {
      for (auto &each : reserve_)
        each = std::make_unique<std::byte[]>(reserve_bytes);
      records_ = LaunchRecords::borrow();
    }
    if (free_groups_.empty()) {
      if (groups_.size() == groups_.capacity())
        groups_.reserve(std::max<std::size_t>(16, 2 * groups_.size()));
      free_groups_.reserve(groups_.capacity()); // who gives one back must not fail
      free_groups_.push_back(groups_.emplace_back(std::make_unique<CheckedGroup>()).get());
    }
    group = free_groups_.back();
    free_groups_.pop_back();
  }
  const uint64_t *groups = launch_.num_groups, *own = info.group_id;
  group->number = uint32_t(own[0] + groups[0] * (own[1] + groups[1] * own[2]));
  std::copy_n(own, 3, group->id.begin());
  group->now = group->first = records_->owners.add(group->number);
  group->local_memory = reinterpret_cast<uintptr_t>(info.local_memory);
  group->size = info.local_size[0] * info.local_size[1] * info.local_size[2];
  group->launch = number_;
  info.check = group;
  return *group;
}

// All of a group are past a barrier when the first one tells of it.
void LaunchCheck::pass_barriers(CheckedGroup &group, uint64_t intervals) {
  const uint64_t before = std::exchange(group.intervals, intervals);
  group.now = new_stamp(group);
  const bool is_fence = intervals / Intervals::device_step != before / Intervals::device_step;
  std::unique_lock lock(order_lock_, std::defer_lock);
  if (is_fence || !group.items.empty())
    lock.lock();
  auto has_passed = [&](uint64_t step, uint64_t field) {
    return (intervals / step & field) != (before / step & field);
  };
  if (has_passed(Intervals::copy_fence_step, Intervals::copy_fence_field))
    group.copies_parted = group.now;
  for (unsigned memory : {checked_global, checked_local}) {
    const uint64_t step = memory == checked_global ? Intervals::global_step : Intervals::local_step;
    if (!has_passed(step, Intervals::field))
      continue;
    group.base[memory] = group.now;
    for (auto &[number, item] : group.items) {
      if (item.has_known[memory])
        group.known[memory].join(item.known[memory]);
      if (is_fence && memory == checked_global) {
        group.known[memory].join(item.pending[memory]);
        group.known[memory].join(item.pending_in_group[memory]);
      }
      item.known[memory].clear();
      item.has_known[memory] = false;
    }
    if (!is_fence || memory != checked_global) // nobody else has its local memory
      continue;
    group.fenced[memory] = group.known[memory];
    group.fenced[memory].add(group.number, {.before = group.now, .copies = group.copies_awaited});
  }
  // A wait is told at once, so that barriers told with it stand before it: they do not cover what was waited for then.
  if (has_passed(Intervals::wait_step, Intervals::wait_field))
    end_wait(group);
}

// ---- what is ordered

bool LaunchCheck::is_ordered(const Sharing &sharing) const {
  const auto &[record, access, item] = sharing;
  const CheckedGroup &group = access.group;
  const uint32_t owner = record.stamp == group.now ? group.number : group_of(record.stamp);
  if (owner == group.number && (is_copy(record.item) || is_copy(item)))
    return is_ordered_with_copy(sharing);
  if (owner == group.number) {
    if (record.stamp < group.base[access.memory] ||
        (record.item == item && record.last_item == item))
      return true;
    if (!group.sub_group_barriers.empty() && is_ordered_in_sub_group(sharing))
      return true;
  } else if (access.memory == checked_local) {
    return true; // that group is gone, and its local memory with it
  }
  if (!access.site.is_ordered_by_atomics())
    return false;
  const Clock &known = group.known_by(item, access.memory);
  for (uint32_t other = record.item; other <= record.last_item; ++other)
    if ((owner != group.number || other != item) && !known.covers(owner, other, record.stamp))
      return false;
  return true;
}

// No barrier waits for a copy, and none but a barrier of the group has a copy begin after what others did.
bool LaunchCheck::is_ordered_with_copy(const Sharing &sharing) const {
  const auto &[record, access, item] = sharing;
  const CheckedGroup &group = access.group;
  if (!is_copy(record.item))
    return record.stamp < group.base[access.memory] || group.size == 1;
  return record.item == item || group.is_awaited(record.stamp) ||
         (is_copy(item) && record.stamp < group.copies_parted);
}

bool LaunchCheck::is_ordered_in_sub_group(const Sharing &sharing) const {
  const auto &[record, access, item] = sharing;
  const CheckedGroup &group = access.group;
  if (item >= group.sub_group_barriers.size())
    return false;
  const SubGroupBarrier &mine = group.sub_group_barriers[item];
  if (record.stamp >= mine.passed)
    return false;
  for (uint32_t other = record.item; other <= record.last_item; ++other)
    if (other != item && !group.has_met(mine, other))
      return false;
  return true;
}

void LaunchCheck::sub_group_barrier(CheckedGroup &group, const CheckSite &site, uint64_t lanes,
                                    uint64_t first_item) {
  const std::size_t end = first_item + 64;
  if (group.sub_group_barriers.size() < end)
    group.sub_group_barriers.resize(end);
  if (site.is_ordered_by_atomics())
    share_clocks(group, lanes, first_item);
  group.now = new_stamp(group);
  for (uint64_t left = lanes; left; left &= left - 1)
    group.sub_group_barriers[first_item + std::size_t(std::countr_zero(left))].passed = group.now;
}

bool LaunchCheck::conflicts(const Access &access, const AccessRecord &before,
                            const AccessRecord &now) const {
  if (!writes(before.kind) && !writes(now.kind))
    return false;
  if (!is_atomic(before.kind) || !is_atomic(now.kind))
    return true;
  return (before.is_narrow || now.is_narrow) && group_of(before.stamp) != access.group.number;
}

// ---- memory

LaunchCheck::Visit LaunchCheck::visit_of(const Access &access, uint32_t item) const {
  const CheckedGroup &group = access.group;
  const AccessRecord record{.stamp = group.now,
                            .item = uint16_t(item),
                            .last_item = uint16_t(item),
                            .site = access.place,
                            .kind = CheckPlaces::kind_of(access.place),
                            .is_narrow = CheckPlaces::is_narrow(access.place)};
  const bool copies = is_copy(item);
  const bool is_local = access.memory == checked_local;
  const Stamp own = group.now & ~(StampOwners::block_size - 1), base = group.base[access.memory],
              awaited =
                  copies ? std::max(group.all_awaited(), group.copies_parted) : group.all_awaited();
  const Stamp from = is_local ? 0 : own; // who had that memory before, is gone
  auto many = [&](Stamp end) {
    return std::max(is_local ? std::max(end, group.first) : end, from) - from;
  };
  QuickCheck quick{.horizon = records_->owners.horizon(),
                   .from = from,
                   .ordered = many(base),
                   .copies = many(awaited),
                   .own = own,
                   .first_copy = first_copy,
                   .interval = base,
                   .is_write = record.kind == RecordKind::write,
                   .two_stand_for_all = have_barriers_only(access) && !copies};
  return {access, record, quick, !is_atomic(record.kind)};
}

ShadowPage &LaunchCheck::page_at(Visit &visited, uintptr_t address, ShadowPage *&locked) {
  if (locked && locked->has(address))
    return *locked;
  ShadowPage &here = records_->shadow.page(address);
  if (locked)
    std::exchange(locked, nullptr)->unlock();
  here.lock(number_);
  locked = &here;
  visited.enter(here);
  return here;
}

void LaunchCheck::access(const Access &access, const void *address, int64_t stride, uint64_t lanes,
                         uint64_t first_item) {
  Visit visited = visit_of(access, uint32_t(first_item));
  const auto first = reinterpret_cast<uintptr_t>(address);
  LockedPage locked;
  ShadowPage *&page = locked.page;
  if (stride == int64_t(access.site.size) && visited.is_plain) {
    visit_row(visited, first, lanes, page);
  } else if (stride == 0 && is_read_together(access, lanes)) {
    const auto from = uint32_t(std::countr_zero(lanes)), many = uint32_t(std::popcount(lanes));
    visited.set_items(uint32_t(first_item) + from, many);
    visit(visited, first, access.site.size, page);
  } else if (stride == compiler::any_addresses) {
    visit_places(visited, reinterpret_cast<const uintptr_t *>(address), lanes, page);
  } else {
    uintptr_t addresses[64];
    for (unsigned lane = 0; lane != 64u - unsigned(std::countl_zero(lanes)); ++lane)
      addresses[lane] = first + uintptr_t(stride) * lane;
    visit_places(visited, addresses, lanes, page);
  }
}

void LaunchCheck::Visit::set_items(uint32_t first, uint32_t many) {
  record.item = uint16_t(first);
  record.last_item = uint16_t(first + many - 1);
  quick.is_single = false;
}

void LaunchCheck::visit_places(Visit &visited, const uintptr_t *addresses, uint64_t lanes,
                               ShadowPage *&page) {
  const uint32_t first_item = visited.record.item;
  for (unsigned first = 0; first != 64 && lanes >> first; first += 16) {
    const SixteenAddresses some{addresses + first, uint32_t(lanes >> first & 0xffff)};
    if (!some.lanes)
      continue;
    visited.set_item(first_item + first);
    if (visited.is_plain && some.are_row(visited.access.site.size)) {
      const auto skipped = unsigned(std::countr_zero(some.lanes));
      visited.set_item(first_item + first + skipped);
      visit_row(visited, some.addresses[skipped], some.lanes >> skipped, page);
    } else {
      visit_sixteen(visited, some.addresses, some.lanes, page);
    }
  }
}

// Those that lie on one page together.
void LaunchCheck::visit_sixteen(Visit &visited, const uintptr_t *addresses, uint32_t lanes,
                                ShadowPage *&page) {
  const uint64_t size = visited.access.site.size;
  const uint32_t first_item = visited.record.item;
  while (lanes) {
    ShadowPage &here = page_at(visited, addresses[std::countr_zero(lanes)], page);
    uint32_t places[16];
    uintptr_t all = 0;
    uint32_t some = SixteenAddresses{addresses, lanes}.on_page(
        here.first(), unsigned(here.granule()), places, all);
    lanes &= ~some;
    visited.set_item(first_item);
    if (visited.is_plain && size == here.granule() && !(all & (size - 1)) && (some & (some - 1)))
      some = pass_places(visited.quick, here.words(0), some, places, visited.word);
    for (; some; some &= some - 1) {
      const auto lane = unsigned(std::countr_zero(some));
      visited.set_item(first_item + lane);
      visit(visited, addresses[lane], size, page);
    }
  }
}

// Several work-items that read one word are as good as one, unless each of them may be ordered with others.
bool LaunchCheck::is_read_together(const Access &access, uint64_t lanes) const {
  const uint64_t together = lanes >> std::countr_zero(lanes);
  return CheckPlaces::kind_of(access.place) == RecordKind::read && !(together & (together + 1)) &&
         std::has_single_bit(unsigned(std::popcount(lanes))) && have_barriers_only(access);
}

// To order them.
bool LaunchCheck::have_barriers_only(const Access &access) {
  return access.site.synchronises == CheckSite::by_nothing_else;
}

// One after the other, as far as a page goes.
void LaunchCheck::visit_row(Visit &visited, uintptr_t address, uint64_t lanes, ShadowPage *&page) {
  const uint64_t size = visited.access.site.size;
  for (uint32_t item = visited.record.item; lanes;) {
    const int skipped = std::countr_zero(lanes);
    address += size * unsigned(skipped);
    item += uint32_t(skipped);
    lanes >>= skipped;
    ShadowPage &here = page_at(visited, address, page);
    const uint64_t left = ShadowPage::bytes - (address & (ShadowPage::bytes - 1));
    const uint64_t many = std::clamp<uint64_t>(left / size, 1, 64);
    const uint64_t some = many == 64 ? lanes : lanes & ((uint64_t(1) << many) - 1);
    visited.set_item(item);
    uint64_t rest = some;
    if (here.granule() == size && address % size == 0)
      rest = pass_words(visited.quick, here.words(here.index(address)), some, visited.word, 1);
    for (; rest; rest &= rest - 1) {
      const auto lane = uint32_t(std::countr_zero(rest));
      visited.set_item(item + lane);
      visit(visited, address + size * lane, size, page);
    }
    if (many == 64)
      return;
    address += size * many;
    item += uint32_t(many);
    lanes >>= many;
  }
}

// `page` is the one that is locked.
void LaunchCheck::visit(Visit &visited, uintptr_t address, uint64_t size, ShadowPage *&page) {
  constexpr uint64_t most = 64, few = 4; // granules
  if (ShadowPage &here = page_at(visited, address, page);
      size == here.granule() && (address & (size - 1)) == 0)
    return visit_granule(visited, here, here.index(address), address);
  const uintptr_t end = address + size;
  for (uintptr_t at = address; at < end;) {
    ShadowPage &here = page_at(visited, at, page);
    if (here.granule() != 1 && ((address | size) & (here.granule() - 1)))
      here.make_bytes();
    const uint64_t granule = here.granule();
    const uintptr_t stop = std::min(end, (at | (ShadowPage::bytes - 1)) + 1);
    while (at < stop) {
      const std::size_t index = here.index(at);
      const uint64_t many = std::min(most, (stop - at) / granule);
      uint64_t rest = ~uint64_t(0) >> (64 - many);
      if (many >= few && visited.is_plain)
        rest = pass_words(visited.quick, here.words(index), rest, visited.word, 0);
      for (; rest; rest &= rest - 1) {
        const auto i = unsigned(std::countr_zero(rest));
        visit_granule(visited, here, index + i, at + i * granule);
      }
      at += many * granule;
    }
  }
}

// Rows of a copy, of one granule each: several on a page at once.
void LaunchCheck::visit_strided(Visit &visited, uintptr_t address, const compiler::CopyShape &shape,
                                ShadowPage *&page) {
  for (uint64_t row = 0; row != shape.rows;) {
    ShadowPage &here = page_at(visited, address, page);
    const uint64_t granule = here.granule(), step = shape.row_pitch / granule,
                   left = (ShadowPage::bytes - (address & (ShadowPage::bytes - 1))) / granule;
    if (shape.row != granule || ((address | shape.row_pitch) & (granule - 1)) || step == 0 ||
        step > 16 || left == 0) {
      visit(visited, address, shape.row, page);
      address += shape.row_pitch;
      ++row;
      continue;
    }
    const std::size_t index = here.index(address);
    uint64_t which = 0, many = 0;
    for (uint64_t i = 0; i < std::min<uint64_t>(left, 64) && row + many != shape.rows; i += step) {
      which |= uint64_t(1) << i;
      ++many;
    }
    for (uint64_t rest = pass_words(visited.quick, here.words(index), which, visited.word, 0); rest;
         rest &= rest - 1) {
      const auto i = unsigned(std::countr_zero(rest));
      visit_granule(visited, here, index + i, address + i * granule);
    }
    row += many;
    address += many * shape.row_pitch;
  }
}

inline void LaunchCheck::visit_granule(const Visit &visited, ShadowPage &page, std::size_t index,
                                       uintptr_t address) {
  uint32_t &write = page.writes()[index], &since = page.sinces()[index], nothing = 0;
  uint32_t &other = page.others() ? page.others()[index] : nothing;
  const uint32_t *stamps = page.words(index).stamps;
  const QuickCheck &quick = visited.quick;
  const uint32_t item = visited.record.item;
  if (!visited.is_plain || !quick.passes(stamps, write, item))
    return compare(visited, page, index, address);
  if (!quick.is_write) {
    if (since == visited.word)
      return;
    if (quick.passes_since(stamps, since, item))
      since = visited.word;
    else if (page.others() && quick.passes_beside(stamps, since, other, item))
      other = visited.word;
    else if (!page.others() || !quick.are_two(stamps, since, other))
      compare(visited, page, index, address);
  } else if (quick.passes(stamps, since, item) && quick.passes(stamps, other, item)) {
    write = visited.word;
    since = 0;
  } else {
    compare(visited, page, index, address);
  }
}

void LaunchCheck::compare(const Visit &visited, ShadowPage &page, std::size_t index,
                          uintptr_t address) {
  const auto &[access, record, quick, is_plain, word] = visited;
  auto look_at = [&](const AccessRecord &before) {
    if (before.stamp < quick.horizon || !conflicts(access, before, record))
      return;
    if (const Sharing sharing{before, access, record.item}; !is_ordered(sharing))
      report(sharing, address);
    else if (record.last_item != record.item) // one of two is another's
      if (const Sharing last{before, access, record.last_item}; !is_ordered(last))
        report(last, address);
  };
  look_at(page.record(page.writes()[index]));
  if (page.others())
    look_at(page.record(page.others()[index]));
  const uint32_t since = page.sinces()[index];
  if (!RecordWord::is_set(since)) {
    look_at(page.record(since));
  } else if (const ShadowSet &set = page.set_of(index);
             !set.only_atomics || !is_atomic(record.kind) || record.is_narrow) {
    for (const AccessRecord &before : set.records)
      look_at(before);
  }
  if (record.kind != RecordKind::write)
    return add(visited, page, index);
  page.writes()[index] = word; // who is ordered after this one, is ordered after all that was
  page.drop_set(index);
}

// If they are ordered: whatever conflicts with the first one and is ordered after the other, conflicts with that, too.
bool LaunchCheck::is_replaced(const Access &access, const AccessRecord &before,
                              const AccessRecord &now) const {
  const bool may_be_narrow = access.site.synchronises == CheckSite::by_narrow_atomics;
  return before.kind == now.kind && before.is_narrow <= now.is_narrow &&
         (!is_atomic(now.kind) || !may_be_narrow || group_of(before.stamp) == access.group.number);
}

void LaunchCheck::add(const Visit &visited, ShadowPage &page, std::size_t index) {
  const auto &[access, record, quick, is_plain, word] = visited;
  auto goes_on = [&record](AccessRecord &before) { // neighbours that do the same
    if (before.stamp != record.stamp || before.site != record.site)
      return false;
    if (before.has(record.item) && before.has(record.last_item))
      return true;
    if (before.last_item + 1 != record.item)
      return false;
    before.last_item = record.last_item;
    return true;
  };
  auto is_settled = [&](const AccessRecord &before) {
    return before.stamp < quick.horizon ||
           (is_replaced(access, before, record) && is_ordered({before, access, record.item}));
  };
  uint32_t &since = page.sinces()[index];
  if (!RecordWord::is_set(since)) {
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
    if (record.kind == RecordKind::read &&
        quick.passes_beside(page.words(index).stamps, since, page.make_other(index), record.item)) {
      page.others()[index] = word;
      return;
    }
  }
  ShadowSet &set = page.set_of(index);
  if (!set.records.empty() && goes_on(set.records.back()))
    return;
  set.records.push_back(record);
  set.only_atomics = set.only_atomics && is_atomic(record.kind) && !record.is_narrow;
  if (set.records.size() >= set.prune_at)
    prune(access, set, record);
}

// Where only barriers order, two work-items of this interval stand for all of the group, and two groups for all: whoever
// comes is not one of two. No barrier orders a copy of the group, so no work-item stands for it, nor does it for one.
bool LaunchCheck::is_stood_for(const Access &access, const std::vector<AccessRecord> &kept,
                               const AccessRecord &record) const {
  const CheckedGroup &group = access.group;
  const Stamp base = group.base[access.memory];
  const bool is_own = group_of(record.stamp) == group.number;
  const bool is_before_all_of_group =
      is_own && (is_copy(record.item) ? group.is_awaited(record.stamp) : record.stamp < base);
  if (access.memory == checked_local && (!is_own || is_before_all_of_group))
    return true;
  std::optional<uint32_t> known_group, known_item;
  for (const AccessRecord &other : kept) {
    if (other.kind != record.kind || other.is_narrow != record.is_narrow)
      continue;
    const uint32_t owner = group_of(other.stamp);
    if ((is_before_all_of_group && owner == group.number) || owner != known_group.value_or(owner))
      return true;
    known_group = owner;
    if (!is_own || owner != group.number || is_copy(record.item) || is_copy(other.item) ||
        other.stamp < base)
      continue;
    if (other.item != other.last_item || other.item != known_item.value_or(other.item))
      return true;
    known_item = other.item;
  }
  return false;
}

void LaunchCheck::prune(const Access &access, ShadowSet &set, const AccessRecord &record) const {
  std::vector<AccessRecord> kept;
  for (auto it = set.records.rbegin(); it != set.records.rend(); ++it) {
    const bool is_newest = it == set.records.rbegin();
    const bool is_settled = have_barriers_only(access) ? is_stood_for(access, kept, *it)
                                                       : is_replaced(access, *it, record) &&
                                                             is_ordered({*it, access, record.item});
    if (is_newest || !is_settled)
      kept.push_back(*it);
  }
  std::reverse(kept.begin(), kept.end());
  set.records = std::move(kept);
  set.prune_at = std::max<std::size_t>(16, 2 * set.records.size());
}

void LaunchCheck::leave(const GroupInfo &info) {
  auto *group = static_cast<CheckedGroup *>(std::exchange(info.check, nullptr));
  if (!group || group->launch != number_)
    return;
  unless_given_up(*this, [&] { // and what it was told is whole
    end_arrival(*group);
    end_copies(*group);
  });
  std::unique_lock order(order_lock_, std::defer_lock);
  if (group->has_clocks()) // which share nodes with others
    order.lock();
  group->clear();
  if (order.owns_lock())
    order.unlock();
  std::lock_guard lock(groups_lock_);
  free_groups_.push_back(group);
}

} // namespace lockstep::runtime
