// Compact shadow of a page: runs of shadow cells, accessed by consecutive work-items, instead of two
// words per cell. If only barriers order the accesses of a kernel, they are all writes. An access of
// a whole sub-group is then compared with few runs.
//
// Ensures: for each cell the runs give the exact last writer and all readers since. If there are
// too many runs, or other kinds of access, the page uses words until the end of the launch
// (ShadowPage::use_words).
#pragma once

#include "runtime/check/races/shadow/fetch_to_write.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lockstep::runtime {

// What one group did at one source place with some cells of a row: consecutive cells by consecutive
// work-items.
struct ShadowRun {
  uint64_t who = 0;      // one word, because it is copied often
  uint64_t granules = 0; // one bit per cell
  // `item`: the item of cell 0, if cell 0 is in the run; may be negative otherwise.
  static uint64_t who_of(uint32_t epoch, uint16_t site, uint32_t item) {
    return epoch | uint64_t(site) << 32 | uint64_t(item) << 48;
  }
  uint32_t epoch() const { return uint32_t(who); }
  uint16_t site() const { return uint16_t(who >> 32); }
  uint16_t item_at(unsigned granule) const { return uint16_t((who >> 48) + granule); }
  bool has_items_of(const ShadowRun &other) const { return (who ^ other.who) >> 48 == 0; }
};
static_assert(sizeof(ShadowRun) == 16);

// A row of consecutive cells.
class alignas(64) ShadowRow {
public:
  static constexpr unsigned granules = 64, most = 11, crowded = 6; // of runs
  static constexpr uint64_t all = ~uint64_t(0);

  void clear() { many_ = writes_ = 0; }
  unsigned size() const { return many_; }
  const ShadowRun &operator[](unsigned run) const { return runs_[run]; }
  bool is_write(unsigned run) const { return writes_ >> run & 1; }

  // Stores a run. `is_ordered(before, granules)`: whether run `before` is ordered before this
  // access for these cells. Returns false if a conflicting access is not ordered or there is no
  // room. In that case the other runs only lose cells that this access represents.
  template <class IsOrdered>
  [[gnu::always_inline]] bool pass(const ShadowRun &now, bool is_write, IsOrdered is_ordered) {
    return is_write ? pass_write(now, is_ordered) : pass_read(now, is_ordered);
  }
  void fetch() const { fetch_to_write(this); }

private:
  template <class IsOrdered>
  [[gnu::always_inline]] bool pass_write(const ShadowRun &now, IsOrdered is_ordered) {
    for (unsigned i = 0; i != many_; ++i)
      if (const uint64_t both = runs_[i].granules & now.granules;
          both && !is_ordered(runs_[i], both))
        return false;
    if (now.granules != all)
      return replace(now, ~0u, true);
    runs_[0] = now; // the write replaces all runs
    many_ = writes_ = 1;
    return true;
  }
  template <class IsOrdered>
  [[gnu::always_inline]] bool pass_read(const ShadowRun &now, IsOrdered is_ordered) {
    for (uint32_t left = writes_; left; left &= left - 1) {
      const ShadowRun &before = runs_[unsigned(std::countr_zero(left))];
      if (const uint64_t both = before.granules & now.granules; both && !is_ordered(before, both))
        return false;
    }
    if (many_ >= crowded) [[unlikely]]
      return replace(now, read_before(now, is_ordered), false);
    for (unsigned i = 0; i != many_; ++i)
      if (runs_[i].who == now.who) {
        runs_[i].granules |= now.granules;
        return true;
      }
    runs_[many_++] = now;
    return true;
  }
  // The runs of reads that are ordered before this one, so that this one represents them. Skipped
  // when there are few runs: the search costs more than it saves.
  template <class IsOrdered>
  uint32_t read_before(const ShadowRun &now, IsOrdered is_ordered) const {
    uint32_t before = 0;
    for (unsigned i = 0; i != many_; ++i)
      if (const uint64_t both = runs_[i].granules & now.granules;
          both && !is_write(i) && is_ordered(runs_[i], both))
        before |= 1u << i;
    return before;
  }
  bool replace(const ShadowRun &now, uint32_t which, bool is_write);

  uint32_t many_ = 0, writes_ = 0; // one bit per writing run; in the cache line of the first runs
  std::array<ShadowRun, most> runs_{};
};

inline constexpr std::size_t rows_of_page = 16;
using ShadowRows = std::array<ShadowRow, rows_of_page>;

} // namespace lockstep::runtime
