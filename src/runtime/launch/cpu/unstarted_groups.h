// Which work-groups of a launch are started next where groups may wait for each other, and by which
// worker.
//
// Where groups wait: the next ones in order, a few at a time. Then those before them are started,
// and hardly one waits for one that nobody began.
//
// While hardly any waits, a worker *claims* its share of all groups, in a row. Groups that
// follow each other are likely to write side by side: sums, flags, the counter of those who feed one
// leader. If different cores start them, each write waits for the line of the cache to come over: of
// groups that take 100 ns that is the greater part. For the same reason a claim ends at a round
// number, and to take a few groups of it touches nothing that others write.
//
// Nobody has to wait for what somebody has claimed and does not start: who finds nothing else takes
// half of the largest claim. As soon as many groups of any worker wait, and when a worker turns to
// another command, claims are given back.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class UnstartedGroups {
public:
  // Groups in the order of starting.
  struct Range {
    uint64_t begin = 0, end = 0;
    uint64_t size() const { return end - begin; }
  };

  UnstartedGroups(uint64_t groups, unsigned workers);

  // For a worker to start, at most so many; none: none is left.
  Range take(unsigned worker, uint64_t most);
  // What became of what it took.
  void note(unsigned worker, uint64_t started, uint64_t waiting);
  void give_back(unsigned worker);

  bool has_claim(unsigned worker) const { return claims_[worker].size() > 0; }
  bool any() const;

private:
  // Of one worker. Others take from its end.
  class alignas(128) Claim {
  public:
    uint64_t size() const { // at some time
      const uint64_t begin = begin_.load(std::memory_order_relaxed);
      const uint64_t end = end_.load(std::memory_order_relaxed);
      return end > begin ? end - begin : 0;
    }
    void set(const Range &range);
    Range take_front(uint64_t most);
    Range take_back_half();

    // Its worker's: of the groups that it started lately.
    uint64_t started = 0, waiting = 0;
    bool many_wait = false;

  private:
    class Lock;
    std::atomic<bool> is_locked_{false};
    std::atomic<uint64_t> begin_{0}, end_{0}; // written under the lock
  };

  Range claim(Claim &own, uint64_t few);
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
  std::vector<Range> returned_; // guarded by it
};

} // namespace lockstep::runtime
