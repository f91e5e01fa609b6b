// Implements a worker's loop, and the distribution of the parts of one command.
//
// If all workers help from the start, each has its share (worker_shares.h). Else the parts are
// handed out in chunks from one counter per command (guided scheduling). A chunk is the 2n-th part
// of the rest for n threads, so the counter is accessed about 2n log(parts) times and the threads
// still end together. A chunk is at least about `chunk_nanoseconds` of work.
//
// Other threads are invited if the expected time of the whole exceeds the time to wake them. The
// operation provides the expectation (a kernel records its last launches). A command that runs
// longer than expected invites threads when that becomes known.
//
// Invariant: a worker that serves waiting launches, looks for a deadlock or sleeps holds no
// command: no kept command, none taken from a queue, and none with parts that it ran but did not
// count. Other workers could not continue such a command, and the worker's current work may be
// endless or may depend on it. So a worker serves only in next_task(): there it has counted its
// parts, and has given up the other parts and the kept command.
#include "runtime/launch/cpu/pool/worker.h"

#include "platform/linux/fork.h"
#include "platform/linux/futex.h"
#include "platform/linux/protection_keys.h"
#include "runtime/launch/cpu/diagnostics/fault_handling.h"
#include "runtime/launch/cpu/diagnostics/progress.h"
#include "runtime/launch/cpu/diagnostics/watch.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/threads/host_threads.h"
#include "runtime/threads/spin_place.h"
#include "support/message.h"
#include "support/out_of_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <string>

namespace lockstep::runtime {
namespace {

thread_local constinit Worker *current_worker = nullptr;
const ForkHook reset([] { current_worker = nullptr; }); // a forked child has its own pool

constexpr uint64_t help_nanoseconds = 5'000;  // work that justifies one helper
constexpr uint64_t chunk_nanoseconds = 2'000; // minimum work per access to the shared counter
constexpr uint64_t least_spin_nanoseconds = 2'000;
constexpr uint32_t most_kept_in_a_row = 64;

using Chunk = WorkerShares::Range;

Chunk take_chunk(Progress &progress, uint64_t least, uint64_t share) {
  uint64_t begin = progress.next.load(std::memory_order_relaxed);
  for (;;) {
    if (begin >= progress.parts)
      return {};
    uint64_t left = progress.parts - begin;
    uint64_t size = std::min(left, std::max(least, left / share));
    if (progress.next.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed))
      return {begin, begin + size};
  }
}

} // namespace

Worker *Worker::current() {
  return current_worker;
}

Worker::~Worker() {
  std::free(local_memory_);
}

Result<void *> Worker::local_memory(std::size_t size) {
  if (size <= local_memory_size_)
    return local_memory_;
  constexpr std::size_t alignment = 4096;
  std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (!memory)
    return Error{ErrorKind::out_of_resources,
                 "no memory for " + std::to_string(size) + " bytes of local memory"};
  std::free(local_memory_);
  local_memory_ = memory;
  local_memory_size_ = rounded;
  return memory;
}

// ---- the loop

void Worker::thread_main() {
  current_worker = this;
  const ServiceThread this_one;
  const ThreadRights rights(ThreadRights::Whose::command);
  const bool is_looker = index_ == pool_.size();
  pthread_setname_np(pthread_self(),
                     is_looker ? "lockstep-look" : ("lockstep-" + std::to_string(index_)).c_str());
  prepare_thread_for_faults(stack_guard_begin_, stack_guard_end_);
  if (is_looker)
    look_when_asked();
  pool_.bind(index_);
  spin_nanoseconds_ = uint64_t(spin_time().count());
  for (;;)
    execute(next_task());
}

void Worker::look_when_asked() {
  for (;;) {
    while (signal_.exchange(0, std::memory_order_acquire) == 0)
      futex_wait(&signal_, 0);
    try {
      WaitingLaunches::instance().look_for_deadlock(*this);
    } catch (const std::bad_alloc &) { // the next look may have memory
    }
  }
}

Worker::Task Worker::next_task() {
  if (is_time_to_serve()) {
    give_up_kept();
    serve_runs_between_commands();
  }
  if (kept_.command)
    return std::exchange(kept_, Task{});
  kept_in_a_row_ = 0;
  return search();
}

