// What a page remembers where rows of work-items access rows of granules, in kernels that synchronise by atomics: runs of
// granules, each by the next work-item, instead of two words for each granule. Then to compare an access of a whole sub-group
// is to compare it with the few runs that are there.
//
// For each granule the runs say exactly who wrote it last, and who has read it since. Where there are too many of them, or
// something else accesses the page, they become words, until the end of the launch (ShadowPage::use_words).
#pragma once

#include "runtime/check/fetch_to_write.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lockstep::runtime {

struct ShadowRun {
  uint32_t stamp = 0;
  uint16_t site = 0, item = 0; // that of the first granule; each next one is by the next work-item
  uint8_t first = 0, last = 0; // granules of the row
  bool is_write = false;       // else it is a read; neither is atomic
  uint32_t item_at(unsigned granule) const { return item + granule - first; }
  bool is_within(const ShadowRun &other) const {
    return other.first <= first && last <= other.last;
  }
  bool overlaps(const ShadowRun &other) const { return first <= other.last && other.first <= last; }
  bool goes_on_with(const ShadowRun &other) const {
    return stamp == other.stamp && site == other.site && item_at(0) == other.item_at(0) &&
           first <= other.last + 1 && other.first <= last + 1;
  }
};
static_assert(sizeof(ShadowRun) == 12);

// Of some granules, one after the other.
class alignas(64) ShadowRow {
public:
  static constexpr unsigned granules = 64, most = 10, crowded = 6; // runs

  void clear() { many_ = 0; }
  const ShadowRun *begin() const { return runs_.data(); }
  const ShadowRun *end() const { return runs_.data() + many_; }

  // `is_ordered(before, first, last)`: is what that run did with these granules before this access? False: not all that
  // it conflicts with is, or there is no room for it, and nothing is changed.
  template <class IsOrdered> bool pass(const ShadowRun &now, IsOrdered is_ordered) {
    uint32_t replaced = 0;  // bits of runs of which nothing is left
    bool is_parted = false; // of one it replaces a part
    for (unsigned i = 0; i != many_; ++i) {
      const ShadowRun &before = runs_[i];
      if (!before.overlaps(now))
        continue;
      const bool conflicts = before.is_write || now.is_write, is_within = before.is_within(now);
      if (!conflicts && (!is_within || many_ < crowded))
        continue; // to find out whether it stands for that one is more than it is worth
      const bool is_before = is_ordered(before, before.first < now.first ? now.first : before.first,
                                        before.last < now.last ? before.last : now.last);
      if (conflicts && !is_before)
        return false;
      if (is_before && is_within && before.is_write <= now.is_write)
        replaced |= 1u << i;
      else
        is_parted |= now.is_write;
    }
    if (is_parted)
      return leave_parts(now, replaced);
    if (replaced + 1 != 1u << many_)
      return leave(now, replaced);
    runs_[0] = now; // nothing else is left
    many_ = 1;
    return true;
  }
  void fetch() const { fetch_to_write(this); }

private:
  bool leave(const ShadowRun &now, uint32_t replaced);
  bool leave_parts(const ShadowRun &now, uint32_t replaced);

  uint32_t many_ = 0; // in one line with the first ones
  std::array<ShadowRun, most> runs_{};
};

inline constexpr std::size_t rows_of_page = 16;
using ShadowRows = std::array<ShadowRow, rows_of_page>;

} // namespace lockstep::runtime
