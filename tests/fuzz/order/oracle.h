// Decides which accesses of a launch are ordered, with a full vector clock for each work-item and
// the history of each byte. It is slow and has none of the shortcuts of the checker
// (src/runtime/check), for which it is the reference.
#pragma once

#include "abi/check_abi.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace lockstep::fuzz {

// The shape of a launch. Its groups need not run at the same time.
struct Shape {
  static constexpr unsigned most_copies = 12; // per group
  unsigned groups = 3, group_size = 8, sub_group_size = 4;
  unsigned items() const { return groups * group_size; }
  unsigned units() const { return items() + groups * most_copies; }
  bool is_item(unsigned unit) const { return unit < items(); }
  unsigned group_of(unsigned unit) const {
    return is_item(unit) ? unit / group_size : (unit - items()) / most_copies;
  }
  // The sub-group of a work-item; the last one of a group may be smaller.
  unsigned sub_group_of(unsigned item) const {
    return item / group_size * group_size + item % group_size / sub_group_size;
  }
  unsigned first_copy_of(unsigned group) const { return items() + group * most_copies; }
};

enum Memory : unsigned { global_memory, local_memory };
inline constexpr std::array<unsigned, 2> both = {global_memory, local_memory};

class OrderOracle {
public:
  struct Access {
    unsigned item; // in all groups; or an async copy
    Memory memory;
    uintptr_t address;
    unsigned size; // no access spans two words
    compiler::AccessKind kind;
    compiler::CheckScope scope = compiler::CheckScope::device;
  };

  explicit OrderOracle(const Shape &shape)
      : shape_(shape), items_(shape.units()), copies_(shape.groups) {}

  // True if an access conflicts with one that it is not ordered after, among these or earlier ones.
  // For an atomic, only later accesses are ordered by it.
  bool is_race(std::span<const Access> at_once) const;
  // The same for an atomic that first acquires the released clock.
  bool is_race_once_acquired(const Access &access, compiler::CheckOrder order);
  void remember(const Access &access);
  void acquire(const Access &access, compiler::CheckOrder order);
  void release(const Access &access, compiler::CheckOrder order, bool replaces);

  void fence(unsigned item, compiler::CheckOrder order, compiler::CheckScope scope, unsigned flags);
  void barrier(unsigned group, unsigned flags, bool is_for_device);
  void sub_group_barrier(unsigned group, unsigned first, uint64_t lanes);
  // For the end of a group, which is not reported. The next group uses its local memory as new
  // memory.
  void forget(uintptr_t begin, uintptr_t end);

  // Begins an async copy. No work-item is ordered after it before a wait for the group's copies. It
  // is ordered after everything before the group's last barrier, after awaited copies, and after
  // copies separated by part_copies(). A single work-item begins it.
  unsigned begin_copy(unsigned group); // returns the item of its accesses
  void undo_copy(unsigned group);      // removes the last one, which has no accesses yet
  bool may_begin_copy(unsigned group) const { return copies_[group].begun != Shape::most_copies; }
  void wait_for_copies(unsigned group);
  void part_copies(unsigned group) { copies_[group].parted = copies_[group].begun; }

private:
  static constexpr unsigned scopes = 3; // sub-group, work-group, device
  class Clock {                         // by unit, sparse: missing units have time 0
  public:
    uint32_t of(unsigned unit) const { return unit < times_.size() ? times_[unit] : 0; }
    void set(unsigned unit, uint32_t time);
    void join(const Clock &other);

  private:
    std::vector<uint32_t> times_;
  };
  using Clocks = std::array<Clock, 2>; // by memory
  struct Event {
    Access access;
    uint32_t time;
  };
  struct Item {
    uint32_t time = 0;
    Clocks knows;
    // By the smallest scope that a fence needs, from CheckScope::sub_group on.
    std::array<Clocks, scopes> pending, fenced;
  };
  struct Carried { // released clocks: by scope, and by sub-group, group, or 0
    std::map<std::array<unsigned, 2>, Clocks> left;
  };
  // Keyed by the work-item that heads the release sequences. A store continues at most its own
  // sequences (API 3.3.4).
  using Object = std::map<unsigned, Carried>;
  struct Copies { // of a group
    unsigned begun = 0, awaited = 0, parted = 0;
    Clocks at_barrier;
  };
  bool conflict(const Access &a, const Access &b) const;
  bool is_race(const Access &access) const;
  Clock now(unsigned item, unsigned memory) const; // including its own accesses
  std::array<unsigned, 2> reached(unsigned scope, unsigned item) const;

  const Shape shape_;
  std::vector<Item> items_;
  std::unordered_map<uintptr_t, std::vector<Event>> history_; // by word
  std::map<uintptr_t, Object> objects_;
  std::vector<Copies> copies_;
};

} // namespace lockstep::fuzz
