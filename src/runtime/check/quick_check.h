// Most accesses follow what is clearly before them: of an earlier launch, before the group's last barrier, or by the same
// work-item. Two words of a granule say that by a few comparisons, for several lanes at once. What does not pass here may
// still be right, and is looked at closely (compare_accesses.cpp).
//
// Of those that read between two barriers, not all must be remembered. Two of one group stand for all of it, since whoever
// writes is not one of two, and two groups for all groups. The first one's word says that there are two of its group; who
// the second one was is in the word of the write, if the launch has not written there, so that reports can name both.
#pragma once

#include "runtime/check/shadow.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

// Of one access by a group.
struct QuickCheck {
  uint32_t horizon = 0; // stamps below it are of earlier launches
  uint32_t from = 0;    // stamps from here on ..
  uint32_t ordered = 0; // .. so many, are before it
  uint32_t copies = 0;  // .. so many, if they are of async copies
  uint32_t earlier_from = 0,
           earlier_many = 0; // so many from there on are before it, too, if they are of no copies
  uint32_t own = 0;          // stamps from here on are the group's own, if there are some
  uint32_t first_copy = 0;   // of items
  bool is_single = true;     // a work-item, which is ordered with itself
  uint32_t interval = 0;     // stamps from here on are of the group's interval, if they are its own
  bool is_write = false, is_atomic = false;
  bool two_stand_for_all = false; // of those that do the same between two barriers
  bool has_one_block = false;     // of stamps: others of this launch are of other groups
  bool names_both = false;        // at a price

  // Of one item that is known: stamps from here on, so many. One after the other, they are of one group.
  uint32_t known_from = 0, known_many = 0, known_item = 0;
  void know(uint32_t from, uint32_t last, uint32_t item) {
    known_from = from;
    known_many = last - from + 1;
    known_item = item;
  }

  static constexpr uint32_t own_stamps = 16;

  // Is what the word says before an access by this item? `stamps`: ShadowContexts::stamps of its page.
  bool passes(const uint32_t *stamps, uint32_t word, uint32_t item) const {
    const uint32_t stamp = stamps[RecordWord::context(word)];
    const bool is_copy = (word & RecordWord::item_mask) >= first_copy;
    const bool is_own =
        stamp - own < own_stamps && is_single && (word & RecordWord::run_and_item_mask) == item;
    const bool is_known =
        stamp - known_from < known_many && (word & RecordWord::run_and_item_mask) == known_item;
    const bool is_earlier = stamp - earlier_from < earlier_many && !is_copy;
    return bool(int(stamp < horizon) | int(stamp - from < (is_copy ? copies : ordered)) |
                int(is_earlier) | int(is_own) | int(is_known));
  }
  // The same of what came since the last write: there an atomic access does not stand for a plain one.
  bool passes_since(const uint32_t *stamps, uint32_t word, uint32_t item) const {
    return bool(
        int(passes(stamps, word, item)) &
        (int(!(word & RecordWord::atomic_bit)) | int(stamps[RecordWord::context(word)] < horizon)));
  }

  // May a reader by this item be where a write or a second reader was?
  bool is_free(const uint32_t *stamps, uint32_t write, uint32_t item) const {
    const bool is_old = stamps[RecordWord::context(write)] < horizon;
    return bool(int(is_old) |
                (int((write & RecordWord::reader_bit) != 0) & int(passes(stamps, write, item))));
  }
  bool is_of_another_group(const uint32_t *stamps, uint32_t word) const {
    const uint32_t stamp = stamps[RecordWord::context(word)];
    return bool(int(has_one_block) & int(stamp >= horizon) & int(stamp - own >= own_stamps));
  }
  // Does `now` do what one of its group has done since the last barrier? Then two stand for all that do it. Reads at any
  // two places of the source are the same.
  bool joins(const uint32_t *stamps, uint32_t word, uint32_t now) const {
    if (is_atomic)
      return two_stand_for_all && RecordWord::context(word) == RecordWord::context(now);
    const uint32_t stamp = stamps[RecordWord::context(word)];
    return bool(int(two_stand_for_all) & int(stamp - own < own_stamps) & int(stamp >= interval) &
                int(!(word & RecordWord::atomic_bit)) &
                int((word & RecordWord::item_mask) < first_copy));
  }
  // The word of both. One of them is named in it, not the one who wrote the granule: that one is who mostly writes it again.
  static uint32_t of_both(uint32_t word, uint32_t now, uint32_t write) {
    if (word & RecordWord::run_mask || ((word ^ now) & RecordWord::run_and_item_mask) == 0)
      return word;
    const bool is_writer = ((word ^ write) & RecordWord::item_mask) == 0;
    return (is_writer ? now : word) | RecordWord::several;
  }

  // Does one of its group read what another one has read last, or one of two that have? As granules before it.
  bool leave_two(const GranuleWords &words, uint32_t &since, uint32_t now) const {
    if (!is_single)
      return false;
    const uint32_t context = RecordWord::context(since), now_context = RecordWord::context(now),
                   now_stamp = words.stamps[now_context];
    const uint32_t apart = (now - since) & RecordWord::item_mask;
    for (const TwoReadersNow &two : words.readers) {
      if (context == two.first && !(since & RecordWord::run_mask) && now_context == two.second &&
          apart == two.apart) {
        since = RecordWord::of_two(two.both, since & RecordWord::item_mask);
        return true;
      }
      if (context == two.both && ((apart == 0 && now_stamp == two.first_stamp) ||
                                  (apart == two.apart && now_stamp == two.second_stamp)))
        return true;
    }
    return false;
  }

