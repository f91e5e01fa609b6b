// Limits how many workers serve a launch whose groups wait for each other.
//
// If all groups want one lock, or wait in a row for one ticket after another, each worker takes the
// cache lines of the others. Sixteen workers may then complete fewer groups than one. So the limit
// follows measurements (docs/forward_progress.md, "Suspending and resuming groups").
//
// One worker begins, and the others are admitted a few microseconds later. If many groups had to
// wait, the launch runs with one worker for a while, and with a quarter of the workers if that is
// not clearly faster. The best limit is kept for an interval, unless the rate falls. Later launches
// of the same code begin with it.
//
// A worker that is not admitted leaves the launch alone and tries again at next_change(). Which
// workers are inside changes with each of their time slices, so none of them must stay.
// Times are in nanoseconds.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::runtime {

class WorkerLimit {
public:
  struct Sample {
    // Groups of the launch: those that are done, and those of them that had to wait; those that
    // were started, and those of them that wait or waited.
    uint64_t completed = 0, completed_late = 0, started = 0, waited = 0;
    // How many waits have ended. Counts instead of groups that go from barrier to barrier.
    uint64_t ended_waits = 0;
  };

  // A result for the next launches of the same code, which several launches may share.
  class Memory {
  public:
    struct Entry {
      uint32_t limit = 0;    // 0: nothing is remembered
      bool is_trial = false; // the limit is to be tried, and the time is that of all workers
      uint32_t nanoseconds_per_group = 0; // rounded up
    };
    // Nothing for some launches, so that they measure.
    Entry recall();
    void remember(Entry entry) {
      entry_.store(uint64_t{entry.is_trial} << 63 | uint64_t{entry.limit} << 32 |
                       entry.nanoseconds_per_group,
                   std::memory_order_relaxed);
    }

  private:
    std::atomic<uint64_t> entry_{0};
    std::atomic<uint32_t> launches_{0};
  };

  // `memory` may be null. With `are_all_first`, no worker begins alone: the groups hardly wait.
  WorkerLimit(unsigned workers, uint64_t now, Memory *memory = nullptr, bool are_all_first = false);

  // Admits a worker, which must leave() later; false: there are enough.
  bool enter(uint64_t now);
  void leave() { inside_.fetch_sub(1, std::memory_order_relaxed); }
  // Leaves if too many workers are inside; false: the worker stays.
  bool leave_if_exceeded();
  // Whether workers have to leave, because the limit is lower than when they were admitted.
  bool is_exceeded() const {
    return inside_.load(std::memory_order_relaxed) > limit_.load(std::memory_order_relaxed);
  }
  bool is_lowered() const { return limit_.load(std::memory_order_relaxed) < workers_; }
  unsigned limit() const { return limit_.load(std::memory_order_relaxed); }
  uint64_t next_change() const;
  // The others will be admitted within microseconds.
  bool is_alone() const { return is_alone_.load(std::memory_order_relaxed); }
  // The launch has ended; no worker is inside.
  void end(uint64_t now, const Sample &sample);

  // Changes the limit if it is time to; then it calls `sample`. Workers that are inside call this
  // often, from any number of threads. Returns how many more workers are now admitted.
  template <class Function> unsigned update(uint64_t now, Function sample) {
    return is_due(now) && begin_decision(now) ? decide(now, sample()) : 0;
  }

private:
  enum class Phase { alone, confirm, watch, settle, probe, hold };

  bool is_due(uint64_t now) const { return now >= next_.load(std::memory_order_relaxed); }
  bool begin_decision(uint64_t now); // false: it is not due, or another worker decides
  unsigned decide(uint64_t now, const Sample &sample);
  void decide_by(uint64_t now, const Sample &sample);
  void begin(Phase phase, uint64_t now, uint64_t duration, const Sample &sample);
  void probe(unsigned limit, uint64_t now, const Sample &sample);
  void hold(uint64_t now, const Sample &sample);
  void watch(double rate, uint64_t now, const Sample &sample);
  void end_probe(double rate, uint64_t now, const Sample &sample);
  void confirm(double rate, uint64_t now, const Sample &sample);
  std::size_t index_of(unsigned limit) const { return limit == 1 ? 0 : limit == workers_ ? 2 : 1; }
  uint64_t progress(const Sample &sample) const {
    return sample.completed + (counts_waits_ ? sample.ended_waits : 0);
  }

  const unsigned workers_;
  std::atomic<unsigned> limit_, inside_{0};
  std::atomic<uint64_t> next_; // time of the next decision
  std::atomic<bool> is_deciding_{false};
  std::atomic<bool> is_alone_{false};
  const uint64_t began_; // the launch
  Memory *const memory_;
  // Used by the worker that decides.
  Phase phase_ = Phase::alone;
  uint64_t begin_; // of the current measurement
  Sample at_begin_;
  bool counts_waits_ = false, has_decided_ = false;
  double rate_alone_ = 0; // 0: not known
  // The limit with which most groups completed, in groups for each nanosecond.
  unsigned best_limit_;
  double best_rate_ = 0;
  std::array<double, 3> rates_{}; // of the last measurement with one, some, all workers; 0: none
  uint64_t interval_, hold_until_ = 0; // between measurements
  Memory::Entry remembered_;
};

} // namespace lockstep::runtime