void Worker::refresh_memberships() {
  uint64_t version = pool_.memberships_version_.load(std::memory_order_seq_cst);
  if (version == memberships_version_)
    return;
  const bool was_searching = searching_;
  set_searching(false);
  {
    std::lock_guard lock(pool_.mutex_);
    memberships_version_ = pool_.memberships_version_.load(std::memory_order_relaxed);
    queues_.clear();
    if (room_.capacity() > queues_.capacity())
      queues_.swap(room_);
    for (const auto &queue : pool_.queues_) {
      auto mask = queue->worker_mask();
      if (index_ / 64 < mask.size() && mask[index_ / 64] >> index_ % 64 & 1)
        queues_.push_back(queue);
    }
  }
  runs_version_ = ~uint64_t{0}; // runs that were filtered out may belong to the new queues
  set_searching(was_searching);
}

void Worker::set_searching(bool searching) {
  if (searching == searching_)
    return;
  searching_ = searching;
  for (const auto &queue : queues_) {
    if (searching)
      queue->searching().fetch_add(1, std::memory_order_seq_cst);
    else
      queue->searching().fetch_sub(1, std::memory_order_seq_cst);
  }
}

Worker::Task Worker::find_task() {
  refresh_memberships();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    TaskQueue &queue = *queues_[(next_queue_ + i) % queues_.size()];
    if (auto taken = queue.take(); taken.command) {
      next_queue_ = (next_queue_ + i + 1) % queues_.size(); // no queue starves another
      return {taken.command, &queue, taken.is_first};
    }
  }
  return {};
}

bool Worker::any_task() {
  refresh_memberships();
  if (WaitingLaunches::instance().any() && WaitingLaunches::instance().version() != runs_version_)
    return true; // there may be a launch to serve
  return std::any_of(queues_.begin(), queues_.end(), [](const auto &q) { return !q->empty(); });
}

Worker::Task Worker::search() {
  for (;;) {
    refresh_memberships();
    set_quiet(false); // before a command leaves its queue
    set_searching(true);
    Task task = find_task();
    if (!task.command && !WaitingLaunches::instance().any())
      task = spin();
    if (task.command) {
      set_searching(false);
      for (const auto &queue : queues_)
        if (!queue->empty() && queue->searching().load(std::memory_order_seq_cst) == 0)
          pool_.wake(*queue, 1);
      idle_since_ = 0;
      return task;
    }
    set_quiet(true);
    if (!has_runs()) {
      sleep();
      continue;
    }
    // From here on, a thread that lists a command wakes another worker; any_task() sees earlier
    // commands.
    set_searching(false);
    if (!any_task())
      serve_or_rest();
    if (kept_.command) // a launch that ended made it ready
      return std::exchange(kept_, Task{});
  }
}

Worker::Task Worker::spin() {
  Task task;
  if (take_woke_waiter())
    sched_yield(); // lets the waiter run, if it is on this CPU
  SpinPlace place;
  if (!place.may_spin())
    return task;
  if (pool_.spinners_.fetch_add(1, std::memory_order_relaxed) < pool_.most_spinners_) {
    const uint64_t begin = now_nanoseconds();
    do {
      for (int i = 0; i < 16 && !task.command; ++i) {
        spin_pause();
        if (std::any_of(queues_.begin(), queues_.end(), [](const auto &q) { return !q->empty(); }))
          task = find_task();
      }
    } while (!task.command && !WaitingLaunches::instance().any() &&
             now_nanoseconds() - begin < spin_nanoseconds_);
  }
  pool_.spinners_.fetch_sub(1, std::memory_order_relaxed);
  return task;
}

void Worker::sleep(std::chrono::nanoseconds time) {
  std::atomic<uint64_t> &sleeping = pool_.sleeping_[index_ / 64];
  const uint64_t bit = uint64_t{1} << index_ % 64;
  const uint64_t begin = now_nanoseconds();
  signal_.store(0, std::memory_order_relaxed);
  sleeping.fetch_or(bit, std::memory_order_seq_cst);
  set_searching(false);
  if (time.count() >= 0) {
    if (!any_task() && signal_.load(std::memory_order_acquire) == 0)
      futex_wait(&signal_, 0, time);
  } else if (!any_task()) {
    while (signal_.load(std::memory_order_acquire) == 0)
      futex_wait(&signal_, 0);
    // Spins for long only after a short sleep, which spinning would have avoided.
    const uint64_t longest = uint64_t(spin_time().count());
    spin_nanoseconds_ =
        now_nanoseconds() - begin < 4 * longest
            ? longest
            : std::max(std::min(least_spin_nanoseconds, longest), spin_nanoseconds_ / 2);
  }
  // A thread that clears the bit before this line has listed a task, which the next search finds.
  sleeping.fetch_and(~bit, std::memory_order_seq_cst);
}

