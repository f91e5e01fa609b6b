#include "runtime/launch/cpu/resumable/waiting_launches.h"

#include "platform/linux/leaked.h"
#include "runtime/launch/cpu/diagnostics/deadlock_verdict.h"
#include "support/environment.h"
#include "support/message.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace lockstep::runtime {
namespace {

constexpr uint64_t between_looks = 10'000'000, least_between_looks = 1'000'000;
constexpr uint64_t left_alone = 500'000'000;

uint64_t nanoseconds_from(std::optional<long long> seconds, long long otherwise) {
  return uint64_t(std::clamp(seconds.value_or(otherwise), 0LL, 1'000'000LL)) * 1'000'000'000;
}

bool reports_from_environment() {
  auto text = environment("DEADLOCK");
  if (text && *text != "report" && *text != "wait")
    print_message("LOCKSTEP_DEADLOCK is '%s', not 'report' or 'wait'; it is ignored",
                  text->c_str());
  return !text || *text != "wait";
}

} // namespace

WaitingLaunches &WaitingLaunches::instance() {
  return leaked<AfterFork::make_again>([] { return new WaitingLaunches; });
}

WaitingLaunches::WaitingLaunches()
    : reports_(reports_from_environment()),
      until_warning_(nanoseconds_from(environment_number("DEADLOCK_SECONDS"), 10)),
      until_end_(nanoseconds_from(environment_number("DEADLOCK_END_SECONDS"), 300)) {}

void WaitingLaunches::add(std::shared_ptr<ResumableRun> run) {
  std::lock_guard lock(mutex_);
  if (runs_.empty())
    last_visit_.store(now_nanoseconds(), std::memory_order_relaxed);
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

bool WaitingLaunches::are_left_alone() const {
  return any() && now_nanoseconds() - last_visit_.load(std::memory_order_relaxed) > left_alone;
}

void WaitingLaunches::look_for_deadlock(Worker &worker) {
  const uint64_t now = now_nanoseconds();
  // rarely, because all workers write it
  if (now - last_visit_.load(std::memory_order_relaxed) > between_looks)
    last_visit_.store(now, std::memory_order_relaxed);
  if (now < next_look_.load(std::memory_order_relaxed) || !reports_.load(std::memory_order_relaxed))
    return;
  std::unique_lock lock(inspection_, std::try_to_lock);
  if (!lock)
    return;
  const Runs runs = list();
  auto is_due = [now](const auto &run) { return DeadlockVerdict::due_at(*run) <= now; };
  if (std::any_of(runs.begin(), runs.end(), is_due)) {
    // Includes launches that were without progress in their last examination, or of which no group
    // has ended for long: launches that are dead only together would otherwise be examined one
    // after the other forever.
    Runs still;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(still), [&](const auto &run) {
      return is_due(run) || DeadlockVerdict::may_stand_still(*run, now);
    });
    DeadlockVerdict(worker, runs, still,
                    {until_warning_.load(std::memory_order_relaxed),
                     until_end_.load(std::memory_order_relaxed)})
        .look_and_judge();
  }
  uint64_t next = now + between_looks;
  for (const auto &run : runs)
    next = std::min(next, DeadlockVerdict::due_at(*run));
  next_look_.store(std::max(next, now_nanoseconds() + least_between_looks),
                   std::memory_order_relaxed);
}

} // namespace lockstep::runtime
