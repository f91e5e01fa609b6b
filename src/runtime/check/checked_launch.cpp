#include "runtime/check/checked_launch.h"

#include "driver/compile.h"
#include "platform/linux/leaked.h"
#include "runtime/check/assumptions/assumptions.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/kernel.h"
#include "runtime/device_enqueue/launch_enqueues.h"
#include "runtime/events/events.h"
#include "runtime/graph/command.h"

#include <fmt/format.h>
#include <functional>
#include <string>
#include <utility>

namespace lockstep::runtime {

// ---- preparation

bool CheckedLaunch::needs_single_groups() const {
  return check_options().memory || check_options().undefined;
}

bool CheckedLaunch::has_shadow_of_local_memory() const {
  return check_options().undefined;
}

bool CheckedLaunch::wants_code_for_defined_memory() const {
  const CheckOptions &options = check_options();
  return options.undefined && !options.watches_groups() && !options.commands;
}

uint64_t CheckedLaunch::failed_assumptions(const compiler::Assumptions &assumptions,
                                           std::span<const uint64_t> local_sizes) const {
  return runtime::failed_assumptions(assumptions, kernel_, launch_, accesses_, local_sizes);
}

Result<void> CheckedLaunch::prepare(const Prepared &prepared) {
  code_ = &prepared.code;
  has_local_memory_ = prepared.has_local_memory;
  workers_ = prepared.workers;
  if (const LaunchEnqueues *enqueues = prepared.enqueues) {
    enqueues_ = true;
    is_child_ = enqueues->is_child();
    node_ = enqueues->node();
    order_ = dynamic_cast<EnqueueOrder *>(&enqueues->order());
  }
  memory_check_ = MemoryCheck::of(kernel_, launch_, accesses_, prepared.local_sizes,
                                  prepared.local_shadow_bytes);
  launch_.memory_check = memory_check_.get();
  if (memory_check_)
    LOCKSTEP_TRY(memory_check_->has_shadow());
  begin_run();
  return {};
}

const compiler::Assumptions *CheckedLaunch::assumptions() const {
  return code_ && code_->assumptions ? &*code_->assumptions : nullptr;
}

// ---- runs

namespace {

// Frees the check state of launches as soon as they end. Recorded launches begin a new check with
// each run.
class EndOfLaunches final : public Listener {
public:
  void command_begun(const Command &command) override {
    if (CheckedLaunch *launch = launch_of(command); launch && !launch->has_results_of_one_run())
      launch->begin_run();
  }
  void command_ended(const Command &command, Status) override {
    if (CheckedLaunch *launch = launch_of(command))
      launch->end_run();
  }

private:
  static CheckedLaunch *launch_of(const Command &command) {
    Operation *operation = command.operation();
    const Launch *launch = operation ? operation->launch() : nullptr;
    return launch ? dynamic_cast<CheckedLaunch *>(&launch->observer()) : nullptr;
  }
};

EndOfLaunches *start() {
  auto *listener = new EndOfLaunches;
  add_listener(*listener);
  Findings::instance(); // reports at the end of the process if nothing was checked
  return listener;
}

} // namespace

void CheckedLaunch::begin_run() {
  const CheckOptions &options = check_options();
  const bool is_wanted = options.watches_groups() || options.commands;
  if (is_wanted)
    leaked<AfterFork::make_again>([] { return start(); });
  if (is_wanted && matches_name(options.kernels, kernel_.name, kernel_.title)) {
    check_ = std::make_unique<LaunchCheck>(kernel_, launch_, accesses_);
    if (code_) {
      check_->set_local_memory(has_local_memory_);
      check_->set_workers(workers_);
      check_->set_sub_group_size(code_->sub_group_size);
      if (assumptions())
        check_->footprint().record_must_accesses(*assumptions());
    }
  }
  launch_.check = check_.get();
  observes_groups_ = check_ != nullptr;
  if (order_ && code_)
    watch_enqueues();
}

void CheckedLaunch::watch_enqueues() {
  FootprintSource source;
  if (check_ && check_->footprint().is_recorded()) {
    check_->footprint().record_sites();
    source = [check = check_.get()](uint64_t &looked_at) {
      return check->footprint().take_footprint(looked_at);
    };
  }
  order_->set_source(node_, kernel_.name, assumptions() && assumptions()->synchronizes,
                     std::move(source));
}

void CheckedLaunch::end_run() {
  launch_.check = nullptr;
  observes_groups_ = false;
  check_.reset();
}

// ---- groups

void CheckedLaunch::group_ended(const compiler::GroupInfo &group) {
  if (check_)
    check_->leave(group);
}

void CheckedLaunch::no_group_follows(const compiler::GroupInfo &group) {
  if (check_)
    check_->give_back(group);
}

void CheckedLaunch::group_faulted(const compiler::GroupInfo &group) noexcept {
  if (check_)
    check_->faulted(group);
}

void CheckedLaunch::group_diverged(const compiler::GroupInfo &group) {
  if (check_)
    check_->diverged(group);
}

const void *CheckedLaunch::take_atomic_write() const {
  return runtime::take_atomic_write();
}

Result<void> CheckedLaunch::outcome() const {
  if (check_ && check_->has_given_up())
    LOCKSTEP_TRY(check_->given_up());
  return memory_check_ ? memory_check_->has_shadow() : Result<void>();
}

// ---- deadlocks

bool CheckedLaunch::wants_deadlock() const {
  return check_ && check_->watches_groups() &&
         Findings::instance().is_first("deadlock", std::hash<std::string>()(kernel_.name), 0);
}

void CheckedLaunch::deadlocked(const ObservedDeadlock &deadlock) {
  Finding finding;
  finding.kind = "deadlock";
  finding.set_kernel(kernel_);
  finding.headline =
      fmt::format("{} work-groups wait for values that no running work-item or command can write",
                  deadlock.waiting_groups);
  for (const ObservedDeadlock::Row &row : deadlock.rows) {
    FindingLocation place;
    place.what = row.waits ? "waits" : "is at";
    place.who = row.groups;
    place.file = row.file;
    place.line = row.line;
    place.column = row.column;
    finding.places.push_back(place);
    finding.explanation.push_back(row.text);
  }
  finding.set_launch(kernel_, launch_);
  Findings::instance().report(finding);
}

// ---- footprint

// A host launch also reports the accesses of all launches that it has enqueued; these may use all
// memory that it was given itself.
bool CheckedLaunch::reached(std::vector<ReachedBytes> &all) const {
  if (enqueues_)
    return is_child_ || (order_ && order_->add_footprints(all));
  if (code_)
    all = check_ && check_->footprint().is_recorded()
              ? check_->footprint().reached()
              : reached_bytes(assumptions(), kernel_, launch_, accesses_);
  return true;
}

} // namespace lockstep::runtime