// ---- commands

bool Worker::keep(Command &ready, TaskQueue &queue) {
  if (!may_keep_ || kept_.command)
    return false;
  auto serves = [&](const auto &own) { return own.get() == &queue; };
  if (std::none_of(queues_.begin(), queues_.end(), serves))
    return false;
  if (kept_in_a_row_ >= most_kept_in_a_row && any_task())
    return false; // a long chain must not delay other commands
  ++kept_in_a_row_;
  ready.add_reference();
  progress_of(ready).is_started = true;
  kept_ = {&ready, &queue, true};
  return true;
}

void Worker::give_up_kept() {
  const Task task = std::exchange(kept_, Task{});
  if (!task.command)
    return;
  progress_of(*task.command).is_started = false;
  task.queue->push(*task.command);
  // the graph's reference keeps it alive, and the queue's taker adds one
  task.command->drop_reference();
  if (task.queue->searching().load(std::memory_order_seq_cst) == 0)
    pool_.wake(*task.queue, 1);
}

// Lets other threads run the rest of a command's parts, of which this worker runs no more for now.
void Worker::give_up_rest(Command &command, TaskQueue &queue) {
  Progress &progress = progress_of(command);
  if (progress.handed_out() == progress.parts)
    return;
  uint32_t alone = 1; // with more threads, unused tickets are removed at the end
  progress.threads.compare_exchange_strong(alone, 2, std::memory_order_relaxed);
  queue.push_for_help(command, 1);
  if (queue.searching().load(std::memory_order_seq_cst) == 0)
    pool_.wake(queue, 1);
}

