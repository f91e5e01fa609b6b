// The running launches of the process whose work-groups may wait. Schedules deadlock detection for
// them (deadlock_verdict.h).
#pragma once

#include "runtime/launch/cpu/resumable/resumable_run.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class WaitingLaunches {
public:
  using Runs = std::vector<std::shared_ptr<ResumableRun>>;
  static WaitingLaunches &instance();

  void add(std::shared_ptr<ResumableRun> run);
  void remove(const ResumableRun &run);
  bool any() const { return count_.load(std::memory_order_seq_cst) != 0; }
  uint64_t version() const { return version_.load(std::memory_order_seq_cst); }
  Runs list() const;

  // Exists while a thread removes a launch and settles its command. Meanwhile neither this list nor
  // a queue has the commands that become ready.
  class Ending {
  public:
    Ending() { instance().endings_.fetch_add(1, std::memory_order_seq_cst); }
    ~Ending() { instance().endings_.fetch_sub(1, std::memory_order_seq_cst); }
    Ending(const Ending &) = delete;
    Ending &operator=(const Ending &) = delete;
  };
  bool are_ending() const { return endings_.load(std::memory_order_seq_cst) != 0; }

  // Workers call this now and then; it returns at once if no launch is due.
  void look_for_deadlock(Worker &worker);
  // True if no worker has called look_for_deadlock() for long: all run commands.
  bool are_left_alone() const;
  // Locked by a thread that holds launches to inspect them.
  std::mutex &inspection() { return inspection_; }
  bool gives_reports() const { return reports_.load(std::memory_order_relaxed); }
  uint64_t patience() const { return until_warning_.load(std::memory_order_relaxed); }
  uint64_t patience_until_end() const { return until_end_.load(std::memory_order_relaxed); }

  // Used by tests. Set by LOCKSTEP_DEADLOCK=wait, LOCKSTEP_DEADLOCK_SECONDS,
  // LOCKSTEP_DEADLOCK_END_SECONDS.
  void set_reports(bool reports) { reports_.store(reports, std::memory_order_relaxed); }
  void set_patience(std::chrono::nanoseconds time) { set_patience(time, time); }
  void set_patience(std::chrono::nanoseconds until_warning, std::chrono::nanoseconds until_end) {
    until_warning_.store(uint64_t(until_warning.count()), std::memory_order_relaxed);
    until_end_.store(uint64_t(until_end.count()), std::memory_order_relaxed);
  }

private:
  WaitingLaunches();

  mutable std::mutex mutex_; // guards runs_
  Runs runs_;
  std::atomic<uint32_t> count_{0}, endings_{0};
  std::atomic<uint64_t> version_{0};
  std::atomic<bool> reports_{true};
  std::atomic<uint64_t> until_warning_, until_end_;
  std::atomic<uint64_t> next_look_{0}, last_visit_{0};
  std::mutex inspection_;
};

} // namespace lockstep::runtime
