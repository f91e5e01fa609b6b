// Most accesses follow what is clearly before them: of an earlier launch, before the group's last barrier, or by the same
// work-item. Two words of a granule say that by a few comparisons, for several lanes at once. What does not pass here may
// still be right, and is looked at closely (launch_check.cpp).
#pragma once

#include "runtime/check/shadow.h"

#include <cstddef>
#include <cstdint>

namespace lockstep::runtime {

// Of one access by a group.
struct QuickCheck {
  uint64_t horizon = 0;    // stamps below it are of earlier launches
  uint64_t from = 0;       // stamps from here on ..
  uint64_t ordered = 0;    // .. so many, are before it
  uint64_t copies = 0;     // .. so many, if they are of async copies
  uint64_t own = 0;        // stamps from here on are the group's own, if there are some
  uint64_t first_copy = 0; // of items
  bool is_single = true;   // a work-item, which is ordered with itself
  uint64_t interval = 0;   // stamps from here on are of the group's interval, if they are its own
  bool is_write = false;
  bool two_stand_for_all = false; // of those that read between two barriers

  // Is what the word says before an access by this item?
  bool passes(uint64_t word, uint64_t item) const {
    const uint64_t stamp = word >> RecordWord::stamp_shift;
    const bool is_copy = (word & RecordWord::item_mask) >= first_copy;
    const bool is_own =
        stamp - own < own_stamps && is_single && (word & RecordWord::run_and_item_mask) == item;
    return bool(int(stamp < horizon) | int(stamp - from < (is_copy ? copies : ordered)) |
                int(is_own));
  }
  // The same of what came since the last write: there an atomic access does not stand for a plain one.
  bool passes_since(uint64_t word, uint64_t item) const {
    return bool(int(passes(word, item)) & (int(!(word & RecordWord::atomic_bit)) |
                                           int((word >> RecordWord::stamp_shift) < horizon)));
  }

  // One that reads need not be compared with others that do; then it may stand beside the one that was first.
  bool passes_beside(uint64_t since, uint64_t other, uint64_t item) const {
    return bool(int(passes(other, item)) & int(!(since & RecordWord::atomic_bit)) &
                int(since >> RecordWord::stamp_shift != RecordWord::set_stamp));
  }
  // Two work-items that have read since the group's last barrier: whoever writes, is not one of them.
  bool are_two(uint64_t since, uint64_t other) const {
    return bool(int(two_stand_for_all) & int(is_of_interval(since)) & int(is_of_interval(other)) &
                int((since & RecordWord::item_mask) != (other & RecordWord::item_mask)));
  }

  static constexpr uint64_t own_stamps = 16;

private:
  bool is_of_interval(uint64_t word) const {
    const uint64_t stamp = word >> RecordWord::stamp_shift;
    return bool(int(stamp - own < own_stamps) & int(stamp >= interval) &
                int(!(word & (RecordWord::atomic_bit | RecordWord::run_mask))) &
                int((word & RecordWord::item_mask) < first_copy));
  }
};

// Granules of bits in `which`, by the item of `word`, or one after the other (`step` 1) from that. If all pass, theirs
// become the words; else false, and nothing has changed.
bool pass_words(const QuickCheck &check, const GranuleWords &words, uint64_t which, uint64_t word,
                uint64_t step);

} // namespace lockstep::runtime
