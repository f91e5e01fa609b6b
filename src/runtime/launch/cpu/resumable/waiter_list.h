// The waiting work-groups of one worker in one launch.
//
// An entry contains what its group waits for, if that is one value in memory. So polling a group
// compares that value, without an access to the group's own memory: a million groups at a barrier
// are polled by reading 32 MB sequentially.
//
// A worker polls the list in *sweeps*, a block of entries at a time. It copies the block, compares
// outside the lock, takes out the entries worth resuming, and puts them back to their positions.
// Several workers may share a sweep. Entries keep the order of arrival, so a group's neighbors
// likely wait for it (resumable_run_sweep.cpp). Otherwise an index finds the groups that wait for
// an address, or for a value there: with a ticket lock, the one with the current ticket.
#pragma once

#include "runtime/launch/cpu/resumable/waiting_group.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct Waiter {
  PureWait wait;
  WaitingGroup *group = nullptr; // null: empty, or taken out for polling
};

class WaiterList {
public:
  // A copy of the entries from `first` on; take() accepts it until the list is compacted.
  struct Block {
    std::size_t first = 0, count = 0;
    uint64_t version = 0;
  };

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  void put(std::span<const Waiter> waiters); // appends entries

  void begin_sweep(std::size_t from); // begins at `from` modulo the size
  // The next entries of the sweep; empty: it has ended.
  Block next(std::span<Waiter> to);
  // The last entry before `place` (`step` -1) or the first one after it (1), if it is near.
  Block neighbor(std::size_t place, int step, Waiter &to);
  // A write to an address; with is_of_value, the value that is now there.
  struct News {
    const void *address = nullptr;
    bool is_of_value = false;
    uint64_t value = 0;
  };
  // An entry that waits for `news`, if there is an index. A group with several waits may no longer
  // have this one.
  Block waiting_for(const News &news, Waiter &to);
  // Whether any listed group waits for a certain value.
  bool lists_values() const { return lists_values_.load(std::memory_order_relaxed); }
  // Adds an index by address and value. It is dropped after a number of sweeps in which it did not
  // help.
  void make_index();
  // Whether an index is faster than sweeps: `groups` groups with `values_each` waits each were
  // polled, and `advances` of them advanced.
  static bool is_index_faster(std::size_t groups, uint64_t values_each, std::size_t advances);

  // Takes out the entries of a block from `begin` on that are still equal to `seen`. If another
  // worker took one before, its group in `seen` becomes null.
  void take(const Block &block, std::size_t begin, std::span<Waiter> seen);
  // Puts back what was taken; a null group is done.
  void put_back(const Block &block, std::size_t begin, std::span<const Waiter> waiters);

  // Takes the last `most` groups out for good, in their order. Groups that are polled stay. With
  // `only_parallel`, takes none if the last two groups wait for different values of one variable:
  // they take turns.
  std::vector<Waiter> take_last(std::size_t most, bool only_parallel = false);

  // Requires that no thread puts or takes.
  template <class Function> void for_each(Function function) const {
    for (const Waiter &waiter : entries_)
      if (waiter.group)
        function(waiter);
  }

private:
  class Lock;
  void compact();
  void build_index();
  void list(const Waiter &waiter, std::size_t place);
  void list(const PureWait &wait, std::size_t place);
  bool has_room() const { return 4 * listed_ <= 3 * index_.size(); }
  std::size_t slot_of(uint64_t key) const;

  std::atomic<bool> is_locked_{false};
  std::atomic<std::size_t> size_{0}; // entries with a group
  std::vector<Waiter> entries_;
  uint64_t version_ = 0; // changes when entries move
  std::size_t sweep_next_ = 0, sweep_left_ = 0;

  // Positions by address and value; may contain outdated ones. Empty: there is no index.
  struct Listed {
    uint64_t key = 0; // 0: free
    std::size_t place = 0;
  };
  std::vector<Listed> index_; // a hash table
  std::size_t listed_ = 0;
  std::atomic<bool> lists_values_{false};
  unsigned vain_sweeps_ = 0; // since the index last helped
};

} // namespace lockstep::runtime
