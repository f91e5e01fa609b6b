// Work-groups that wait: the list of one worker in one launch.
//
// An entry holds what its group waits for, if that is one value in memory. So to ask a group in
// vain is to compare that value, without touching the group's own memory: a million groups at a
// barrier are asked by reading 32 MB in order.
//
// Who asks goes through the list in *sweeps*, a block of entries at a time: copies them, compares
// outside the lock, and takes out only those that are worth a resumption; these come back to their
// places. Several workers may share a sweep. Entries stay in the order in which they came, so the
// ones beside a group are likely those that wait for it (resumable_run_sweep.cpp). Where they are not, an
// index finds who waits for an address, or for a value there: of all who hold a ticket the one whose
// turn it is.
#pragma once

#include "runtime/launch/cpu/waiting_group.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct Waiter {
  PureWait wait;
  WaitingGroup *group = nullptr; // null: nobody is here, or is being asked
};

class WaiterList {
public:
  // Entries at `first` and behind it, as they were; valid for take() until the list is compacted.
  struct Block {
    std::size_t first = 0, count = 0;
    uint64_t version = 0;
  };

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  void put(std::span<const Waiter> waiters); // at the end

  void begin_sweep(std::size_t from); // any number
  // The next entries of the sweep; none: it is over.
  Block next(std::span<Waiter> to);
  // The last entry before `place` (`step` -1) or the first one behind it (1), if it is near.
  Block neighbour(std::size_t place, int step, Waiter &to);
  // What happened somewhere: something, or a value that somebody may wait for came.
  struct News {
    const void *address = nullptr;
    bool is_of_value = false;
    uint64_t value = 0;
  };
  // The entry that waits for that, if there is an index; one of them if there are more. A group that
  // waits for several things may do so no more.
  Block waiting_for(const News &news, Waiter &to);
  // Whether anybody was listed who waits for a certain value.
  bool lists_values() const { return lists_values_.load(std::memory_order_relaxed); }
  // Entries are found by what they wait for from now on, until that does not help for a while.
  void make_index();
  // Whether an index would find in less time what a sweep found: of so many groups, each of which
  // waits for so many values, some advanced.
  static bool is_index_faster(std::size_t groups, uint64_t values_each, std::size_t advances);

  // Takes out the entries of a block from `begin` on as far as they are still what was `seen`;
  // where somebody else was faster, `seen` gets a null group.
  void take(const Block &block, std::size_t begin, std::span<Waiter> seen);
  // Gives back what was taken; a null group is one that is done.
  void put_back(const Block &block, std::size_t begin, std::span<const Waiter> waiters);

  // Only while nobody puts or takes.
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
  uint64_t version_ = 0; // of the places
  std::size_t sweep_next_ = 0, sweep_left_ = 0;

  // Places by address and value; some are not true any more. Empty: there is no index.
  struct Listed {
    uint64_t key = 0; // 0: free
    std::size_t place = 0;
  };
  std::vector<Listed> index_; // a hash table
  std::size_t listed_ = 0;
  std::atomic<bool> lists_values_{false};
  unsigned vain_sweeps_ = 0; // since it last helped
};

} // namespace lockstep::runtime
