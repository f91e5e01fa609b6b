#include "runtime/check/shadow_rows.h"

#include "runtime/check/shadow.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lockstep::runtime {

bool ShadowRow::leave(const ShadowRun &now, uint32_t replaced) {
  ShadowRun *same = nullptr;
  for (unsigned i = 0; i != many_; ++i)
    if (!(replaced >> i & 1) && runs_[i].goes_on_with(now))
      same = &runs_[i];
  if (!same) {
    if (many_ == most && !replaced)
      return false;
    if (replaced) { // in its place
      same = &runs_[unsigned(std::countr_zero(replaced))];
      replaced &= replaced - 1;
    } else {
      same = &runs_[many_++];
    }
    *same = now;
  } else {
    if (now.first < same->first) {
      same->item = now.item;
      same->first = now.first;
    }
    same->last = std::max(same->last, now.last);
  }
  if (replaced) {
    unsigned to = 0;
    for (unsigned i = 0; i != many_; ++i)
      if (!(replaced >> i & 1))
        runs_[to++] = runs_[i];
    many_ = to;
  }
  return true;
}

// Who writes ends what others have of these granules: their runs become shorter, or two.
bool ShadowRow::leave_parts(const ShadowRun &now, uint32_t replaced) {
  ShadowRow parts;
  auto add = [&parts](const ShadowRun &part) {
    const bool has_room = parts.many_ != most;
    if (has_room)
      parts.runs_[parts.many_++] = part;
    return has_room;
  };
  for (unsigned i = 0; i != many_; ++i) {
    const ShadowRun &before = runs_[i];
    if (replaced >> i & 1)
      continue;
    ShadowRun part = before;
    if (!before.overlaps(now)) {
      if (!add(part))
        return false;
      continue;
    }
    if (before.first < now.first) {
      part.last = uint8_t(now.first - 1);
      if (!add(part))
        return false;
    }
    if (before.last > now.last) {
      part = before;
      part.item = uint16_t(before.item_at(now.last + 1u));
      part.first = uint8_t(now.last + 1);
      if (!add(part))
        return false;
    }
  }
  if (!parts.leave(now, 0))
    return false;
  *this = parts;
  return true;
}

// ---- of a page

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

// Whoever has read a granule, has done so after who has written it.
void ShadowPage::leave_rows() {
  if (std::exchange(use_, Use::words) != Use::rows)
    return;
  std::fill_n(sinces_.get(), bytes / granule_, 0); // of earlier launches
  for (const bool is_write : {true, false})
    for (std::size_t number = 0; number != rows_of_page; ++number)
      for (const ShadowRun &run : (*rows_)[number])
        if (run.is_write == is_write)
          leave_run(number * ShadowRow::granules, run);
}

// `index`: of the first granule of its row.
void ShadowPage::leave_run(std::size_t index, const ShadowRun &run) {
  if (run.is_write)
    begin_writes();
  const uint32_t context = context_of(run.stamp, run.site);
  for (unsigned granule = run.first; granule <= run.last; ++granule) {
    const uint32_t item = run.item_at(granule), word = RecordWord::of_one(context, false, item);
    uint32_t &since = sinces_[index + granule];
    if (run.is_write)
      writes_[index + granule] = word;
    else if (since == 0)
      since = word;
    else
      add_to_set(index + granule, record(run.stamp, run.site, item));
  }
}

} // namespace lockstep::runtime
