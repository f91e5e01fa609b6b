// Fast check of accesses by shadow words: most accesses follow accesses that are clearly before
// them. Those are of an earlier launch, before the group's last barrier, or by the same work-item.
// A few comparisons of two words per shadow cell decide this, for several lanes at once.
//
// Ensures: an access that passes is correct. One that does not pass may be correct, too:
// compare_accesses.cpp compares it exactly.
//
// Not all readers between two barriers are recorded. Two readers of one group represent the whole
// group, because a writer differs from at least one of them. Readers of two groups represent all
// groups. The first reader's word says that there are two. The second reader is in the write word,
// if the launch has not written the cell, so that reports can name both.
#pragma once

#include "runtime/check/races/shadow/shadow.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::runtime {

// The precomputed limits for one access by a group.
struct QuickCheck {
  uint32_t horizon = 0; // lower epochs are of earlier launches
  uint32_t from = 0;    // epochs from here on ..
  uint32_t ordered = 0; // .. this many, are ordered before the access
  uint32_t copies = 0;  // .. this many, if they are of async copies
  // Epochs in this second range are ordered before it, too, unless they are of copies.
  uint32_t earlier_from = 0, earlier_many = 0;
  uint32_t own = 0;        // epochs from here on are the group's own, if there are any
  uint32_t first_copy = 0; // the first item number of copies
  bool is_single = true;   // one work-item, which is ordered with itself
  uint32_t interval = 0;   // own epochs from here on are of the current barrier interval
  bool is_write = false, is_atomic = false;
  // Two represent all work-items that do the same between two barriers
  bool two_stand_for_all = false;
  bool has_one_block = false; // of epochs: others of this launch are of other groups
  bool names_both = false;    // records the second reader, too, which is slower

  // A range of epochs of one item that the clock is known to cover. Consecutive epochs belong to
  // one group.
  uint32_t known_from = 0, known_many = 0, known_item = 0;
  void know(uint32_t from, uint32_t last, uint32_t item) {
    known_from = from;
    known_many = last - from + 1;
    known_item = item;
  }

  static constexpr uint32_t own_stamps = 16;

  // Whether the access in `word` is before an access by `item`. `stamps`: ShadowContexts::stamps of
  // the page.
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
  // The same for words of accesses since the last write. There an atomic access does not represent
  // a plain one.
  bool passes_since(const uint32_t *stamps, uint32_t word, uint32_t item) const {
    return bool(
        int(passes(stamps, word, item)) &
        (int(!(word & RecordWord::atomic_bit)) | int(stamps[RecordWord::context(word)] < horizon)));
  }

  // Whether a reader `item` may replace the write or second reader in the write word.
  bool is_free(const uint32_t *stamps, uint32_t write, uint32_t item) const {
    const bool is_old = stamps[RecordWord::context(write)] < horizon;
    return bool(int(is_old) |
                (int((write & RecordWord::reader_bit) != 0) & int(passes(stamps, write, item))));
  }
  bool is_of_another_group(const uint32_t *stamps, uint32_t word) const {
    const uint32_t stamp = stamps[RecordWord::context(word)];
    return bool(int(has_one_block) & int(stamp >= horizon) & int(stamp - own >= own_stamps));
  }
  // Whether `now` repeats an access of its group since the last barrier, so that two represent all.
  // Reads at any two source places count as the same.
  bool joins(const uint32_t *stamps, uint32_t word, uint32_t now) const {
    if (is_atomic)
      return two_stand_for_all && RecordWord::context(word) == RecordWord::context(now);
    const uint32_t stamp = stamps[RecordWord::context(word)];
    return bool(int(two_stand_for_all) & int(stamp - own < own_stamps) & int(stamp >= interval) &
                int(!(word & RecordWord::atomic_bit)) &
                int((word & RecordWord::item_mask) < first_copy));
  }
  // The word for both accesses. It names the one that has not written the cell, because the writer
  // usually writes it again.
  static uint32_t of_both(uint32_t word, uint32_t now, uint32_t write) {
    if (word & RecordWord::run_mask || ((word ^ now) & RecordWord::run_and_item_mask) == 0)
      return word;
    const bool is_writer = ((word ^ write) & RecordWord::item_mask) == 0;
    return (is_writer ? now : word) | RecordWord::several;
  }

  // Whether `now` is the second reader of a pair that earlier cells have already, or one of such a
  // pair.
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

  // Checks one cell and stores the access there if it passes.
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
        return false; // there is no room for the second reader
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
      return true; // readers of two groups represent all
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

// Checks the cells in `which`. Their items start at the item of `word`: all the same (`step` 0) or
// ascending (`step` 1) per 1 << `shared` cells. Stores the words of cells that pass; returns the
// others unchanged.
uint64_t pass_words(const QuickCheck &check, const GranuleWords &words, uint64_t which,
                    uint32_t word, uint32_t step, unsigned shared = 0);

// The same for 16 cells anywhere on a page: cell i is at `words` + `places`[i], and its item is
// that of `word` + i.
uint32_t pass_places(const QuickCheck &check, const GranuleWords &words, uint32_t which,
                     const uint32_t *places, uint32_t word);

// Sixteen addresses; `lanes` has the active ones.
struct SixteenAddresses {
  const uintptr_t *addresses;
  uint32_t lanes; // not 0

  // Whether each address is `size` bytes after that of the previous lane.
  bool are_row(uint64_t size) const;
  // Returns the lanes on the page of ShadowPage::bytes at `first`, and their cell indices in
  // `places`. A zero bit of `low` is zero in all of these addresses.
  uint32_t on_page(uintptr_t first, unsigned granule, uint32_t *places, uintptr_t &low) const;
  // Stores words of atomics by one group over words of atomics by that group or of earlier
  // launches. `granule` is the cell size; lane 0 is `item`. Returns the completed lanes.
  uint32_t leave_atomics(std::span<const AtomicsOnPage> pages, unsigned granule, uint32_t horizon,
                         uint32_t item) const;
};

void check_lane_by_lane(); // disables AVX-512 code, for tests

} // namespace lockstep::runtime
