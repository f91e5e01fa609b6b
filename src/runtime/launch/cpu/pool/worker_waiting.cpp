// Implements how a worker serves launches whose groups may wait.
//
// These launches are in no task queue. Every worker of their device serves them in slices whenever
// it finds no command to run, and now and then between commands. After a slice without progress it
// polls for a few microseconds, and then sleeps for increasing times of up to a millisecond; a
// command that becomes ready wakes it as usual.
#include "platform/linux/futex.h"
#include "runtime/launch/cpu/diagnostics/progress.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/pool/worker.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/threads/spin_place.h"
#include "support/message.h"
#include "support/out_of_memory.h"

#include <algorithm>
#include <cstdio>
#include <new>

namespace lockstep::runtime {
namespace {

constexpr uint64_t slice_nanoseconds = 100'000;
constexpr uint64_t slice_between_commands = 50'000;
constexpr uint64_t time_between_slices = 200'000; // if there are always commands
constexpr uint64_t first_rest = 20'000;
constexpr uint64_t longest_rest = 1'000'000;

// A worker cannot report that there is no memory; it tries again the next time.
template <class Function> void if_there_is_memory(Function function) {
  try {
    function();
  } catch (const std::bad_alloc &) {
  }
}

} // namespace

void Worker::refresh_runs() {
  const WaitingLaunches &launches = WaitingLaunches::instance();
  const uint64_t version = launches.version();
  if (version == runs_version_)
    return;
  runs_ = launches.list();
  runs_version_ = version;
  std::erase_if(runs_, [this](const auto &run) {
    return std::none_of(queues_.begin(), queues_.end(),
                        [&](const auto &queue) { return queue.get() == run->queue(); });
  });
}

bool Worker::has_runs() {
  if (!WaitingLaunches::instance().any())
    runs_.clear();
  else
    if_there_is_memory([&] { refresh_runs(); });
  return !runs_.empty();
}

// Called when the first worker takes this command: it becomes a run, which every worker of the
// queue may serve.
void Worker::begin_run(Command &command, TaskQueue &queue) {
  command.set_running();
  const uint64_t parts = progress_of(command).parts;
  std::shared_ptr<ResumableRun> run;
  try {
    if (parts)
      run = std::make_shared<ResumableRun>(command, queue, *resumable_of(command), pool_.size());
  } catch (const std::bad_alloc &) {
    const KeepsNext keeps(*this);
    settle_and_print(command, out_of_memory_error());
    return;
  }
  if (!run) {
    const KeepsNext keeps(*this);
    settle_and_print(command, {});
    return;
  }
  try {
    WaitingLaunches::instance().add(run);
  } catch (const std::bad_alloc &) {
    run->end(out_of_memory_error()); // no worker serves it yet
    const KeepsNext keeps(*this);
    run->give_back_claim(*this);
    return;
  }
  const uint64_t helpers = std::min<uint64_t>(queue.worker_count() - 1, parts - 1);
  if (helpers)
    pool_.wake(queue, helpers);
}

bool Worker::serve_runs(uint64_t nanoseconds) {
  bool has_moved = false;
  last_served_ = now_nanoseconds();
  away_until_ = ~uint64_t{0};
  const Runs runs = runs_; // a run that ends may change the list
  for (std::size_t i = 0; i < runs.size() && !kept_.command; ++i)
    has_moved |= runs[(next_run_ + i) % runs.size()]->serve(*this, nanoseconds);
  ++next_run_;
  return has_moved;
}

bool Worker::is_time_to_serve() {
  return WaitingLaunches::instance().any() &&
         now_nanoseconds() - last_served_ >= time_between_slices && has_runs();
}

void Worker::serve_runs_between_commands() {
  if_there_is_memory([&] {
    serve_runs(slice_between_commands);
    if (kept_.command)
      return;
    for (const auto &run : Runs(runs_))
      run->give_back_claim(*this);
    WaitingLaunches::instance().look_for_deadlock(*this);
  });
}

// Called before a command, which may take long: while any worker sleeps, one must know of the
// waiting launches. Workers that went to sleep before such a launch began do not, so a worker that
// leaves wakes one. If the woken worker only rested between two iterations, it already knows the
// launches; if it finds a command first, it calls this function, too.
void Worker::hand_over_runs() {
  if (!has_runs())
    return;
  if_there_is_memory([&] {
    for (const auto &run : Runs(runs_)) // a run that ends may change the list
      run->give_back_claim(*this);
  });
  for (const auto &queue : queues_)
    if (std::any_of(runs_.begin(), runs_.end(),
                    [&](const auto &run) { return run->queue() == queue.get(); }))
      pool_.wake(*queue, 1);
}

void Worker::call_workers(TaskQueue &queue, unsigned count) {
  pool_.wake(queue, count);
}

// Serves, or rests if no progress is possible. Returns soon, so that the caller can look for
// commands.
void Worker::serve_or_rest() {
  bool has_moved = false;
  if_there_is_memory([&] {
    has_moved = serve_runs(slice_nanoseconds);
    if (!kept_.command)
      WaitingLaunches::instance().look_for_deadlock(*this);
  });
  if (kept_.command)
    return;
  if (has_moved) {
    idle_since_ = 0;
    return;
  }
  const uint64_t now = now_nanoseconds();
  if (!idle_since_) {
    idle_since_ = now;
    rest_nanoseconds_ = first_rest;
  }
  if (now - idle_since_ < uint64_t(spin_time().count())) {
    if (SpinPlace place; place.may_spin()) {
      for (int i = 0; i < 32; ++i)
        spin_pause();
      return;
    }
  }
  const bool is_away = away_until_ != ~uint64_t{0};
  if (is_away)
    rest_nanoseconds_ =
        std::clamp(away_until_ - std::min(now, away_until_), first_rest, longest_rest);
  if (has_runs())
    sleep(std::chrono::nanoseconds(rest_nanoseconds_));
  rest_nanoseconds_ = is_away ? first_rest : std::min(2 * rest_nanoseconds_, longest_rest);
}

void Worker::set_quiet(bool quiet) {
  if (is_quiet_.load(std::memory_order_relaxed) != quiet)
    is_quiet_.store(quiet, std::memory_order_seq_cst);
}

// Settles the command, unless it completes only together with the launches that its kernel has
// enqueued.
void Worker::settle(Command &command, Result<void> result) {
  Launch *launch = command.operation()->launch();
  if (!launch || !launch->settles(command, result))
    command.settle(std::move(result));
}

// Errors of kernels are also printed, for programs that never query them.
void Worker::settle_and_print(Command &command, Result<void> result) {
  if (!result)
    print_message("%s", result.error().message.c_str());
  settle(command, std::move(result));
}

} // namespace lockstep::runtime
