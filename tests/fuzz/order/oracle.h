// Which accesses of a launch are ordered, by a full clock for each work-item and the whole history of each byte: slow, and
// without any of the shortcuts of the checker (src/runtime/check), which it is the reference of.
#pragma once

#include "compiler/check_abi.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace lockstep::fuzz {

inline constexpr unsigned groups = 3, group_size = 8, sub_group_size = 4,
                          items = groups * group_size,
                          most_copies = 12; // of a group
inline constexpr unsigned units = items + groups * most_copies;
enum Memory : unsigned { global_memory, local_memory };
inline constexpr std::array<unsigned, 2> both = {global_memory, local_memory};

class OrderOracle {
public:
  struct Access {
    unsigned item; // of all groups, or a copy
    Memory memory;
    uintptr_t address;
    unsigned size;
    compiler::AccessKind kind;
    compiler::CheckScope scope = compiler::CheckScope::device;
  };

  // True if it is not ordered after one that it conflicts with. Atomics: what they order comes after it.
  bool is_race(const Access &access) const;
  void remember(const Access &access);
  void acquire(const Access &access, compiler::CheckOrder order);
  void release(const Access &access, compiler::CheckOrder order, bool replaces);

  void fence(unsigned item, compiler::CheckOrder order, compiler::CheckScope scope, unsigned flags);
  void barrier(unsigned group, unsigned flags, bool is_for_device);
  void sub_group_barrier(unsigned group, unsigned first, uint64_t lanes);

  // An async copy: no work-item waits for it until one waits for the group's copies, and it begins after what was done before
  // the group's last barrier, and after copies that were waited for or are parted from it.
  unsigned begin_copy(unsigned group); // the item of its accesses
  bool may_begin_copy(unsigned group) const { return copies_[group].begun != most_copies; }
  void wait_for_copies(unsigned group);
  void part_copies(unsigned group) { copies_[group].parted = copies_[group].begun; }

private:
  static constexpr unsigned scopes = 3; // sub-group, work-group, device
  using Clock = std::array<uint32_t, units>;
  struct Event {
    Access access;
    uint32_t time;
  };
  struct Item {
    uint32_t time = 0;
    std::array<Clock, 2> knows{};
    // By scope that a fence needs at least, from CheckScope::sub_group on.
    std::array<std::array<Clock, 2>, scopes> pending{}, fenced{};
  };
  struct Carried { // what releases have left, for whom
    std::array<Clock, 2> for_device{};
    std::array<std::array<Clock, 2>, groups> in_group{};
    std::array<std::array<Clock, 2>, items / sub_group_size> in_sub_group{};
    std::array<Clock, 2> &of(unsigned scope, unsigned item) {
      return scope == 0   ? in_sub_group[item / sub_group_size]
             : scope == 1 ? in_group[item / group_size]
                          : for_device;
    }
  };
  // By the work-item that heads the release sequences: those that a store goes on with are its own, if it goes on with any
  // (API 3.3.4).
  using Object = std::map<unsigned, Carried>;
  struct Copies { // of a group
    unsigned begun = 0, awaited = 0, parted = 0;
    std::array<Clock, 2> at_barrier{};
  };
  static void join(Clock &to, const Clock &from);
  Clock now(unsigned item, unsigned memory) const; // with what it has done itself

  std::array<Item, units> items_{};
  std::map<uintptr_t, std::vector<Event>> history_; // by bytes
  std::map<uintptr_t, Object> objects_;
  std::array<Copies, groups> copies_{};
};

} // namespace lockstep::fuzz
