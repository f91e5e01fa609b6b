// One run of a launch whose work-groups may wait for each other.
//
// Work-groups are started in order. One that waits is put aside and its worker takes another: a new
// one, or one that waited before. Workers serve a run in slices of time; between slices they run
// other commands (worker_waiting.cpp), so no command is held up by groups that wait.
//
// Which new groups? See unstarted_groups.h.
//
// New groups or waiting ones? A *pass* asks each waiting group of a worker's list once. It is made
// when so many groups were started since the last one that its cost does not count: a quarter of
// the list at first, twice as many after each pass in which nobody got on. So a barrier of all
// groups costs little more than to start them, and where groups wait for the ones just before them,
// the list stays short.
//
// Who is asked? A sweep compares what each group waits for with memory and resumes those that may
// go on. Whoever advances may have written what its neighbours in the list wait for, so
// these are asked next, and again now and then: a chain of groups that wait for each other one by
// one is undone in one sweep, up or down, also if its parts lie in the lists of several workers. In
// any other order a sweep would find the next two or three of them. Where sweeps find so few, the
// lists get an index by address and value, and who waits for what an advancing group wrote is asked
// next: the next of a chain, or the one whose ticket has come up.
//
// Locks: whoever looks at a lock that another worker's groups take and give back takes its line of the
// cache from them. A worker whose groups saw it free and lost it before they looked stays away for a
// while; meanwhile it starts others, unless all that it started came to stand in that queue as well.
//
// Fairness: every sweep asks all; a worker whose own list is done asks groups of the others' lists
// too, so those of a worker that runs another command are served. A wait whose value has not
// changed is compared only, but truly resumed each 64th pass. Where a sweep begins changes, so that
// groups which keep undoing each other's work do not stay in step.
//
// The end: whoever finishes the last group, meets a fault, or is told by the deadlock verdict
// closes the run; the last one to leave it settles the command.
//
// resumable_run.cpp: who may work on a run, and what a worker does next; resumable_run_groups.cpp:
// groups begin and end; resumable_run_sweep.cpp: who of those that wait is asked.
#pragma once

#include "runtime/events.h"
#include "runtime/graph/command.h"
#include "runtime/launch/cpu/resumable_launch.h"
#include "runtime/launch/cpu/unstarted_groups.h"
#include "runtime/launch/cpu/waiter_list.h"
#include "runtime/launch/cpu/waiting_group.h"
#include "runtime/launch/cpu/waiting_memory.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace lockstep::runtime {

class TaskQueue;
class WaitSummary;
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
  // For others to start, what that worker has claimed and will not start soon.
  void give_back_claim(Worker &worker);
  uint64_t last_move() const { return last_move_.load(std::memory_order_seq_cst); }
  // When a group last was started, was done, or got out of a wait.
  uint64_t last_advance() const { return last_advance_.load(std::memory_order_seq_cst); }
  uint64_t last_done() const { return last_done_.load(std::memory_order_relaxed); }
  uint64_t begin() const { return begin_; }

  // ---- for those who look into it (deadlock_verdict.cpp, progress_report.cpp)

  // Keeps workers out until release(); false if the run is over, or a group still runs after that
  // long. The last thread to leave a run ends it.
  bool hold(uint64_t longest_nanoseconds);
  void release();
  // Keeps a run from ending while workers work on it, and counts its groups meanwhile: a run that ends frees what the
  // numbers are read from. False: the run is over, and all numbers are 0.
  class Visit {
  public:
    explicit Visit(ResumableRun &run) : run_(run.stay() ? &run : nullptr) {}
    ~Visit() {
      if (run_)
        run_->leave();
    }
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;
    explicit operator bool() const { return run_ != nullptr; }

    uint64_t waiting_groups() const { return run_ ? run_->waiting_groups() : 0; }
    uint64_t unstarted_groups() const { return run_ ? run_->unstarted_groups() : 0; }
    std::vector<uint64_t> running_groups() const { // by number
      return run_ ? run_->running_groups() : std::vector<uint64_t>();
    }

  private:
    ResumableRun *const run_;
  };

  // The following while it is held.
  bool is_closed() const;
  bool has_unstarted() const { return unstarted_.any(); }
  // Whether there is memory for one more group; gathers what is free in all lanes.
  bool can_start(Worker &worker);
  enum class Answer { same, changed, advanced, ended }; // ended: a group is done, or the run
  // Resumes every waiting sub-group once and tells what they do; not all of them if somebody
  // advanced and it is later than `until`.
  Answer ask_all_truly(Worker &worker, WaitSummary &summary, uint64_t until);
  template <class Function> void for_each_waiting(Function function) const {
    for (unsigned i = 0; i < lane_count_; ++i)
      if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
        lane->waiters.for_each([&](const Waiter &waiter) { function(*waiter.group); });
  }
  void end(Error error); // with release()

  // At any time.
  uint64_t done_groups() const { return done_.load(std::memory_order_relaxed); }
  std::size_t bytes_per_group() const;

  // The verdict's, by whoever looks.
  struct Notes {
    uint64_t advance = 0; // last_advance() when this was written
    uint64_t next_look = 0, interval = 0;
    uint64_t dead_since = 0; // 0: not known to be dead
    uint64_t tasks_taken = 0;
    // Looks at a launch whose groups get on but are not done.
    struct Endless {
      uint64_t since = 0, next_look = 0, interval = 0;
    } endless;
    bool has_warned = false;
  } notes;
  bool has_told_of_no_end = false; // the watch's (watch.h)

