#include "runtime/launch/cpu/resumable/worker_limit.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

// Times are in nanoseconds.
constexpr uint64_t never = UINT64_MAX / 2;
constexpr uint64_t time_alone = 10'000; // of the first worker
constexpr uint64_t to_arrive = 40'000;  // until all workers are there
constexpr uint64_t window = 100'000;    // of a measurement
constexpr uint64_t longest_window = 1'000'000;
constexpr uint64_t stall = 300'000;    // almost no group completes
constexpr uint64_t enough_groups = 16; // that completed in a measurement
constexpr uint64_t to_settle = 50'000, longest_to_settle = 500'000; // until workers have left
constexpr uint64_t first_interval = 3'000'000, longest_interval = 100'000'000;
constexpr uint64_t between_checks = 250'000;
constexpr uint64_t overdue = 1'000'000; // the workers inside run long groups
constexpr unsigned fewer = 4;           // the limit is divided by it
constexpr uint64_t few_wait = 16;       // less than one of so many groups
constexpr double clearly = 1.3;         // measurements of 0.1 ms differ
constexpr uint64_t long_work = 50'000;  // of a worker until a wait ends
constexpr uint32_t launches_between_measurements = 32;
constexpr uint64_t confirmed_interval = 20'000'000;

// Groups that wait for all others count when they go on.
bool many_wait(const WorkerLimit::Sample &from, const WorkerLimit::Sample &to) {
  return few_wait * (to.completed_late - from.completed_late) >= to.completed - from.completed;
}

// Hardly any group is done, and not because groups work for long.
bool nearly_all_wait(const WorkerLimit::Sample &from, const WorkerLimit::Sample &to) {
  const uint64_t waited = to.waited - from.waited;
  return waited >= enough_groups && 2 * waited >= to.started - from.started;
}

} // namespace

WorkerLimit::Memory::Entry WorkerLimit::Memory::recall() {
  const uint64_t entry = entry_.load(std::memory_order_relaxed);
  if (entry == 0 ||
      launches_.fetch_add(1, std::memory_order_relaxed) % launches_between_measurements ==
          launches_between_measurements - 1)
    return {};
  return {uint32_t(entry >> 32) & INT32_MAX, bool(entry >> 63), uint32_t(entry)};
}

WorkerLimit::WorkerLimit(unsigned workers, uint64_t now, Memory *memory, bool are_all_first)
    : workers_(workers), limit_(1), next_(never), began_(now), memory_(memory), begin_(now),
      best_limit_(workers), interval_(first_interval) {
  if (memory_)
    remembered_ = memory->recall();
  if (remembered_.limit > 0)
    best_limit_ = std::min(remembered_.limit, workers);
  if (best_limit_ < workers) {
    phase_ = Phase::confirm;
    limit_.store(best_limit_, std::memory_order_relaxed);
  } else if (remembered_.limit > 0 || are_all_first) {
    phase_ = Phase::hold;
    limit_.store(workers, std::memory_order_relaxed);
    next_.store(now + window, std::memory_order_relaxed);
  } else {
    is_alone_.store(true, std::memory_order_relaxed);
  }
}

bool WorkerLimit::enter(uint64_t now) {
  // No worker decides while all that are inside run long groups, and the others could run more.
  if (is_lowered() && now > next_change() &&
      !is_deciding_.exchange(true, std::memory_order_acquire)) {
    limit_.store(workers_, std::memory_order_relaxed);
    best_limit_ = workers_;
    if (phase_ != Phase::alone)
      interval_ = std::min(2 * interval_, longest_interval);
    next_.store(now + (phase_ == Phase::alone ? to_arrive : interval_), std::memory_order_relaxed);
    hold_until_ = 0;
    phase_ = Phase::hold;
    is_alone_.store(false, std::memory_order_relaxed);
    is_deciding_.store(false, std::memory_order_release);
  }
  unsigned inside = inside_.load(std::memory_order_relaxed);
  do {
    if (inside >= limit_.load(std::memory_order_relaxed))
      return false;
  } while (!inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_relaxed));
  if (uint64_t next = never; next_.load(std::memory_order_relaxed) == never) // the first one
    next_.compare_exchange_strong(next, now + time_alone, std::memory_order_relaxed);
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
  const uint64_t next = next_.load(std::memory_order_relaxed);
  return is_alone() ? next : next + overdue;
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
  const bool are_awake = phase_ == Phase::alone;
  decide_by(now, sample);
  const unsigned after = limit();
  is_deciding_.store(false, std::memory_order_release);
  return after > before && !are_awake ? after - before : 0;
}

void WorkerLimit::decide_by(uint64_t now, const Sample &sample) {
  const uint64_t took = std::max<uint64_t>(now - begin_, 1);
  const double rate = double(progress(sample) - progress(at_begin_)) / double(took);
  switch (phase_) {
  case Phase::alone:
    if (sample.completed >= enough_groups)
      rate_alone_ = double(sample.completed) /
                    double(time_alone + now - next_.load(std::memory_order_relaxed));
    is_alone_.store(false, std::memory_order_relaxed);
    limit_.store(workers_, std::memory_order_relaxed);
    return begin(Phase::hold, now, to_arrive, sample);
  case Phase::confirm:
    return confirm(rate, now, sample);
  case Phase::watch:
    return watch(rate, now, sample);
  case Phase::settle:
    if (is_exceeded() && took < longest_to_settle)
      return next_.store(now + to_settle / 2, std::memory_order_relaxed);
    return begin(Phase::probe, now, window / 4, sample);
  case Phase::probe:
    return end_probe(rate, now, sample);
  case Phase::hold:
    if (now >= hold_until_)
      return begin(Phase::watch, now, rate_alone_ > 0 ? window / 2 : window, sample);
    for (const unsigned other : {1U, workers_ / fewer, workers_})
      if (const double known = rates_[index_of(other)];
          other != limit() && known * double(took) >= enough_groups && known > clearly * rate) {
        best_rate_ = rate;
        best_limit_ = limit();
        return probe(other, now, sample);
      }
    return begin(Phase::hold, now, std::min(hold_until_ - now, between_checks), sample);
  }
}