  // Looks at a granule, and leaves the word there if it passes.
  bool pass(const GranuleWords &words, std::size_t index, uint32_t now) const {
    if (is_write)
      return pass_write(words, index, now);
    const auto [stamps, writes, sinces, others, readers] = words;
    const uint32_t item = now & RecordWord::item_mask;
    const uint32_t write = writes ? writes[index] : 0;
    const bool is_plain_read = !is_atomic;
    if (!passes(stamps, write, item) && !(is_plain_read && write & RecordWord::reader_bit))
      return false;
    return is_atomic ? pass_atomic(words, index, now) : pass_read(words, index, now);
  }
  bool pass_write(const GranuleWords &words, std::size_t index, uint32_t now) const {
    const auto [stamps, writes, sinces, others, readers] = words;
    const uint32_t item = now & RecordWord::item_mask;
    if (!passes(stamps, writes[index], item) || !passes(stamps, sinces[index], item) ||
        (others && !passes(stamps, others[index], item)))
      return false;
    writes[index] = now;
    sinces[index] = 0;
    if (others)
      others[index] = 0;
    return true;
  }

private:
  bool pass_read(const GranuleWords &words, std::size_t index, uint32_t now) const {
    const auto [stamps, writes, sinces, others, readers] = words;
    const uint32_t item = now & RecordWord::item_mask;
    uint32_t &since = sinces[index];
    const uint32_t write = writes ? writes[index] : 0;
    const bool is_free = this->is_free(stamps, write, item);
    if (passes_since(stamps, since, item)) {
      since = now;
      return true;
    }
    if (joins(stamps, since, now)) {
      if (of_both(since, now, write) == since)
        return true;
      if (is_free ? !writes : names_both && !(others && passes(stamps, others[index], item)))
        return false; // for want of a place
      if (is_free)
        writes[index] = RecordWord::second_reader(now);
      else if (names_both)
        others[index] = now;
      since = is_free || names_both ? since | RecordWord::several : of_both(since, now, write);
      return true;
    }
    if (since & RecordWord::atomic_bit ||
        stamps[RecordWord::context(since)] == ShadowContexts::set_stamp)
      return false;
    const bool is_reader = (write & RecordWord::reader_bit) != 0;
    if (RecordWord::is_of_another_group(write) && stamps[RecordWord::context(write)] >= horizon)
      return true; // two of two groups have read it
    if (!is_free && !is_reader && leave_two(words, since, now))
      return true;
    if (writes && is_of_another_group(stamps, since) &&
        (is_free || (is_reader && is_of_another_group(stamps, write))))
      writes[index] = RecordWord::reader_of_another_group(now);
    else if (writes && is_free)
      writes[index] = RecordWord::second_reader(now);
    else if (others && !is_free && !is_reader && passes(stamps, others[index], item))
      others[index] = now;
    else
      return false;
    return true;
  }

  bool pass_atomic(const GranuleWords &words, std::size_t index, uint32_t now) const {
    const auto [stamps, writes, sinces, others, readers] = words;
    if (others && !passes(stamps, others[index], now & RecordWord::item_mask))
      return false;
    uint32_t &since = sinces[index];
    if (stamps[RecordWord::context(since)] < horizon)
      since = now;
    else if (joins(stamps, since, now))
      since = of_both(since, now, writes ? writes[index] : 0);
    else
      return false;
    return true;
  }
};

// Granules of bits in `which`, by the item of `word`, or one after the other (`step` 1) from that, each for 1 << `shared`
// granules. Theirs become the words of those that pass; what is left is returned, and unchanged.
uint64_t pass_words(const QuickCheck &check, const GranuleWords &words, uint64_t which,
                    uint32_t word, uint32_t step, unsigned shared = 0);

// The same of 16 granules anywhere on a page: granule i of them is `words` + `places`[i], and its item that of `word` + i.
uint32_t pass_places(const QuickCheck &check, const GranuleWords &words, uint32_t which,
                     const uint32_t *places, uint32_t word);

// Sixteen addresses, of lanes of bits in `lanes`.
struct SixteenAddresses {
  const uintptr_t *addresses;
  uint32_t lanes; // not 0

  // Is each `size` bytes behind the one of the lane before?
  bool are_row(uint64_t size) const;
  // Those on the page of ShadowPage::bytes that begins there, and of which granule they are, by lane. Null bits of `low` are
  // those of all of these addresses.
  uint32_t on_page(uintptr_t first, unsigned granule, uint32_t *places, uintptr_t &low) const;
  // Leaves words of atomic accesses by work-items of one group, where there are words of such accesses by that group or of
  // earlier launches: granules of that many bytes, on these pages, one or two. Lane 0 is that item. Returns lanes that are done.
  uint32_t leave_atomics(std::span<const AtomicsOnPage> pages, unsigned granule, uint32_t horizon,
                         uint32_t item) const;
};

void check_lane_by_lane(); // from now on, as CPUs without AVX-512 do; for tests

} // namespace lockstep::runtime
