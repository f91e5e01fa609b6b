#include "runtime/launch/cpu/waiting_launches.h"

#include "runtime/graph/futex.h"
#include "runtime/graph/host_threads.h"
#include "runtime/launch/cpu/deadlock_report.h"
#include "runtime/launch/cpu/worker.h"
#include "runtime/launch/cpu/worker_pool.h"
#include "support/environment.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

// How long nothing moves before somebody looks. To look in vain costs little, but holds up.
constexpr uint64_t still_nanoseconds = 30'000'000;
constexpr uint64_t longest_until_out = 2'000'000; // for others to leave the runs
constexpr uint64_t rest_factor = 20;              // a look takes at most this part of the time

uint64_t patience_from_environment() {
  const long long seconds = environment_number("DEADLOCK_SECONDS").value_or(10);
  return uint64_t(std::clamp(seconds, 0LL, 1'000'000LL)) * 1'000'000'000;
}

bool reports_from_environment() {
  auto text = environment("DEADLOCK");
  if (text && *text != "report" && *text != "wait")
    std::fprintf(stderr,
                 "lockstep: LOCKSTEP_DEADLOCK is '%s', not 'report' or 'wait'; it is ignored\n",
                 text->c_str());
  return !text || *text != "wait";
}

} // namespace

struct WaitingLaunches::Standstill {
  bool lacks_memory = false; // a launch has groups that it cannot start...
  const ResumableRun *lacking = nullptr;
  bool is_host_visible = false; // the host may write something that is waited for
  uint64_t tasks_taken = 0;
  HostThreads host;
};

WaitingLaunches &WaitingLaunches::instance() {
  static WaitingLaunches &launches = *new WaitingLaunches;
  return launches;
}

WaitingLaunches::WaitingLaunches()
    : reports_(reports_from_environment()), patience_(patience_from_environment()) {}

void WaitingLaunches::add(std::shared_ptr<ResumableRun> run) {
  std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  count_.fetch_add(1, std::memory_order_seq_cst);
  version_.fetch_add(1, std::memory_order_seq_cst);
}

void WaitingLaunches::remove(const ResumableRun &run) {
  std::lock_guard lock(mutex_);
  if (std::erase_if(runs_, [&](const auto &entry) { return entry.get() == &run; })) {
    count_.fetch_sub(1, std::memory_order_seq_cst);
    version_.fetch_add(1, std::memory_order_seq_cst);
  }
}

WaitingLaunches::Runs WaitingLaunches::list() const {
  std::lock_guard lock(mutex_);
  return runs_;
}

// ---- looking

// No worker has a command in its hands and none is listed. See Worker::search for the other side.
bool WaitingLaunches::is_quiet(Worker &checker, uint64_t &tasks_taken) const {
  return WorkerPool::instance().is_quiet(checker, tasks_taken);
}

bool WaitingLaunches::stands_still(Worker &worker, const Runs &runs, Standstill &found) {
  if (!is_quiet(worker, found.tasks_taken))
    return false;
  const uint64_t version_before = version();
  const uint64_t begin = now_nanoseconds();
  auto is_served = [](const auto &run) { return run->is_being_served(); };
  while (std::any_of(runs.begin(), runs.end(), is_served)) {
    if (now_nanoseconds() - begin > longest_until_out)
      return false; // a group runs: slow, not dead
    spin_pause();
  }
  for (const auto &run : runs) {
    if (run->is_closed())
      return false;
    if (!run->has_unstarted())
      continue;
    if (run->can_start(worker))
      return false;
    found.lacks_memory = true;
    found.lacking = run.get();
  }
  for (const auto &run : runs)
    if (run->ask_all_truly(worker))
      return false;
  for (const auto &run : runs)
    found.is_host_visible |= waits_for_host_visible_memory(*run);
  // In this order: threads that wait for commands which are not settled enqueue nothing until one
  // is, and none was if from here on everything is as before.
  found.host = count_host_threads();
  uint64_t tasks_taken = 0;
  return is_quiet(worker, tasks_taken) && tasks_taken == found.tasks_taken &&
         version_before == version();
}

void WaitingLaunches::look_for_deadlock(Worker &worker) {
  const uint64_t begin = now_nanoseconds();
  if (begin < next_look_.load(std::memory_order_relaxed))
    return;
  std::unique_lock lock(look_mutex_, std::try_to_lock);
  if (!lock || !reports_.load(std::memory_order_relaxed))
    return;
  const Runs runs = list();
  uint64_t last_move = 0;
  for (const auto &run : runs)
    last_move = std::max(last_move, run->last_move());
  if (runs.empty() || begin - std::min(begin, last_move) < still_nanoseconds) {
    still_since_ = 0;
    return;
  }
  Standstill found;
  is_paused_.store(true, std::memory_order_seq_cst);
  const bool stands = stands_still(worker, runs, found);
  if (!stands || still_since_ < last_move || still_tasks_taken_ != found.tasks_taken)
    still_since_ = stands ? std::max(last_move, uint64_t{1}) : 0;
  still_tasks_taken_ = found.tasks_taken;
  if (stands)
    judge(worker, runs, found); // still alone: a report looks into all groups
  is_paused_.store(false, std::memory_order_seq_cst);
  const uint64_t end = now_nanoseconds();
  // The longer it stands still, the less it matters to know soon.
  const uint64_t since_last_move = still_since_ ? end - still_since_ : 0;
  next_look_.store(
      end + std::max({still_nanoseconds, rest_factor * (end - begin), since_last_move / 8}),
      std::memory_order_relaxed);
}

// ---- judging

void WaitingLaunches::judge(Worker &worker, const Runs &runs, const Standstill &found) {
  const HostThreads &host = found.host;
  const bool is_patience_over = now_nanoseconds() - still_since_ >= patience_.load();
  if (found.is_host_visible) {
    if (is_patience_over)
      warn(runs, "The host may still write the memory that they wait for, so they go on waiting");
  } else if (found.lacks_memory || host.others == 0) {
    end_one(worker, runs, found);
  } else if (is_patience_over && host.blocked > 0 && unsettled_user_events() == 0) {
    end_one(worker, runs, found);
  } else if (is_patience_over) {
    warn(runs, "The program may still enqueue a command that changes that, so they go on waiting");
  }
}

void WaitingLaunches::end_one(Worker &worker, const Runs &runs, const Standstill &found) {
  if (found.lacks_memory)
    for (const auto &run : runs)
      if (run.get() == found.lacking) {
        run->end(worker, no_memory_error(*run));
        return;
      }
  auto has_dependants = [](const auto &run) { return run->command().has_dependants(); };
  auto chosen = std::find_if(runs.begin(), runs.end(), has_dependants);
  ResumableRun &run = chosen == runs.end() ? *runs.front() : **chosen;
  DeadlockReport report(run, runs.size() - 1);
  report.write_file();
  run.end(worker, {ErrorKind::kernel_fault, report.text()});
}

void WaitingLaunches::warn(const Runs &runs, const char *why) {
  for (const auto &run : runs) {
    if (std::exchange(run->has_warned, true))
      continue;
    const DeadlockReport report(*run, runs.size() - 1);
    const std::string text = fmt::format("warning: {}\n  {}", report.text(false), why);
    std::fprintf(stderr, "lockstep: %s\n", text.c_str());
    run->command().warn(text);
  }
}

} // namespace lockstep::runtime