private:
  static constexpr std::size_t batch_size = 64;
  static constexpr uint32_t closed_bit = uint32_t{1} << 31, held_bit = uint32_t{1} << 30;
  static constexpr uint64_t no_group = ~uint64_t{0};
  static constexpr std::size_t nowhere = ~std::size_t{0};

  struct Batch {
    std::array<Waiter, batch_size>
        waiters; // of the list; then what became of those that were asked
    Waiter neighbour;
    uint64_t completed = 0;
    std::size_t advances = 0;
    std::size_t lost_races = 0; // for a value that came, and was gone when the group looked
    bool has_changed = false, has_advanced = false;
    WaitingGroup *diverged = nullptr;
    WaitingGroup *current = nullptr;
  };

  // What one worker has of the run.
  struct alignas(128) Lane {
    Lane(unsigned index, const GroupLayout &layout)
        : slots(layout.bytes(), layout.alignment()), index(index) {}
    WaiterList waiters; // others may ask them, too
    // Places beside which something may happen soon: before the first, and behind the second.
    std::array<std::atomic<std::size_t>, 2> frontiers{nowhere, nowhere};
    std::atomic<uint64_t> last_sweep{0};
    std::atomic<bool> is_away{false}; // its worker does something else, or sleeps
    // What others seldom look at, and its worker writes all the time.
    alignas(128) std::atomic<uint64_t> running{no_group};
    std::atomic<uint64_t> started{0};
    uint64_t completed = 0; // and not in done_ yet
    GroupSlots slots;
    const unsigned index;
    uint64_t started_since_pass = 0, pass_after = 2; // groups; soon, as all may want one lock
    uint64_t vain_passes = 0, passes = 0;
    bool pass_has_changed = false, pass_has_advanced = false, is_in_pass = false;
    std::size_t pass_advances = 0;
    unsigned slow_passes = 0;                         // in which few advanced
    Written wrote{};                                  // by the group that advanced last
    bool has_advanced = false, has_completed = false; // since it came to serve
    std::size_t victim = 0;                           // whose list it helped with
    bool is_helping = false;                          // in the middle of that list
    uint64_t visited_at = 0;                          // others' lists
    uint64_t chunk = 1;                               // groups that are worth a look at the clock
    uint64_t back_off = 0, away_until = 0;            // nanoseconds
    const void *contended = nullptr;                  // why it stays away
    uint64_t waited_in_a_row = 0; // of those it started: up to the last, since one was done at once
    uint64_t allowed_more_at = 0; // to start, though they queue
    bool waits_elsewhere = false; // somebody who was asked in this pass
    Batch batch;
  };
  enum class Served { moved, nothing_new, in_vain };

  Lane &lane_of(const Worker &worker);
  void free_lanes();
  bool enter();
  bool stay();
  void leave();
  // By a thread that is inside.
  uint64_t waiting_groups() const;
  uint64_t unstarted_groups() const;
  std::vector<uint64_t> running_groups() const;
  void finish();
  void close() { state_.fetch_or(closed_bit, std::memory_order_seq_cst); }
  void fail(Error error);

  bool serve_inside(Worker &worker, uint64_t nanoseconds);
  Served serve_once(Worker &worker, Lane &lane, uint64_t now);
  bool needs_no_pass(const Lane &lane, uint64_t now) const;
  static bool is_queue(const Lane &lane);
  static void allow_more(Lane &lane, uint64_t now);
  void keep_away(Lane &lane) const;
  bool start_some(Lane &lane);
  void start_groups(Lane &lane, uint64_t begin, uint64_t end);
  void start_whole_groups(Lane &lane, uint64_t begin, uint64_t end);
  Served ask_some(Lane &lane);
  void begin_pass(Lane &lane);
  void end_pass(Lane &lane);
  Served help_others(Lane &lane);
  Served help(Lane &lane, Lane &other);
  bool is_worth_asking(const Waiter &waiter, bool truly) const;
  bool ask_block(Lane &lane, Lane &owner, bool truly);
  void ask_run(Lane &lane, Lane &owner, const WaiterList::Block &block, std::size_t begin,
               std::span<Waiter> waiters, bool truly);
  void ask_beside(Lane &lane, Lane &owner, std::size_t frontier);
  void ask_readers(Lane &lane);
  bool ask_reader(Lane &lane, const WaiterList::News &news);
  bool ask_readers_of(Lane &lane, const void *address);
  void ask_waiters(Lane &lane, std::span<Waiter> waiters, bool truly,
                   WaitSummary *summary = nullptr);
  void take_in(Lane &lane, WaitingGroup &group, GroupState state, Waiter &to);
  void settle_batch(Lane &lane);
  void count_completed(Lane &lane);
  void run_kernel(Lane &lane, void (*function)(void *), void *data);
  template <class Function> void run_kernel(Lane &lane, Function function) {
    run_kernel(lane, [](void *data) { (*static_cast<Function *>(data))(); }, &function);
  }
  using GroupEvent = decltype(&Listener::groups_begun);
  void tell_of(GroupEvent event, const WaitingGroup &group) const;
  void leave_check(const WaitingGroup &group) const;

  const CommandRef command_;
  const TaskQueue *const queue_;
  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
  const GroupLayout layout_;
  const unsigned lane_count_;                    // of the workers, and of the pool's looker
  std::unique_ptr<std::atomic<Lane *>[]> lanes_; // null: that worker has not been here
  UnstartedGroups unstarted_;
  alignas(64) std::atomic<uint64_t> done_{0};
  alignas(64) std::atomic<uint32_t> state_{0}; // workers inside, and closed_bit
  std::atomic<bool> is_settled_{false}, has_error_{false};
  std::atomic<bool> has_index_{false}; // in some list
  const uint64_t begin_;
  std::atomic<uint64_t> last_move_{0}, last_advance_{0}, last_done_{0};
  std::unique_ptr<Error> error_; // written by whoever set has_error_
};

} // namespace lockstep::runtime
