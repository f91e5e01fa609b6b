// A thread that looks on: for `lockstep top`, for SIGQUIT, and for launches that run without getting
// on.
//
// It sleeps until a worker has something to do, looks once a second while that is so, and costs
// launches a load. While all workers are in long commands it has another thread look whether launches
// that wait are dead (WorkerPool::look_beside_workers). A launch whose groups may wait and of which no group was done for the time of
// LOCKSTEP_DEADLOCK_SECONDS is told of, once, with what its groups do: it may be a livelock, or work
// that takes long, so it is not ended. When a command runs for more than a second the process gets a
// socket (watch_socket.h), through which `lockstep top` asks; LOCKSTEP_TOP=0: it does not.
//
// With LOCKSTEP_SIGQUIT=1, and if the program has not set a handler when the first command is
// enqueued, SIGQUIT (Ctrl+\ in a terminal) writes to stderr what runs, and the program goes on.
// Without it the signal ends the program, as everywhere.
#pragma once

#include "runtime/launch/cpu/progress_report.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Watch {
public:
  static Watch &instance();

  void start(); // with the first worker; a failure costs what it is for
  // By a worker that has something to do.
  void notice_work() {
    if (is_asleep_.load(std::memory_order_seq_cst))
      wake();
  }

private:
  Watch() = default;
  [[noreturn]] void run();
  void wait_for_event(int longest); // milliseconds; -1: for ever
  void wake();
  void look();
  void tell_of_those_that_do_not_get_on() const;
  bool does_something_for_long();
  void answer_signal();
  std::vector<LaunchProgress> all();
  uint64_t age_of(unsigned worker, uint64_t tasks_taken);

  std::atomic<bool> is_asleep_{false};
  int event_ = -1; // an eventfd: get up
  int socket_ = -1;
  bool has_tried_socket_ = false, socket_rests_ = false;
  uint64_t quiet_looks_ = 0;
  std::map<unsigned, std::pair<uint64_t, uint64_t>> since_; // worker: commands taken, first seen
};

} // namespace lockstep::runtime