void Worker::execute(const Task &task) {
  Command &command = *task.command;
  auto &progress = progress_of(command);
  Watch::instance().notice_work();
  tasks_taken_.store(tasks_taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (WaitingLaunches::instance().any())
    hand_over_runs();
  if (task.is_first && resumable_of(command)) {
    begin_run(command, *task.queue);
    command.drop_reference();
    return;
  }
  if (task.is_first)
    command.set_running();
  const uint64_t done = run_parts(command, *task.queue, task.is_first);
  // Exactly one thread brings the sum to `parts`. A thread that ran no part must not count itself.
  const bool is_last =
      done > 0 ? progress.done.fetch_add(done, std::memory_order_acq_rel) + done == progress.parts
               : task.is_first && progress.parts == 0;
  if (is_last) {
    if (progress.threads > 1)
      task.queue->remove(command); // removes unused tickets
    if (progress.error && progress.error->kind == ErrorKind::kernel_fault)
      print_message("%s", progress.error->message.c_str());
    const KeepsNext keeps(*this);
    settle(command, progress.error       ? Result<void>(std::move(*progress.error))
                    : progress.has_error ? Result<void>(out_of_memory_error())
                                         : Result<void>());
  }
  command.drop_reference();
}

// Invites threads until `helpers` were invited in total.
void Worker::invite(Command &command, TaskQueue &queue, uint64_t helpers,
                    uint64_t nanoseconds_per_part) {
  auto &progress = progress_of(command);
  const uint64_t more = helpers + 1 - progress.threads.load(std::memory_order_relaxed);
  progress.threads.store(uint32_t(helpers + 1), std::memory_order_relaxed);
  // Even with a wrong expectation, each thread can take several chunks.
  uint64_t worthwhile = nanoseconds_per_part ? chunk_nanoseconds / nanoseconds_per_part : 1;
  uint64_t fair = progress.parts / (4 * (helpers + 1));
  progress.least_chunk.store(std::max<uint64_t>(1, std::min(worthwhile, fair)),
                             std::memory_order_relaxed);
  queue.push_for_help(command, uint32_t(more));
  uint64_t searching = queue.searching().load(std::memory_order_seq_cst);
  if (more > searching)
    pool_.wake(queue, more - searching);
}

static Result<void> run_host_code(Operation &operation, uint64_t first, uint64_t last) {
  Result<void> result;
  call_program([&] { result = operation.host()->run(first, last); });
  return result;
}

// A worker has no caller that could handle std::bad_alloc, so the command fails.
static Result<void> run(Operation &operation, uint64_t first, uint64_t last) {
  try {
    if (!operation.is_host_code()) [[likely]]
      return operation.host()->run(first, last);
    if (!ProtectionKeys::are_there())
      return run_host_code(operation, first, last);
    const ThreadRights rights(ThreadRights::Whose::program);
    return run_host_code(operation, first, last);
  } catch (const std::bad_alloc &) {
    return out_of_memory_error();
  }
}

// Null: there is no memory for the shares, so all threads take parts from one counter.
static std::unique_ptr<WorkerShares> make_shares(uint64_t parts, unsigned workers) {
  try {
    return std::make_unique<WorkerShares>(parts, workers);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

// Returns the number of parts that this thread accounts for: run, or skipped after an error.
uint64_t Worker::run_parts(Command &command, TaskQueue &queue, bool is_first) {
  auto &progress = progress_of(command);
  const uint64_t parts = progress.parts;
  const uint64_t most_helpers = std::min<uint64_t>(queue.worker_count() - 1, parts ? parts - 1 : 0);
  const uint64_t begin = most_helpers ? now_nanoseconds() : 0;
  uint64_t helpers = 0; // invited by this thread
  if (is_first && most_helpers) {
    uint64_t expected = command.operation()->host()->expected_nanoseconds_per_part();
    helpers = expected ? std::min(most_helpers, expected * parts / help_nanoseconds) : most_helpers;
    if (helpers == most_helpers && WorkerShares::fit(parts, queue.worker_count()))
      progress.shares = make_shares(parts, queue.worker_count());
    if (helpers)
      invite(command, queue, helpers, expected);
  }
  const unsigned place = progress.shares ? queue.place_of(index_) : 0;
  // The expectation may be wrong. If no thread was invited, the first chunk is one part, and each
  // next chunk is twice as large: long parts become visible while there is still work to share.
  uint64_t alone_chunk = !is_first || helpers ? 0 : most_helpers ? 1 : parts;
  uint64_t done = 0;
  HostWork *operation = nullptr; // may be destroyed unless this thread holds uncounted parts
  for (;;) {
    if (done > 0 && is_time_to_serve()) {
      give_up_rest(command, queue);
      break;
    }
    const Chunk chunk = alone_chunk ? take_chunk(progress, alone_chunk, parts + 1)
                        : progress.shares
                            ? progress.shares->take(place, progress.least_chunk)
                            : take_chunk(progress, progress.least_chunk, 2 * progress.threads);
    if (chunk.size() == 0)
      break;
    operation = command.operation()->host();
    running_progress_.store(&progress, std::memory_order_relaxed);
    running_.store(command.operation(), std::memory_order_release);
    auto result = run(*command.operation(), chunk.begin, chunk.end);
    done += chunk.size();
    if (!result)
      set_error(progress, result.take_error());
    if (progress.has_error.load(std::memory_order_relaxed)) {
      done += give_up(progress);
      break;
    }
    if (!is_first || helpers == most_helpers || chunk.end == parts)
      continue;
    alone_chunk *= 2;
    if (uint64_t took = now_nanoseconds() - begin; took > 2 * help_nanoseconds * (helpers + 1)) {
      alone_chunk = 0;
      helpers = std::min(most_helpers, helpers + (parts - chunk.end));
      invite(command, queue, helpers, took / done);
    }
  }
  if (operation)
    operation->leave(progress.has_error.load(std::memory_order_relaxed));
  if (most_helpers && done)
    operation->measured(done, now_nanoseconds() - begin);
  if (done)
    stop_running();
  return done;
}

// Called before the parts are counted as done; the operation may be destroyed after that.
void Worker::stop_running() {
  running_.store(nullptr, std::memory_order_relaxed);
  pool_.inspection_.let_inspect();
}

void Worker::set_error(Progress &progress, Error error) {
  if (!progress.has_error.exchange(true, std::memory_order_acq_rel))
    progress.error.reset(new (std::nothrow) Error(std::move(error))); // null: out of memory
}

// Hands out no more parts; returns how many are skipped. With shares, each thread must do so,
// because parts in transfer between two shares are in neither of them.
uint64_t Worker::give_up(Progress &progress) {
  if (progress.shares)
    return progress.shares->take_all();
  uint64_t next = progress.next.exchange(progress.parts, std::memory_order_relaxed);
  return progress.parts - std::min(next, progress.parts);
}

} // namespace lockstep::runtime
