// A run of fuzz_order: the work-items of a launch, reported to the checker and to an oracle.
#pragma once

#include "oracle.h"
#include "runtime/check/races/launch/launch_check.h"

#include "driver/compile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace lockstep::fuzz {

using compiler::AccessKind;
using compiler::CheckOrder;
using compiler::CheckScope;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::Intervals;
using compiler::LaunchInfo;

inline constexpr unsigned most_lanes = 64, few_words = 6, local_words = 96,
                          margin = 64; // words before and after a group's part of a row

// The emphasis of a run.
enum class Much {
  of_all,   // few words and work-items
  of_locks, // locks that pass from group to group
  of_rows   // many work-items, whose words adjacent ones read
};

class Run {
public:
  Run(uint64_t seed, bool shows);
  ~Run();
  bool go(); // false: the checker and the oracle differ
  bool has_race() const { return has_race_; }

private:
  // A running work-group. When it ends, another one takes its slot and its local memory.
  struct Place {
    unsigned group = 0;
    bool has_ended = false; // and no other one follows
    uint64_t intervals = 0;
    GroupInfo info{};
  };
  struct Accesses { // by some lanes of one sub-group
    unsigned place = 0, first = 0;
    uint64_t lanes = 0;
    Memory memory = global_memory;
    bool is_uniform = false;
    unsigned word = 0, part = 0, size = 4; // of lane 0; part and size: the same for all lanes
    AccessKind kind = AccessKind::read;
    CheckScope scope = CheckScope::device;
    CheckOrder order = CheckOrder::relaxed;
  };

  // fuzz_order.cpp
  void set_up_locks();
  void set_up_rows(unsigned places);
  std::optional<bool> take_step();

  uint64_t pick(uint64_t count) { return random_() % count; }
  bool is_careless() { return pick(100) < carelessness_; }
  uint64_t lanes(unsigned first) {
    const unsigned all = lanes_from(first);
    return pick(3) ? uint64_t(1) << pick(all) : 1 + pick(all_lanes(all));
  }
  uint64_t some_in_a_row(unsigned first);
  unsigned pick_word(Memory memory, unsigned many); // the first of `many` words
  static uint64_t all_lanes(unsigned many) { return ~uint64_t(0) >> (64 - many); }
  unsigned lanes_from(unsigned first) const { // of the sub-group that begins there
    return std::min(shape_.sub_group_size, shape_.group_size - first);
  }
  unsigned pick_place();
  unsigned pick_sub_group() { // returns its first work-item
    return unsigned(pick((shape_.group_size + shape_.sub_group_size - 1) / shape_.sub_group_size)) *
           shape_.sub_group_size;
  }
  CheckOrder order() { return CheckOrder(pick(5)); }
  CheckScope scope();
  unsigned item_of(const Accesses &a, unsigned lane = 0) const {
    return places_[a.place].group * shape_.group_size + a.first + lane;
  }
  uintptr_t word(unsigned place, Memory memory, unsigned index) const;
  static uintptr_t beside_rows(unsigned index);
  unsigned how() const;
  void pass(unsigned place, uint64_t step) {
    places_[place].intervals = Intervals::after(places_[place].intervals, step);
  }

  // accesses.cpp. Results: nothing: no race; false: they differ; true: both reported a race.
  CheckSite &site_of(const Accesses &accesses);
  std::optional<bool> access();
  std::optional<bool> access_as(const Accesses &a, bool is_scattered);
  std::optional<bool> update();
  std::optional<bool> update(const Accesses &a);
  std::optional<bool> copy();
  void show(const Accesses &accesses, const char *what) const;
  std::optional<bool> compare(const Accesses &accesses, bool is_race, uint64_t told_before);

  // ordering.cpp
  void meet(unsigned place);
  void pass_barrier(unsigned place, unsigned flags, bool is_for_device);
  void meet_as_sub_group(unsigned place);
  void meet_copies(unsigned place);
  void fence();
  void end_group();

  // sequences.cpp
  std::optional<bool> go_on_with_neighbors();
  std::optional<bool> go_on_with_lock();
  std::optional<bool> access_rows();
  std::optional<bool> hand_on();

  std::mt19937_64 random_;
  const bool shows_;
  const Much much_;
  Shape shape_;
  unsigned next_group_ = 0; // the next to begin
  std::vector<Place> places_;
  bool synchronizes_ = false, has_sub_group_barriers_ = false, has_narrow_ = false,
       has_weak_stores_ = false, has_narrower_ = false, has_copies_ = false, has_fences_ = false;
  bool has_local_memory_ = true;
  bool has_race_ = false;
  bool reads_one_word_ = false; // mostly, so that its history gets long
  unsigned ends_ = 0;           // per 1,000 steps: how many end a group

  // Sometimes a group writes a row, and after a barrier its work-items read words that others of it
  // have written.
  bool has_neighbors_ = false;
  unsigned stage_ = 0; // 0: not active
  Accesses row_;

  // Locks are the words of global memory from `words_` on. Sometimes a work-item takes a lock,
  // changes other words and releases the lock. It may then change a word that it no longer owns.
  unsigned locks_ = 0, lock_share_ = 0; // share: of 100 steps, how many use locks
  CheckOrder lock_order_ = CheckOrder::acquire;
  bool has_weak_locks_ = false; // some work-items take a lock without acquire
  enum class LockStage { free, taken, given } lock_stage_ = LockStage::free;
  Accesses taker_;

  unsigned words_ = few_words; // excluding locks
  bool has_rows_ = false;      // mostly rows, in global memory, which has no atomics then
  bool breaks_rows_ = false;   // by accesses that are not rows
  unsigned first_row_word_ = 0;

  uint64_t carelessness_ = 0; // percent
  unsigned steps_ = 0;
  compiler::KernelInfo kernel_;
  LaunchInfo launch_{};
  std::optional<runtime::LaunchCheck> check_;
  std::optional<OrderOracle> oracle_;
};

CheckSite &new_site(); // a few for all runs, because the checker keeps their numbers

} // namespace lockstep::fuzz
