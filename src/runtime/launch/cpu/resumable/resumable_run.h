// Runs a launch whose work-groups may wait for each other: the scheduler of its groups.
//
// Groups are started in order (unstarted_groups.h). If one waits, its worker runs another one.
// Workers run other commands between time slices (worker_waiting.cpp).
//
// A *pass* polls each waiting group of a worker's list once. It begins when a quarter of the list
// has been started since the last pass, or twice as many after a pass without progress. While the
// groups that are started do not wait, passes take a small part of the time.
//
// A sweep compares memory with each group's wait and resumes the groups that may continue. It next
// polls the neighbors of a group that advanced. If sweeps find few, the lists get an index by
// address and value.
//
// Locks: polling a lock takes its cache line from its user, so a worker that loses this race backs
// off. The number of workers that serve a run is limited (worker_limit.h).
//
// Fairness: a sweep polls all groups. A wait with an unchanged value is resumed in each 64th pass.
//
// End: the worker that finishes the last group or gets a fault, or deadlock detection, closes the
// run. The last thread that leaves it settles the command.
#pragma once

#include "runtime/events/events.h"
#include "runtime/graph/command.h"
#include "runtime/launch/cpu/resumable/lock_queues.h"
#include "runtime/launch/cpu/resumable/resumable_launch.h"
#include "runtime/launch/cpu/resumable/unstarted_groups.h"
#include "runtime/launch/cpu/resumable/waiter_list.h"
#include "runtime/launch/cpu/resumable/waiting_group.h"
#include "runtime/launch/cpu/resumable/waiting_memory.h"
#include "runtime/launch/cpu/resumable/worker_limit.h"
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
  ResumableRun(Command &command, TaskQueue &queue, const ResumableLaunch &launch, unsigned lanes);
  ~ResumableRun();

  TaskQueue *queue() const { return queue_; }
  const ResumableLaunch &launch() const { return launch_; }
  Command &command() const { return *command_; }

  // Works on the run for about `nanoseconds`; false if no progress was possible. May settle the
  // command.
  bool serve(Worker &worker, uint64_t nanoseconds);
  // Returns the groups that the worker has claimed and will not start soon, so that others can
  // start them.
  void give_back_claim(Worker &worker);
  uint64_t last_move() const { return last_move_.load(std::memory_order_seq_cst); }
  // Time when a group was last started, was done, or left a wait.
  uint64_t last_advance() const { return last_advance_.load(std::memory_order_seq_cst); }
  uint64_t last_done() const { return last_done_.load(std::memory_order_relaxed); }
  uint64_t begin() const { return begin_; }

  // ---- for inspection (deadlock_verdict.cpp, progress_report.cpp)

  // Keeps workers out until release(). False if the run has ended, or if a group still runs after
  // `longest_nanoseconds`. The last thread that leaves a run ends it.
  bool hold(uint64_t longest_nanoseconds);
  void release();
  // Keeps a run from ending while workers work on it, and reads its numbers of groups. (The end
  // frees the data that they are computed from.) False: the run has ended, and all numbers are 0.
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
    std::vector<uint64_t> running_groups() const { // by their numbers
      return run_ ? run_->running_groups() : std::vector<uint64_t>();
    }

  private:
    ResumableRun *const run_;
  };

  // The following functions require that the run is held.
  bool is_closed() const;
  bool has_unstarted() const { return unstarted_.any(); }
  // Whether there is memory for one more group; collects the free slots of all lanes.
  bool can_start(Worker &worker);
  // ended: a group is done, or the run has ended
  enum class Answer { same, changed, advanced, ended };
  // Resumes every waiting sub-group once and records its reads. Stops early if one has advanced and
  // the time is after `until`.
  Answer poll_all_truly(Worker &worker, WaitSummary &summary, uint64_t until);
  template <class Function> void for_each_waiting(Function function) const {
    for (unsigned i = 0; i < lane_count_; ++i)
      if (const Lane *lane = lanes_[i].load(std::memory_order_acquire))
        lane->waiters.for_each([&](const Waiter &waiter) { function(*waiter.group); });
  }
  void end(Error error); // takes effect with release()

  // These may be called at any time.
  uint64_t done_groups() const { return done_.load(std::memory_order_relaxed); }
  std::size_t bytes_per_group() const;

  // Notes of deadlock detection; accessed by the thread that examines the run.
  struct Notes {
    uint64_t advance = 0; // last_advance() at the time of the notes
    uint64_t next_look = 0, interval = 0;
    uint64_t dead_since = 0; // 0: not known to be dead
    uint64_t tasks_taken = 0;
    // Examinations of a launch whose groups progress but do not end.
    struct Endless {
      uint64_t since = 0, next_look = 0, interval = 0;
    } endless;
    bool has_warned = false;
  } notes;
  bool has_reported_no_end = false; // used by Watch (watch.h)

