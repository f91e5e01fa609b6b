// One run of a launch whose work-groups may wait for each other.
//
// Work-groups are started in order. One that waits is put aside and its worker takes another: a new
// one, or one that waited before. Workers serve a run in slices of time; between slices they run
// other commands (worker_waiting.cpp), so no command is held up by groups that wait.
//
// New groups or waiting ones? A *pass* asks each waiting group of a worker's list once. It is made
// when so many groups were started since the last one that its cost does not count: a quarter of
// the list at first, twice as many after each pass in which nobody got on. So a barrier of all
// groups costs little more than to start them, and where groups wait for the ones just before them,
// the list stays short.
//
// Fairness: lists are first in first out and every pass asks all; a worker whose own list is done
// asks groups of the others' lists too, so those of a worker that runs another command are served.
// A wait whose value has not changed is compared only, but truly resumed each 64th pass.
//
// The end: whoever finishes the last group, meets a fault, or is told by the deadlock verdict
// closes the run; the last worker to leave it settles the command.
#pragma once

#include "runtime/events.h"
#include "runtime/graph/command.h"
#include "runtime/launch/cpu/resumable_launch.h"
#include "runtime/launch/cpu/waiter_list.h"
#include "runtime/launch/cpu/waiting_group.h"
#include "runtime/launch/cpu/waiting_memory.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

class TaskQueue;
class Worker;

class ResumableRun {
public:
  // `lanes`: number of workers in the pool.
  ResumableRun(Command &command, const TaskQueue &queue, const ResumableLaunch &launch,
               unsigned lanes);
  ~ResumableRun();

  const TaskQueue *queue() const { return queue_; }
  const ResumableLaunch &launch() const { return launch_; }
  Command &command() const { return *command_; }

  // Works on the run for about that long; false if there was nothing to do but wait. May settle the
  // command.
  bool serve(Worker &worker, uint64_t nanoseconds);
  uint64_t last_move() const { return last_move_.load(std::memory_order_seq_cst); }

  // ---- for the verdict (deadlock_verdict.cpp), while no worker may enter

  bool is_being_served() const;
  bool is_closed() const;
  bool has_unstarted() const { return next_.load(std::memory_order_relaxed) < view_.groups; }
  // Whether there is memory for one more group; gathers what is free in all lanes.
  bool can_start(Worker &worker);
  // Resumes every waiting sub-group once; true if anything came of it.
  bool ask_all_truly(Worker &worker);
  template <class Function> void for_each_waiting(Function function) const {
    for (unsigned i = 0; i < lane_count_; ++i)
      if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
        lane->waiters.for_each([&](const Waiter &waiter) { function(*waiter.group); });
  }
  uint64_t waiting_groups() const;
  uint64_t done_groups() const { return done_.load(std::memory_order_relaxed); }
  uint64_t unstarted_groups() const;
  std::size_t bytes_per_group() const;
  // Ends the run with an error; false if it ended by itself meanwhile.
  bool end(Worker &worker, Error error);

  bool has_warned = false; // the verdict's

private:
  static constexpr std::size_t batch_size = 64;
  static constexpr uint32_t closed_bit = uint32_t{1} << 31;

  struct Batch {
    std::array<Waiter, batch_size> waiters;
    std::size_t count = 0, asked = 0;
    std::array<Waiter, batch_size> kept; // still waiting
    std::size_t kept_count = 0;
    uint64_t completed = 0;
    bool has_changed = false, has_advanced = false;
    WaitingGroup *diverged = nullptr;
    WaitingGroup *current = nullptr;
  };

  // What one worker has of the run.
  struct alignas(64) Lane {
    Lane(const GroupLayout &layout) : slots(layout.bytes(), layout.alignment()) {}
    WaiterList waiters; // others may take from it
    alignas(64) GroupSlots slots;
    uint64_t started_since_pass = 0, pass_after = 4; // groups
    uint64_t vain_passes = 0, passes = 0;
    std::size_t pass_left = 0;
    bool pass_has_changed = false, pass_has_advanced = false, is_in_pass = false;
    std::size_t victim = 0;
    uint64_t chunk = 1;
    Batch batch;
  };
  enum class Served { moved, nothing_new, in_vain };

  Lane &lane_of(const Worker &worker);
  void free_lanes();
  bool enter();
  void leave(Worker &worker);
  void finish(Worker &worker);
  void close() { state_.fetch_or(closed_bit, std::memory_order_seq_cst); }
  void fail(Error error);

  Served serve_once(Lane &lane);
  bool start_some(Lane &lane);
  void start_groups(Lane &lane, uint64_t begin, uint64_t end);
  Served ask_some(Lane &lane);
  void begin_pass(Lane &lane);
  void end_pass(Lane &lane);
  bool steal(Lane &lane);
  bool ask_list_truly(Lane &own);
  void ask_batch(Lane &lane, bool truly);
  void ask_waiters(Lane &lane, bool truly);
  void take_in(Lane &lane, WaitingGroup &group, GroupState state);
  void settle_batch(Lane &lane);
  template <class Function> void run_kernel(Lane &lane, Function function);
  using GroupEvent = decltype(&Listener::groups_begun);
  void tell_of(GroupEvent event, const WaitingGroup &group) const;

  const CommandRef command_;
  const TaskQueue *const queue_;
  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
  const GroupLayout layout_;
  const unsigned lane_count_;
  std::unique_ptr<std::atomic<Lane *>[]> lanes_; // null: that worker has not been here
  alignas(64) std::atomic<uint64_t> next_{0};    // in the order of starting
  alignas(64) std::atomic<uint64_t> done_{0};
  alignas(64) std::atomic<uint32_t> state_{0}; // workers inside, and closed_bit
  std::atomic<bool> is_settled_{false}, has_error_{false};
  std::atomic<uint64_t> last_move_{0};
  std::unique_ptr<Error> error_; // written by whoever set has_error_
};

} // namespace lockstep::runtime
