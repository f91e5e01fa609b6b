// A thread that observes the process: for `lockstep top`, for SIGQUIT, and for launches without
// progress.
//
// The thread sleeps until a worker has work, and then checks once a second; a launch pays one load.
// While all workers run long commands, it lets another thread check waiting launches for deadlocks
// (WorkerPool::look_beside_workers). If no group of a launch with waits has ended for
// LOCKSTEP_DEADLOCK_SECONDS, it prints one warning with the state of the groups. It does not end
// the launch: this may be a livelock, or long work. When a command has run for more than a second,
// it opens a socket (watch_socket.h) for `lockstep top`, unless LOCKSTEP_TOP=0.
//
// With LOCKSTEP_SIGQUIT=1, SIGQUIT (Ctrl+\ in a terminal) writes to stderr what runs, and the
// program continues. This requires that the program has no handler when the first command is
// enqueued. Otherwise the signal ends the program, as usual.
#pragma once

#include "runtime/launch/cpu/diagnostics/progress_report.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Watch {
public:
  static Watch &instance();

  void start(); // called with the first worker; after a failure nothing is observed
  // A worker that has work calls this.
  void notice_work() {
    if (is_asleep_.load(std::memory_order_seq_cst))
      wake();
  }

private:
  Watch() = default;
  [[noreturn]] void run();
  void wait_for_event(int longest); // milliseconds; -1: without limit
  void wake();
  void look();
  void report_launches_without_progress() const;
  bool does_something_for_long();
  void answer_signal();
  std::vector<LaunchProgress> all();
  uint64_t age_of(unsigned worker, uint64_t tasks_taken);

  std::atomic<bool> is_asleep_{false};
  int event_ = -1; // an eventfd that wakes the thread
  int socket_ = -1;
  bool has_tried_socket_ = false, socket_rests_ = false;
  uint64_t quiet_looks_ = 0;
  // by worker: commands taken, time when first seen
  std::map<unsigned, std::pair<uint64_t, uint64_t>> since_;
};

} // namespace lockstep::runtime