private:
  static constexpr std::size_t batch_size = 64;
  static constexpr uint32_t closed_bit = uint32_t{1} << 31, held_bit = uint32_t{1} << 30;
  static constexpr uint64_t no_group = ~uint64_t{0};
  static constexpr std::size_t nowhere = ~std::size_t{0};
  static constexpr uint64_t first_of_queue = 2; // groups

  struct Batch {
    std::array<Waiter, batch_size> waiters; // entries of the list; after polling, their new state
    Waiter neighbor;
    uint64_t completed = 0, completed_late = 0; // groups; those that had to wait
    std::size_t advances = 0;
    std::size_t ended_waits = 0;    // advances, and groups that next wait at the same place
    std::size_t waiting_at_end = 0; // so many of the groups started last wait, in a row
    std::size_t lost_races = 0; // a wanted value was seen, but was gone when the group was resumed
    bool has_changed = false, has_advanced = false;
    WaitingGroup *diverged = nullptr;
    WaitingGroup *current = nullptr;
    uint64_t waited_in_queues = 0; // nanoseconds
  };

  // One worker's state of the run.
  struct alignas(128) Lane {
    Lane(unsigned index, const GroupLayout &layout)
        : slots(layout.bytes(), layout.alignment()), index(index) {}
    WaiterList waiters; // other workers may poll them, too
    // List positions next to which groups may advance soon: before the first, and after the second.
    std::array<std::atomic<std::size_t>, 2> frontiers{nowhere, nowhere};
    std::atomic<uint64_t> last_sweep{0};
    std::atomic<bool> is_away{false}; // its worker does something else, or sleeps
    // Mostly used by its own worker, which writes it often.
    alignas(128) std::atomic<uint64_t> running{no_group};
    std::atomic<uint64_t> started{0}, waited{0}; // groups; those that waited at first
    std::atomic<uint64_t> all_completed{0}, all_completed_late{0};
    std::atomic<uint64_t> all_advances{0}, all_ended_waits{0};
    uint64_t completed = 0; // not counted in done_ yet
    GroupSlots slots;
    const unsigned index;
    // in groups; small, because all groups may want one lock
    uint64_t started_since_pass = 0, pass_after = 2;
    uint64_t next_pass = 0;   // time before which it prefers to start groups
    uint64_t advanced_at = 0; // time of its last pass with progress, or when it started more
    uint64_t vain_passes = 0, passes = 0;
    bool pass_has_changed = false, pass_has_advanced = false, is_in_pass = false;
    std::size_t pass_advances = 0;
    unsigned slow_passes = 0; // consecutive passes in which few groups advanced
    Written wrote{};          // by the group that advanced last
    bool has_advanced = false, has_completed = false; // since serve() began
    std::size_t victim = 0;                           // index of the lane whose list it helped with
    bool is_helping = false;                          // it has polled a part of that list
    uint64_t visited_at = 0;                          // time of the last visit to other lists
    uint64_t chunk = 1;                    // groups to start between two reads of the clock
    uint64_t back_off = 0, away_until = 0; // nanoseconds
    const void *contended = nullptr;       // the address that caused the back-off
    // number of groups started last that all waited
    uint64_t waited_in_a_row = 0;
    uint64_t allowed_more_at = 0; // time when more groups were allowed to start despite the queue
    uint64_t looked_at = 0, advances_seen = 0, saw_advance_at = 0; // of all workers
    bool others_advance = false;
    PureWait last_wait;             // of the group that was started last and waits
    bool waits_are_ordered = false; // its groups wait for different values of one variable
    bool waits_are_apart = false;   // the last two groups wait at different addresses
    bool waits_elsewhere = false;   // in this pass, a polled group waits for another address
    Batch batch;
  };
  enum class Served { moved, nothing_new, in_vain };

  Lane &lane_of(const Worker &worker);
  void free_lanes();
  bool enter();
  bool stay();
  void leave();
  // These require that the thread is inside.
  uint64_t waiting_groups() const;
  uint64_t unstarted_groups() const;
  WorkerLimit::Sample sample() const;
  uint64_t all_advances() const;
  void look_at_others(Lane &lane, uint64_t now);
  std::vector<uint64_t> running_groups() const;
  void finish();
  void close() { state_.fetch_or(closed_bit, std::memory_order_seq_cst); }
  void fail(Error error);

  bool serve_inside(Worker &worker, uint64_t nanoseconds, bool &has_left);
  Served serve_once(Worker &worker, Lane &lane, uint64_t &now);
  bool needs_no_pass(const Lane &lane, uint64_t now) const;
  static bool is_queue(const Lane &lane);
  static void allow_more(Lane &lane, uint64_t now);
  void keep_away(Lane &lane) const;
  bool start_some(Lane &lane, uint64_t &now);
  static bool begins_to_wait(const Lane &lane, std::size_t in_a_row);
  static void note_wait(Lane &lane, const PureWait &wait);
  uint64_t start_groups(Lane &lane, uint64_t begin, uint64_t end);
  class WholeGroups;
  uint64_t start_whole_groups(Lane &lane, uint64_t begin, uint64_t end);
  bool batches_updates(uint64_t groups) const;
  bool stops_before_locks(uint64_t groups) const;
  Served poll_some(Lane &lane);
  void begin_pass(Lane &lane);
  void end_pass(Lane &lane);
  Served help_others(Lane &lane);
  void adopt(Lane &lane);
  bool share(Lane &lane);
  Served help(Lane &lane, Lane &other);
  bool is_worth_polling(const Waiter &waiter, bool truly) const;
  bool poll_block(Lane &lane, Lane &owner, bool truly);
  void poll_run(Lane &lane, Lane &owner, const WaiterList::Block &block, std::size_t begin,
                std::span<Waiter> waiters, bool truly);
  void poll_beside(Lane &lane, Lane &owner, std::size_t frontier);
  void poll_readers(Lane &lane);
  bool poll_reader(Lane &lane, const WaiterList::News &news);
  bool poll_readers_of(Lane &lane, const void *address);
  void poll_waiters(Lane &lane, std::span<Waiter> waiters, bool truly,
                    WaitSummary *summary = nullptr);
  void take_in(Lane &lane, WaitingGroup &group, GroupState state, Waiter &to);
  void settle_batch(Lane &lane);
  void count_completed(Lane &lane);
  void run_kernel(Lane &lane, void (*function)(void *), void *data);
  template <class Function> void run_kernel(Lane &lane, Function function) {
    run_kernel(lane, [](void *data) { (*static_cast<Function *>(data))(); }, &function);
  }
  using GroupEvent = decltype(&Listener::groups_begun);
  void report_event(GroupEvent event, const WaitingGroup &group) const;
  void report_wait(WaitingGroup &group) const;
  void report_end_of_wait(const WaitingGroup &group) const;
  void end_observation(const WaitingGroup &group) const;

  const CommandRef command_;
  TaskQueue *const queue_;
  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
  const GroupLayout layout_;
  const unsigned lane_count_;                    // one for each worker and for the pool's looker
  std::unique_ptr<std::atomic<Lane *>[]> lanes_; // null: that worker has not served this run
  UnstartedGroups unstarted_;
  WorkerLimit limit_;
  LockQueues lock_queues_;
  alignas(64) std::atomic<uint64_t> done_{0};
  alignas(64) std::atomic<uint32_t> state_{0}; // number of threads inside, and the flag bits
  std::atomic<bool> is_settled_{false}, has_error_{false};
  std::atomic<bool> has_index_{false};   // at least one list has an index
  std::atomic<bool> has_adopted_{false}; // groups of workers that the limit did not admit
  const uint64_t begin_;
  std::atomic<uint64_t> last_move_{0}, last_advance_{0}, last_done_{0};
  std::unique_ptr<Error> error_; // written by the thread that set has_error_
};

} // namespace lockstep::runtime
