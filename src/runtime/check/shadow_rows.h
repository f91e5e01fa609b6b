// What a page remembers where rows of work-items access rows of granules, in kernels that synchronise by atomics: runs of
// granules, each by the next work-item, instead of two words for each granule. Then to compare an access of a whole sub-group
// is to compare it with the few runs that are there.
//
// For each granule the runs say exactly who wrote it last, and who has read it since. Where there are too many of them, or
// something else accesses the page, they become words, until the end of the launch (ShadowPage::use_words).
#pragma once

#include "runtime/check/fetch_to_write.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lockstep::runtime {

// What one group did at one place of the source with some granules of a row: each next one by the next work-item.
struct ShadowRun {
  uint64_t who = 0;      // in one word, since it is made and copied all the time
  uint64_t granules = 0; // bits
  // `item`: that of granule 0, if it is one of them; it may be below 0.
  static uint64_t who_of(uint32_t stamp, uint16_t site, uint32_t item) {
    return stamp | uint64_t(site) << 32 | uint64_t(item) << 48;
  }
  uint32_t stamp() const { return uint32_t(who); }
  uint16_t site() const { return uint16_t(who >> 32); }
  uint16_t item_at(unsigned granule) const { return uint16_t((who >> 48) + granule); }
  bool has_items_of(const ShadowRun &other) const { return (who ^ other.who) >> 48 == 0; }
};
static_assert(sizeof(ShadowRun) == 16);

// Of some granules, one after the other.
class alignas(64) ShadowRow {
public:
  static constexpr unsigned granules = 64, most = 11, crowded = 6; // runs
  static constexpr uint64_t all = ~uint64_t(0);

  void clear() { many_ = writes_ = 0; }
  unsigned size() const { return many_; }
  const ShadowRun &operator[](unsigned run) const { return runs_[run]; }
  bool is_write(unsigned run) const { return writes_ >> run & 1; }

  // `is_ordered(before, granules)`: is what that run did with these granules before this access? False: not all that it
  // conflicts with is, or there is no room for it. What others have then is as it was, but for what this access stands for.
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
    runs_[0] = now; // nothing else is left
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
  // Runs that read what this one does, before it, so that it stands for them. Where there are few of them, to find that out is
  // more than it is worth.
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

  uint32_t many_ = 0, writes_ = 0; // bits of those that write; in one line with the first ones
  std::array<ShadowRun, most> runs_{};
};

inline constexpr std::size_t rows_of_page = 16;
using ShadowRows = std::array<ShadowRow, rows_of_page>;

} // namespace lockstep::runtime
