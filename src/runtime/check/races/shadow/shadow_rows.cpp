#include "runtime/check/races/shadow/shadow_rows.h"

#include "runtime/check/races/shadow/shadow.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockstep::runtime {

// Adds `now` instead of the cells that it shares with the runs in `which`.
bool ShadowRow::replace(const ShadowRun &now, uint32_t which, bool is_write) {
  ShadowRun whole = now;
  unsigned kept = 0;
  uint32_t writes = 0;
  for (unsigned i = 0; i != many_; ++i) {
    ShadowRun run = runs_[i];
    if (which >> i & 1)
      run.granules &= ~now.granules;
    if (run.who == now.who)
      whole.granules |= run.granules;
    else if (run.granules) {
      writes |= uint32_t(this->is_write(i)) << kept;
      runs_[kept++] = run;
    }
  }
  const bool has_room = kept != most;
  if (has_room) {
    writes |= uint32_t(is_write) << kept;
    runs_[kept++] = whole;
  }
  many_ = kept;
  writes_ = writes;
  return has_room;
}

// ---- rows of a page

bool ShadowPage::begin_rows() {
  static_assert(rows_of_page * ShadowRow::granules * most_granule == bytes);
  if (granule_ != most_granule)
    return false;
  if (!rows_) {
    rows_ = std::make_unique<ShadowRows>();
    count();
  }
  for (ShadowRow &row : *rows_)
    row.clear();
  use_ = Use::rows;
  return true;
}

// Writes first: every reader of a cell has read it after the writer.
void ShadowPage::leave_rows() {
  if (std::exchange(use_, Use::words) != Use::rows)
    return;
  std::fill_n(sinces_.get(), bytes / granule_, 0); // of earlier launches
  for (const bool is_write : {true, false})
    for (std::size_t number = 0; number != rows_of_page; ++number) {
      const ShadowRow &row = (*rows_)[number];
      for (unsigned run = 0; run != row.size(); ++run)
        if (row.is_write(run) == is_write)
          leave_run(number * ShadowRow::granules, row[run], is_write);
    }
}

// `index`: the first cell of the row.
void ShadowPage::leave_run(std::size_t index, const ShadowRun &run, bool is_write) {
  if (is_write)
    begin_writes();
  const uint32_t context = context_of(run.epoch(), run.site());
  for (uint64_t left = run.granules; left; left &= left - 1) {
    const auto granule = unsigned(std::countr_zero(left));
    const uint32_t item = run.item_at(granule), word = RecordWord::of_one(context, false, item);
    uint32_t &since = sinces_[index + granule];
    if (is_write)
      writes_[index + granule] = word;
    else if (since == 0)
      since = word;
    else
      add_to_set(index + granule, record(run.epoch(), run.site(), item));
  }
}

} // namespace lockstep::runtime
