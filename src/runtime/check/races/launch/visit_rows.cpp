// Compares the accesses of rows of work-items with the shadow of rows of cells, and records them
// (shadow_rows.h): writes, and reads in kernels that synchronize by atomics.
#include "runtime/check/races/launch/access_comparer.h"
#include "runtime/check/races/shadow/report_sites.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockstep::runtime {

namespace {

// A row shorter than this does not start rows on a page.
unsigned shortest_row = 16;

} // namespace

void remember_rows_from(unsigned granules) {
  shortest_row = granules;
}

// Whether accesses of the group at this place can be stored as runs.
static bool goes_by_rows(const CheckedGroup &group, uint16_t place) {
  return NumberedSites::may_be_run(place) && group.sub_group_barriers.empty();
}

// Like is_ordered() for a record, for several cells.
struct AccessComparer::RunsBefore {
  const AccessComparer &check;
  CheckedGroup &group;
  const ShadowRun &now;
  const Epoch run = group.run, many = group.now - group.run, base = group.base[checked_global];

  [[gnu::always_inline]] bool operator()(const ShadowRun &before, uint64_t granules) const {
    const Epoch epoch = before.epoch();
    if (epoch - run <= many && (epoch < base || before.has_items_of(now))) [[likely]]
      return true;
    return check.is_covered(group, before, now, granules);
  }
};

bool AccessComparer::is_covered(CheckedGroup &group, const ShadowRun &before, const ShadowRun &now,
                                uint64_t granules) const {
  const uint32_t owner = state_.group_of(before.epoch());
  if (owner == group.number) {
    if (before.epoch() < group.base[checked_global] || before.has_items_of(now))
      return true;
  } else if (before.epoch() < group.known[checked_global].covers_before(owner)) {
    return true;
  }
  for (; granules; granules &= granules - 1) {
    const auto granule = unsigned(std::countr_zero(granules));
    if (!group.known_by(now.item_at(granule), checked_global)
             .covers(owner, before.item_at(granule), before.epoch()))
      return false;
  }
  return true;
}

// Visits `many` cells of one page from `address` on, by `item` and the next ones. Returns the
// number completed.
[[gnu::always_inline]] inline unsigned AccessComparer::pass_runs(CheckedGroup &group,
                                                                 uint16_t place, ShadowPage &page,
                                                                 uintptr_t address, unsigned many,
                                                                 uint32_t item) const {
  const bool is_write = NumberedSites::kind_of(place) == RecordKind::write;
  unsigned index = unsigned(address & (ShadowPage::bytes - 1)) / run_granule, done = 0;
  ShadowRow *row = &page.row(index / ShadowRow::granules);
  const ShadowRow *const last = &page.row(rows_of_page - 1);
  for (index %= ShadowRow::granules;; index = 0, ++row) {
    const unsigned some = std::min(many - done, ShadowRow::granules - index);
    const ShadowRun now{ShadowRun::who_of(group.now, place, item + done - index),
                        ShadowRow::all >> (64 - some) << index};
    if (row != last)
      row[1].fetch(); // usually accessed next
    if (!row->pass(now, is_write, RunsBefore{*this, group, now}))
      return done;
    done += some;
    if (done == many)
      return done;
  }
}

uint64_t AccessComparer::visit_runs(CheckedGroup &group, uint16_t place, uintptr_t address,
                                    uint64_t lanes, uint32_t item) const {
  const auto skipped = unsigned(std::countr_zero(lanes));
  const uint64_t together = lanes >> skipped;
  if (together & (together + 1) || !goes_by_rows(group, place))
    return lanes;
  const auto all = unsigned(std::bit_width(together));
  address += uintptr_t(run_granule) * skipped;
  item += skipped;
  unsigned done = 0;
  while (true) {
    const LockedPage locked{&state_.known_records().shadow.page(address)};
    ShadowPage &page = *locked.page;
    page.lock(state_.number, state_.is_alone);
    if (!page.use_rows(all >= shortest_row))
      break;
    const auto many =
        std::min(all - done,
                 unsigned(ShadowPage::bytes - (address & (ShadowPage::bytes - 1))) / run_granule);
    const unsigned some = pass_runs(group, place, page, address, many, item);
    done += some;
    if (done == all)
      return 0;
    if (some != many)
      break;
    address += uintptr_t(run_granule) * some;
    item += some;
  }
  return together >> done << done << skipped;
}

// Returns false if the page uses words from then on.
bool AccessComparer::visit_one_as_run(const CheckedAccess &access, ShadowPage &page,
                                      uintptr_t address, uint32_t item) const {
  if (access.memory == checked_global && !(address & (run_granule - 1)) && !is_copy(item) &&
      goes_by_rows(access.group, access.place) && page.use_rows(shortest_row <= 1) &&
      pass_runs(access.group, access.place, page, address, 1, item) == 1)
    return true;
  page.use_words();
  return false;
}

} // namespace lockstep::runtime