// The limit is that of all workers, or one that was found.
void WorkerLimit::watch(double rate, uint64_t now, const Sample &sample) {
  const uint64_t completed = sample.completed - at_begin_.completed,
                 ended_waits = sample.ended_waits - at_begin_.ended_waits, took = now - begin_;
  if (!is_lowered() && rate_alone_ > rate && many_wait(at_begin_, sample)) {
    counts_waits_ = false;
    best_rate_ = rate;
    best_limit_ = workers_;
    rates_[index_of(limit())] = rate;
    return probe(1, now, sample);
  }
  rate_alone_ = 0; // later groups may differ from the first ones
  const bool is_stuck = !is_lowered() && took >= stall && nearly_all_wait(at_begin_, sample);
  if (std::max(completed, ended_waits) < enough_groups && took < longest_window && !is_stuck)
    return next_.store(now + window / 2, std::memory_order_relaxed);
  if (!is_lowered())
    counts_waits_ = completed < enough_groups && workers_ * took < long_work * ended_waits;
  const bool is_enough = progress(sample) - progress(at_begin_) >= enough_groups;
  if (!is_stuck && (!is_enough || (!is_lowered() && !many_wait(at_begin_, sample))))
    return begin(Phase::watch, now, window, sample);
  best_rate_ = double(progress(sample) - progress(at_begin_)) / double(took);
  best_limit_ = limit();
  rates_[index_of(limit())] = best_rate_;
  probe(is_lowered() ? workers_ : 1, now, sample);
}

void WorkerLimit::end_probe(double rate, uint64_t now, const Sample &sample) {
  const uint64_t done = progress(sample) - progress(at_begin_), took = now - begin_;
  const bool was_raised = limit() > best_limit_;
  // Clearly too slow. With fewer workers: the work of the groups matters, and not the waits.
  const bool is_slow = done == 0 || 2 * rate < best_rate_;
  if (is_slow && took >= (was_raised ? window / 2 : window) && !is_exceeded()) {
    rates_[index_of(limit())] = rate;
    return hold(now, sample);
  }
  if (took < window || (done < enough_groups && took < longest_window))
    return next_.store(now + window / 4, std::memory_order_relaxed);
  rates_[index_of(limit())] = rate;
  // More workers are the better choice unless they are clearly slower.
  if (was_raised ? clearly * rate >= best_rate_ : done > 0 && rate >= clearly * best_rate_) {
    interval_ = first_interval;
    best_limit_ = limit();
    best_rate_ = rate;
  } else if (limit() == 1 && workers_ >= 2 * fewer) {
    return probe(workers_ / fewer, now, sample);
  }
  hold(now, sample);
}

// If the groups are slower than they were, they may work more and wait less.
void WorkerLimit::confirm(double rate, uint64_t now, const Sample &sample) {
  if (begin_ == began_) // the first worker has just begun
    return begin(Phase::confirm, now, window, sample);
  const uint64_t completed = sample.completed - at_begin_.completed,
                 ended_waits = sample.ended_waits - at_begin_.ended_waits;
  if (std::max(completed, ended_waits) < enough_groups && now - begin_ < longest_window)
    return next_.store(now + window / 2, std::memory_order_relaxed);
  best_rate_ = rate;
  if (completed < enough_groups) { // it is not known how fast waits ended
    counts_waits_ = true;
    return begin(Phase::hold, now, first_interval, sample);
  }
  if (2 * rate * double(remembered_.nanoseconds_per_group) < 1)
    return probe(workers_, now, sample);
  interval_ = longest_interval;
  begin(Phase::hold, now, confirmed_interval, sample);
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
  has_decided_ = true;
  limit_.store(best_limit_, std::memory_order_relaxed);
  hold_until_ = now + interval_;
  begin(Phase::hold, now, between_checks, sample);
  interval_ = std::min(2 * interval_, longest_interval);
}

// The next launch tries the limit that was found, and is compared with this one as a whole.
void WorkerLimit::end(uint64_t now, const Sample &sample) {
  // Workers that are not admitted may still ask. They find that another one decides.
  if (!memory_ || sample.completed == 0 || is_deciding_.exchange(true, std::memory_order_acquire))
    return;
  const auto each = uint32_t(std::min<uint64_t>((now - began_) / sample.completed + 1, UINT32_MAX));
  if (remembered_.is_trial) {
    const bool is_better = each < remembered_.nanoseconds_per_group;
    memory_->remember({is_better ? remembered_.limit : workers_, false, each});
  } else if (remembered_.limit == 0) {
    const unsigned found = has_decided_ ? best_limit_ : many_wait({}, sample) ? 1 : workers_;
    memory_->remember(found < workers_ && sample.waited > 0 ? Memory::Entry{found, true, each}
                                                            : Memory::Entry{});
  } else if (remembered_.limit < workers_ && each > clearly * remembered_.nanoseconds_per_group) {
    memory_->remember({});
  }
}

} // namespace lockstep::runtime
