// Generates one random kernel: its phases, and the results expected of every work-item. The phases
// are implemented in files by subject: locks.cpp, flags.cpp, groups.cpp, launches.cpp,
// disguised.cpp, traps.cpp.
#pragma once

#include "program.h"

#include <random>
#include <string>
#include <vector>

namespace torture {

class Generator {
public:
  using Phase = void (Generator::*)();
  struct Named {
    const char *name;
    Phase make;
  };

  // `only` selects one kind of phase or trap; empty: all kinds.
  Generator(uint64_t seed, std::string only) : only_(std::move(only)), random_(seed) {
    p_.seed = seed;
  }
  Program run();
  static std::string kinds();

private:
  // ---- generate.cpp
  uint32_t items() const { return p_.items(); }
  uint32_t below(uint32_t limit) { return uint32_t(random_() % limit); }
  uint32_t pick(std::vector<uint32_t> of) { return of[below(uint32_t(of.size()))]; }
  uint32_t counter(uint32_t count = 1);
  uint32_t datum(uint32_t count = 1);
  uint32_t host_word();
  __attribute__((format(printf, 2, 3))) void line(const char *format, ...);
  __attribute__((format(printf, 2, 3))) void local_line(const char *format, ...);
  void trap_is_here() { trap_body_line_ = lines_; } // the last line added
  void add_phase();
  void plant_trap();
  void finish();

  // A non-empty subset of the work-items.
  struct Subset {
    uint32_t salt, modulus;
  };
  bool contains(Subset s, uint32_t item) const;
  Subset subset();
  uint32_t count(Subset s) const;
  void begin_if(Subset s);
  static uint32_t value_of(uint32_t item, uint32_t salt); // the kernel's hash()
  // A permutation of the work-items: item i has position (i * factor + offset) % items.
  struct Order {
    uint32_t factor, offset;
  };
  Order order();
  std::string place_text(Order order) const;

  // Emits one of several forms of "wait until counter `at` is not 0".
  void wait_until_set(const std::string &at);
  void barrier_of_group();

  // ---- locks.cpp
  struct Lock {
    uint32_t kind, at; // at: the first of two counters
  };
  Lock make_lock();
  Lock make_lock_to_look_under();
  std::string take(const Lock &lock);
  std::string give(const Lock &lock);
  void lock();
  void lock_in_loop();
  void lock_many_times();
  void lock_nested();
  void lock_held_across_wait();
  void swap_until_it_succeeds();
  void condition_under_lock();
  void monitor();
  void monitor_in_order();
  void semaphore();
  void count_and_wait(bool is_monitor, uint32_t missing);
  void go_in_by_turns(uint32_t first);
  void leaders_count_and_wait(uint32_t missing);
  void leaders_look_under_lock();
  std::string take_permit(uint32_t at);

  // ---- flags.cpp
  void flag();
  void plain_flag();
  void wait_for_plain_flag(uint32_t at);
  void written_while_waiting();
  void write_while_waiting(const std::string &unset);
  void copied_while_waiting();
  void copy_while_waiting(const std::string &condition);
  void wait_for_several(uint32_t first, uint32_t count);
  void global_barrier();
  void pairs();
  void chain();
  void time_out();
  void several_flags();
  void scan_of_flags();
  void flags_and_host_memory();

  // ---- groups.cpp: within a work-group
  void turns_in_group();
  void told_by_local_memory();
  void told_by_collective();
  void told_by_sub_group();
  std::string all_arrived(uint32_t at) const;
  void tell_by_local_memory(const std::string &condition);
  void tell_by_collective(const std::string &condition);
  void tell_by_sub_group(const std::string &condition);

  // ---- launches.cpp
  void hand_shake();
  void relay();
  void helper_behind_lock();

  // ---- disguised.cpp: waits that look like something else
  void volatile_structure();
  void structure_that_nobody_sets();
  void poll_structure(uint32_t at, uint32_t words);
  void watchdog();
  void queue_lock();
  void queue_that_is_held_up();
  void queue_up(const Subset &who, uint32_t keeps);
  void try_and_undo();
  void undone_in_vain();
  void take_both_or_none(uint32_t locks);

  // ---- traps.cpp
  void flag_that_nobody_sets();
  void lock_that_nobody_returns();
  void ring_of_flags();
  void two_locks_in_opposite_order();
  void wait_beside_a_barrier();
  void barrier_without_one_group();
  void condition_that_never_comes();
  void monitor_that_nobody_wakes();
  void monitor_out_of_order();
  void leaders_look_in_vain();
  void permit_that_is_lost();
  void held_lock_is_needed();
  void told_nothing_by_local_memory();
  void told_nothing_by_collective();
  void told_nothing_by_sub_group();
  void one_of_several_flags();
  void plain_flag_that_nobody_sets();
  void relay_that_is_broken();
  void written_in_vain();
  void copied_in_vain();

  static const std::vector<Named> &phases();
  static const std::vector<Named> &traps();

  Program p_;
  std::string only_;
  std::mt19937_64 random_;
  std::vector<uint32_t> sums_;
  std::string body_, locals_, helper_;
  unsigned lines_ = 0, trap_body_line_ = 0, planted_line_ = 0;
  uint32_t phase_ = 0, told_ = 0;
  bool wants_trap_ = false;
};

} // namespace torture
