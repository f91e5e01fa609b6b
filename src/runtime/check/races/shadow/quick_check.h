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
#include "runtime/check/races/shadow/sixteen_words.h"

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

  static constexpr uint32_t own_epochs = 16;

  // The functions below are for one word (uint32_t) or for sixteen (Sixteen). `at` are the epochs
  // of `words`.
  template <class Words> using Mask = decltype(Words() < Words());

  // Whether the accesses in `words` are before accesses by `items`.
  template <class Words>
  [[gnu::always_inline]] Mask<Words> passes(const Words &words, const Words &at,
                                            const Words &items) const {
    const Mask<Words> is_copy = (words & RecordWord::item_mask) >= first_copy,
                      is_old = at < horizon,
                      is_ordered = at - from < select(is_copy, Words(copies), Words(ordered)),
                      is_earlier = at - earlier_from < earlier_many;
    Mask<Words> passes = is_old | is_ordered | (!is_copy & is_earlier);
    const Words who = words & RecordWord::run_and_item_mask;
    if (is_single) {
      const Mask<Words> is_own = at - own < own_epochs, is_mine = who == items;
      passes = passes | (is_own & is_mine);
    }
    if (known_many) {
      const Mask<Words> is_known = at - known_from < known_many, is_known_item = who == known_item;
      passes = passes | (is_known & is_known_item);
    }
    return passes;
  }
  bool passes(const uint32_t *epochs, uint32_t word, uint32_t item) const {
    return passes(word, epochs[RecordWord::context(word)], item);
  }

  // Whether `now` repeats an access of its group since the last barrier, so that two represent all.
  // Reads at any two source places count as the same.
  template <class Words>
  [[gnu::always_inline]] Mask<Words> joins(const Words &words, const Words &at,
                                           const Words &now) const {
    if (!two_stand_for_all)
      return {};
    if (is_atomic)
      return (words ^ now) < 1u << RecordWord::context_shift;
    const Mask<Words> is_own = at - own < own_epochs, is_now = at >= interval,
                      is_plain = (words & RecordWord::atomic_bit) == 0u,
                      is_item = (words & RecordWord::item_mask) < first_copy;
    return is_own & is_now & is_plain & is_item;
  }
  // The word for both accesses. It names the one that has not written the cell, because the writer
  // usually writes it again.
  template <class Words>
  [[gnu::always_inline]] static Words of_both(const Words &words, const Words &now,
                                              const Words &write) {
    const Mask<Words> are_several = (words & RecordWord::run_mask) != 0u,
                      is_same = ((words ^ now) & RecordWord::run_and_item_mask) == 0u,
                      is_writer = ((words ^ write) & RecordWord::item_mask) == 0u;
    return select(are_several | is_same, words,
                  select(is_writer, now, words) | RecordWord::several);
  }

  // Checks one cell and stores the access there if it passes.
  bool pass(const GranuleWords &words, std::size_t index, uint32_t now) const;

  // The words of cells and their epochs; then, the new words. Words that the page lacks are 0.
  template <class Words> struct Cells {
    Words write, since, other, write_at, since_at, other_at;
    Words to_write = write, to_since = since, to_other = other;
  };
  // Checks accesses to the cells in `which`, and sets the new words of those that pass.
  template <class Words>
  [[gnu::always_inline]] Mask<Words> decide(const GranuleWords &words, const Mask<Words> &which,
                                            const Words &now, Cells<Words> &cells) const {
    const Words items = now & RecordWord::item_mask;
    const Mask<Words> write_passes = passes(cells.write, cells.write_at, items);
    if (is_write) {
      const Mask<Words> since_passes = passes(cells.since, cells.since_at, items),
                        other_passes = passes(cells.other, cells.other_at, items);
      cells.to_write = now;
      cells.to_since = cells.to_other = 0u;
      return which & write_passes & since_passes & other_passes;
    }
    const Mask<Words> is_old = cells.since_at < horizon;
    if (is_atomic) {
      const Mask<Words> others_pass = passes(cells.other, cells.other_at, items),
                        is_alike = joins(cells.since, cells.since_at, now),
                        rest = which & write_passes & others_pass,
                        joined = rest & !is_old & is_alike;
      cells.to_since = select(is_old, now, of_both(cells.since, now, cells.write));
      return (rest & is_old) | joined;
    }
    const Mask<Words> is_reader = (cells.write & RecordWord::reader_bit) != 0u,
                      since_passes = passes(cells.since, cells.since_at, items),
                      is_plain = (cells.since & RecordWord::atomic_bit) == 0u,
                      may_pass = which & (write_passes | is_reader),
                      done = may_pass & since_passes & (is_plain | is_old), rest = may_pass & !done;
    cells.to_since = select(done, now, cells.since);
    return any(rest) ? done | decide_read(words, rest, now, write_passes, is_reader, cells) : done;
  }

