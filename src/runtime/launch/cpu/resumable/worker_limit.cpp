#include "runtime/launch/cpu/resumable/worker_limit.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

constexpr uint64_t window = 100'000; // nanoseconds of a measurement
constexpr uint64_t longest_window = 1'000'000;
constexpr uint64_t enough_groups = 16; // that completed in a measurement
constexpr uint64_t to_settle = 50'000, longest_to_settle = 500'000; // until workers have left
constexpr uint64_t first_interval = 3'000'000, longest_interval = 100'000'000;
constexpr uint64_t overdue = 1'000'000; // the workers inside run long groups
constexpr unsigned fewer = 4;           // the limit is divided by it
constexpr uint64_t few_wait = 16;       // less than one of so many groups
constexpr double clearly = 1.3;         // measurements of 0.1 ms differ

} // namespace

WorkerLimit::WorkerLimit(unsigned workers, uint64_t now)
    : workers_(workers), limit_(workers), next_(now + window), begin_(now), best_limit_(workers),
      interval_(first_interval) {}

bool WorkerLimit::enter(uint64_t now) {
  // No worker decides while all that are inside run long groups, and the others could run more.
  if (is_lowered() && now > next_.load(std::memory_order_relaxed) + overdue &&
      !is_deciding_.exchange(true, std::memory_order_acquire)) {
    limit_.store(workers_, std::memory_order_relaxed);
    best_limit_ = workers_;
    interval_ = longest_interval;
    phase_ = Phase::hold;
    next_.store(now + interval_, std::memory_order_relaxed);
    is_deciding_.store(false, std::memory_order_release);
  }
  unsigned inside = inside_.load(std::memory_order_relaxed);
  do {
    if (inside >= limit_.load(std::memory_order_relaxed))
      return false;
  } while (!inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_relaxed));
  return true;
}

bool WorkerLimit::leave_if_exceeded() {
  unsigned inside = inside_.load(std::memory_order_relaxed);
  do {
    if (inside <= limit())
      return false;
  } while (!inside_.compare_exchange_weak(inside, inside - 1, std::memory_order_relaxed));
  return true;
}

uint64_t WorkerLimit::next_change() const {
  return next_.load(std::memory_order_relaxed) + overdue;
}

bool WorkerLimit::begin_decision(uint64_t now) {
  if (is_deciding_.exchange(true, std::memory_order_acquire))
    return false;
  if (is_due(now))
    return true;
  is_deciding_.store(false, std::memory_order_release);
  return false;
}

unsigned WorkerLimit::decide(uint64_t now, const Sample &sample) {
  const unsigned before = limit();
  decide_by(now, sample);
  const unsigned after = limit();
  is_deciding_.store(false, std::memory_order_release);
  return after > before ? after - before : 0;
}

void WorkerLimit::decide_by(uint64_t now, const Sample &sample) {
  const uint64_t completed = sample.completed - at_begin_.completed, took = now - begin_;
  const bool is_measured = completed >= enough_groups || took >= longest_window;
  const double rate = double(completed) / double(std::max<uint64_t>(took, 1));
  switch (phase_) {
  case Phase::watch: // the limit is that of all workers, or one that was found
    if (!is_measured)
      return next_.store(now + window / 2, std::memory_order_relaxed);
    if (completed < enough_groups ||
        (!is_lowered() &&
         few_wait * (sample.waited - at_begin_.waited) < sample.started - at_begin_.started))
      return begin(Phase::watch, now, window, sample);
    best_rate_ = rate;
    best_limit_ = limit();
    return probe(is_lowered() ? workers_ : 1, now, sample);
  case Phase::settle:
    if (is_exceeded() && took < longest_to_settle)
      return next_.store(now + to_settle / 2, std::memory_order_relaxed);
    return begin(Phase::probe, now, window / 4, sample);
  case Phase::probe: {
    const bool was_raised = limit() > best_limit_;
    // Clearly too slow: the work of the groups matters, and not the waits. If none is done, the
    // worker may still be waking up.
    if (!was_raised && !is_exceeded() && took >= window && completed >= 2 && 2 * rate < best_rate_)
      return hold(now, sample);
    if (!is_measured || took < window)
      return next_.store(now + window / 4, std::memory_order_relaxed);
    // More workers are the better choice unless they are clearly slower.
    if (was_raised ? clearly * rate >= best_rate_ : rate >= clearly * best_rate_) {
      interval_ = first_interval;
      best_limit_ = limit();
    } else if (limit() == 1 && workers_ >= 2 * fewer) {
      return probe(workers_ / fewer, now, sample);
    }
    return hold(now, sample);
  }
  case Phase::hold:
    return begin(Phase::watch, now, window, sample);
  }
}

void WorkerLimit::begin(Phase phase, uint64_t now, uint64_t duration, const Sample &sample) {
  phase_ = phase;
  begin_ = now;
  at_begin_ = sample;
  next_.store(now + duration, std::memory_order_relaxed);
}

void WorkerLimit::probe(unsigned limit, uint64_t now, const Sample &sample) {
  limit_.store(limit, std::memory_order_relaxed);
  begin(Phase::settle, now, to_settle, sample);
}

void WorkerLimit::hold(uint64_t now, const Sample &sample) {
  limit_.store(best_limit_, std::memory_order_relaxed);
  begin(Phase::hold, now, interval_, sample);
  interval_ = std::min(2 * interval_, longest_interval);
}

} // namespace lockstep::runtime
