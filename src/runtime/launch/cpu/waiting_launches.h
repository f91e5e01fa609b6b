// The launches of the process whose work-groups may wait, while they run; and the verdict on those
// that cannot end.
//
// Verdict. Groups are dead if nothing can change what they wait for. When no launch has moved for a
// while, one worker looks: it keeps the others out of all waiting launches, makes sure that none of
// them runs another command and that no command is ready, and resumes every waiting sub-group of
// every launch once. If all come back as they were, having written nothing, then memory is as it
// was before each of them, so they will come back the same for ever; only somebody else can help.
// Who could: a thread of the program that does not wait for a command (host_threads.h), and another
// process or the host through memory that both may write. With neither, one launch ends with a
// report: one that other commands come after, if there is one, since these may help the rest. With
// a thread that could enqueue something, it ends after LOCKSTEP_DEADLOCK_SECONDS; where the host
// may write the memory, or nobody waits for any command, or a user event is open, it is warned of
// once.
#pragma once

#include "runtime/launch/cpu/resumable_run.h"

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

  bool is_paused() const { return is_paused_.load(std::memory_order_seq_cst); }
  // Called by a worker that finds nothing to do; returns at once if it is not yet time.
  void look_for_deadlock(Worker &worker);

  // For tests; LOCKSTEP_DEADLOCK=wait, LOCKSTEP_DEADLOCK_SECONDS.
  void set_reports(bool reports) { reports_.store(reports, std::memory_order_relaxed); }
  void set_patience(std::chrono::nanoseconds time) {
    patience_.store(uint64_t(time.count()), std::memory_order_relaxed);
  }

private:
  WaitingLaunches();
  struct Standstill; // what a look found

  bool is_quiet(Worker &checker, uint64_t &tasks_taken) const;
  bool stands_still(Worker &worker, const Runs &runs, Standstill &found);
  void judge(Worker &worker, const Runs &runs, const Standstill &found);
  void end_one(Worker &worker, const Runs &runs, const Standstill &found);
  void warn(const Runs &runs, const char *why);

  mutable std::mutex mutex_; // runs_
  Runs runs_;
  std::atomic<uint32_t> count_{0};
  std::atomic<uint64_t> version_{0};
  std::atomic<bool> is_paused_{false}, reports_{true};
  std::atomic<uint64_t> patience_;
  std::mutex look_mutex_; // what follows
  std::atomic<uint64_t> next_look_{0};
  uint64_t still_since_ = 0, still_tasks_taken_ = 0; // 0: not known to stand still
};

} // namespace lockstep::runtime
