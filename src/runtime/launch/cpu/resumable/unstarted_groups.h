// Decides which worker starts which work-groups next, in a launch whose groups may wait for each
// other.
//
// If groups wait, a worker takes the next few in order. So the groups before them are started, and
// few groups wait for one that is not started.
//
// While hardly any group waits, a worker *claims* a contiguous share of all groups. Consecutive
// groups likely write adjacent memory: sums, flags, a leader's counter. If different cores start
// them, each write waits for the transfer of a cache line, which dominates groups that take 100 ns.
// For the same reason a claim of many groups ends at a round number.
//
// A worker without work takes half of the largest claim. Claims are returned when many groups of
// half of the workers wait, and when a worker begins another command.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class UnstartedGroups {
public:
  // A range of positions in the starting order.
  struct Range {
    uint64_t begin = 0, end = 0;
    uint64_t size() const { return end - begin; }
  };

  UnstartedGroups(uint64_t groups, unsigned workers);

  // Up to `most` groups for a worker to start; empty: none is left.
  Range take(unsigned worker, uint64_t most);
  void put_back(const Range &range); // the end of a range that take() returned
  // Records how many of the started groups wait.
  void note(unsigned worker, uint64_t started, uint64_t waiting);
  void give_back(unsigned worker);

  // Also for the pool's looker, whose number is that of the workers: it starts no groups.
  bool has_claim(unsigned worker) const { return worker < workers_ && claims_[worker].size() > 0; }
  bool any() const;

private:
  // The claim of one worker. Others take from its end.
  class alignas(128) Claim {
  public:
    uint64_t size() const { // only approximate while groups are taken
      const uint64_t begin = begin_.load(std::memory_order_relaxed);
      const uint64_t end = end_.load(std::memory_order_relaxed);
      return end > begin ? end - begin : 0;
    }
    void set(const Range &range);
    Range take_front(uint64_t most);
    Range take_back_half();

    // Used by its worker only: recently started groups.
    uint64_t started = 0, waiting = 0;
    bool many_wait = false;

  private:
    class Lock;
    std::atomic<bool> is_locked_{false};
    std::atomic<uint64_t> begin_{0}, end_{0}; // written under the lock
  };

  // A few workers may have the groups that wait for all others, such as the last ones of a tree.
  bool many_workers_wait() const {
    return 2 * workers_whose_groups_wait_.load(std::memory_order_relaxed) >= workers_;
  }
  Range claim(uint64_t few);
  Range claim_returned(uint64_t size);
  Range claim_next(uint64_t size);
  Range take_of_others();

  const uint64_t groups_;
  const unsigned workers_;
  const std::unique_ptr<Claim[]> claims_;
  alignas(64) std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> returned_groups_{0};
  std::atomic<unsigned> workers_whose_groups_wait_{0};
  std::mutex mutex_;
  std::vector<Range> returned_; // guarded by mutex_
};

} // namespace lockstep::runtime
