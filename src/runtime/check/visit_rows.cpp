// Rows of work-items that access rows of granules, in kernels that synchronise by atomics (shadow_rows.h).
#include "runtime/check/check_places.h"
#include "runtime/check/launch_check.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockstep::runtime {

namespace {

// Shorter ones alone are not worth it.
unsigned shortest_row = 16;

} // namespace

void remember_rows_from(unsigned granules) {
  shortest_row = granules;
}

// Of a plain access by `item` and the next ones: what it leaves, but for where. None if it is of another kind.
std::optional<ShadowRun> LaunchCheck::run_of(const Access &access, uint32_t item) {
  const RecordKind kind = CheckPlaces::kind_of(access.place);
  if (!access.site.is_ordered_by_atomics() || access.memory != checked_global || is_atomic(kind) ||
      CheckPlaces::is_guess(access.place) || is_copy(item) ||
      !access.group.sub_group_barriers.empty())
    return std::nullopt;
  return ShadowRun{.stamp = access.group.now,
                   .site = access.place,
                   .item = uint16_t(item),
                   .is_write = kind == RecordKind::write};
}

// The same as of a record, of several granules.
[[gnu::always_inline]] inline bool LaunchCheck::is_ordered(CheckedGroup &group,
                                                           const ShadowRun &before,
                                                           const ShadowRun &now, unsigned first,
                                                           unsigned last) const {
  const Stamp stamp = before.stamp;
  const bool is_own = stamp - group.run <= group.now - group.run ||
                      stamp - group.earlier < group.earlier_end - group.earlier;
  const uint32_t owner = is_own ? group.number : group_of(stamp);
  if (owner == group.number &&
      (stamp < group.base[checked_global] || before.item_at(0) == now.item_at(0)))
    return true;
  return group.known_groups.covers(owner, stamp) ||
         is_covered(group, owner, before, now, first, last);
}

bool LaunchCheck::is_covered(CheckedGroup &group, uint32_t owner, const ShadowRun &before,
                             const ShadowRun &now, unsigned first, unsigned last) {
  if (owner != group.number)
    if (const Stamp all = group.known[checked_global].covers_before(owner); before.stamp < all) {
      group.known_groups.note(owner, all);
      return true;
    }
  for (unsigned granule = first; granule <= last; ++granule) {
    const uint32_t item = now.item_at(granule), other = before.item_at(granule);
    if ((owner != group.number || item != other) &&
        !group.known_by(item, checked_global).covers(owner, other, before.stamp))
      return false;
  }
  return true;
}

// `now` is of `many` granules from that address on, on one page. How many are done.
unsigned LaunchCheck::pass_runs(CheckedGroup &group, ShadowPage &page, uintptr_t address,
                                unsigned many, ShadowRun now) const {
  for (unsigned done = 0; done != many;) {
    const std::size_t index = page.index(address) + done;
    const auto first = unsigned(index % ShadowRow::granules),
               some = std::min(many - done, ShadowRow::granules - first);
    now.first = uint8_t(first);
    now.last = uint8_t(first + some - 1);
    auto is_before = [&](const ShadowRun &before, unsigned from, unsigned to) {
      return is_ordered(group, before, now, from, to);
    };
    const std::size_t row = index / ShadowRow::granules;
    if (row + 1 != rows_of_page)
      page.row(row + 1).fetch(); // mostly somebody goes on there
    if (!page.row(row).pass(now, is_before))
      return done;
    done += some;
    now.item = uint16_t(now.item + some);
  }
  return many;
}

// Lanes that are left.
uint64_t LaunchCheck::visit_runs(const Access &access, uintptr_t address, uint64_t lanes,
                                 uint32_t item) const {
  const auto skipped = unsigned(std::countr_zero(lanes));
  const uint64_t together = lanes >> skipped;
  if (together & (together + 1))
    return lanes;
  auto now = run_of(access, item + skipped);
  if (!now)
    return lanes;
  address += uintptr_t(run_granule) * skipped;
  auto left = unsigned(std::popcount(lanes));
  const bool is_long = left >= shortest_row;
  while (left) {
    const LockedPage locked{&known_records().shadow.page(address)};
    ShadowPage &page = *locked.page;
    page.lock(number_, is_alone_);
    if (!page.use_rows(is_long))
      break;
    const auto many = std::min(
        left, unsigned(ShadowPage::bytes - (address & (ShadowPage::bytes - 1))) / run_granule);
    const unsigned done = pass_runs(access.group, page, address, many, *now);
    left -= done;
    if (done != many)
      break;
    address += uintptr_t(run_granule) * done;
    now->item = uint16_t(now->item + done);
  }
  const unsigned done = unsigned(std::popcount(lanes)) - left;
  return done == 64 ? 0 : together >> done << done << skipped;
}

// False: the page has words from then on.
bool LaunchCheck::visit_one_as_run(const Access &access, ShadowPage &page, uintptr_t address,
                                   uint32_t item) const {
  if (access.site.size == run_granule && !(address & (run_granule - 1)) &&
      page.use_rows(shortest_row <= 1))
    if (const auto now = run_of(access, item);
        now && pass_runs(access.group, page, address, 1, *now) == 1)
      return true;
  page.use_words();
  return false;
}

} // namespace lockstep::runtime