private:
  // Reads of cells that other accesses have read since the write.
  template <class Words>
  [[gnu::always_inline]] Mask<Words> decide_read(const GranuleWords &words, const Mask<Words> &rest,
                                                 const Words &now, const Mask<Words> &write_passes,
                                                 const Mask<Words> &is_reader,
                                                 Cells<Words> &cells) const {
    const Words second = now | RecordWord::reader_bit;
    const Mask<Words> is_old_write = cells.write_at < horizon,
                      is_free = is_old_write | (is_reader & write_passes),
                      other_passes =
                          passes(cells.other, cells.other_at, now & RecordWord::item_mask),
                      is_alike = joins(cells.since, cells.since_at, now),
                      is_plain = (cells.since & RecordWord::atomic_bit) == 0u,
                      is_no_set = cells.since_at != ShadowContexts::set_epoch;
    Mask<Words> done{}, left = rest & !is_alike & is_plain & is_no_set;
    if (const Mask<Words> joining = rest & is_alike; any(joining)) {
      const Words both = of_both(cells.since, now, cells.write);
      const Mask<Words> changes = joining & (both != cells.since), beside = changes & is_free,
                        beside_write = names_both ? changes & !is_free : Mask<Words>{};
      // Otherwise there is no room for the second reader.
      const Mask<Words> has_room = words.writes ? joining : joining & !beside,
                        has_other = words.others ? other_passes : Mask<Words>{};
      done = has_room & (!beside_write | has_other);
      cells.to_write = select(beside & done, second, cells.to_write);
      cells.to_other = select(beside_write & done, now, cells.to_other);
      cells.to_since = select((beside | beside_write) & done, cells.since | RecordWord::several,
                              select(changes & done, both, cells.to_since));
    }
    if (!any(left))
      return done;
    // Readers of two groups represent all.
    const Mask<Words> is_pair = (cells.write & (RecordWord::run_mask | RecordWord::reader_bit)) ==
                                (RecordWord::of_another_group | RecordWord::reader_bit),
                      of_two_groups = left & !is_old_write & is_pair;
    done = done | of_two_groups;
    left = left & !of_two_groups;
    if (is_single)
      if (const Mask<Words> written = left & !is_free & !is_reader; any(written)) {
        const Mask<Words> two = leave_two(words, written, now, cells);
        done = done | two;
        left = left & !two;
      }
    if (words.writes) {
      const Mask<Words> since_differs = is_of_another_group(cells.since_at),
                        write_differs = is_of_another_group(cells.write_at),
                        marked = left & since_differs & (is_free | (is_reader & write_differs)),
                        beside = left & (marked | is_free);
      const Words mark = (second & ~RecordWord::run_mask) | RecordWord::of_another_group;
      cells.to_write = select(marked, mark, select(beside, second, cells.to_write));
      done = done | beside;
      left = left & !beside;
    }
    if (words.others) {
      const Mask<Words> in_other = left & !is_free & !is_reader & other_passes;
      cells.to_other = select(in_other, now, cells.to_other);
      done = done | in_other;
    }
    return done;
  }
  template <class Words>
  [[gnu::always_inline]] Mask<Words> is_of_another_group(const Words &at) const {
    if (!has_one_block)
      return {};
    const Mask<Words> is_now = at >= horizon, is_other = at - own >= own_epochs;
    return is_now & is_other;
  }
  // Whether `now` is the second reader of a pair that earlier cells have already, or one of such a
  // pair.
  template <class Words>
  [[gnu::always_inline]] static Mask<Words> leave_two(const GranuleWords &words,
                                                      const Mask<Words> &which, const Words &now,
                                                      Cells<Words> &cells) {
    const Words contexts = cells.since >> RecordWord::context_shift,
                first_items = cells.since & RecordWord::item_mask,
                distance = (now - cells.since) & RecordWord::item_mask;
    const Mask<Words> is_one = (cells.since & RecordWord::run_mask) == 0u;
    const uint32_t now_context = RecordWord::context(first_word(now)), // of all lanes
        now_epoch = words.epochs[now_context];
    Mask<Words> done{};
    for (const TwoReadersNow &two : words.readers) {
      const Mask<Words> is_second = distance == two.distance, is_first = distance == 0u,
                        is_pair = contexts == two.both, is_half = contexts == two.first;
      if (now_context == two.second) {
        const Mask<Words> becomes = which & is_one & is_second & is_half;
        cells.to_since =
            select(becomes, first_items | RecordWord::of_two(two.both, 0), cells.to_since);
        done = done | becomes;
      }
      if (now_epoch == two.first_epoch)
        done = done | (which & is_pair & is_first);
      if (now_epoch == two.second_epoch)
        done = done | (which & is_pair & is_second);
    }
    return done;
  }
};

inline bool QuickCheck::pass(const GranuleWords &words, std::size_t index, uint32_t now) const {
  const auto [epochs, writes, sinces, others, readers] = words;
  const uint32_t write = writes ? writes[index] : 0, since = sinces[index],
                 other = others ? others[index] : 0;
  auto epoch = [epochs = epochs](uint32_t word) { return epochs[RecordWord::context(word)]; };
  Cells<uint32_t> cells{write, since, other, epoch(write), epoch(since), epoch(other)};
  if (!decide(words, true, now, cells))
    return false;
  if (writes)
    writes[index] = cells.to_write;
  sinces[index] = cells.to_since;
  if (others)
    others[index] = cells.to_other;
  return true;
}

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
