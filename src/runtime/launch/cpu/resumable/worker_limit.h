// Limits how many workers serve a launch whose groups wait for each other.
//
// If all groups want one lock, or wait in a row for one ticket after another, each worker takes the
// cache lines of the others. Sixteen workers may then complete fewer groups than one. So the limit
// follows a measurement: if many groups had to wait, the launch runs with one worker for a while.
// If that is not clearly faster, it runs with a quarter of the workers. It measures again later, in
// intervals that double as long as the result is the same.
//
// A worker that is not admitted leaves the launch alone and tries again at next_change(). Which
// workers are inside changes with each of their time slices, so none of them must stay.
// Times are in nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::runtime {

class WorkerLimit {
public:
  struct Sample {
    // Groups of the launch: those that are done, those that were started, and those of the latter
    // that had to wait.
    uint64_t completed = 0, started = 0, waited = 0;
  };

  WorkerLimit(unsigned workers, uint64_t now);

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

  // Changes the limit if it is time to; then it calls `sample`. Workers that are inside call this
  // often, from any number of threads. Returns how many more workers are now admitted.
  template <class Function> unsigned update(uint64_t now, Function sample) {
    return is_due(now) && begin_decision(now) ? decide(now, sample()) : 0;
  }

private:
  enum class Phase { watch, settle, probe, hold };

  bool is_due(uint64_t now) const { return now >= next_.load(std::memory_order_relaxed); }
  bool begin_decision(uint64_t now); // false: it is not due, or another worker decides
  unsigned decide(uint64_t now, const Sample &sample);
  void decide_by(uint64_t now, const Sample &sample);
  void begin(Phase phase, uint64_t now, uint64_t duration, const Sample &sample);
  void probe(unsigned limit, uint64_t now, const Sample &sample);
  void hold(uint64_t now, const Sample &sample);

  const unsigned workers_;
  std::atomic<unsigned> limit_, inside_{0};
  std::atomic<uint64_t> next_; // time of the next decision
  std::atomic<bool> is_deciding_{false};
  // Used by the worker that decides.
  Phase phase_ = Phase::hold; // until all workers are there
  uint64_t begin_;            // of the current measurement
  Sample at_begin_;
  unsigned best_limit_;  // with which groups completed at best_rate_
  double best_rate_ = 0; // groups for each nanosecond
  uint64_t interval_;    // between measurements
};

} // namespace lockstep::runtime
