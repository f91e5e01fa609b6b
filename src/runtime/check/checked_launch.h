// The checker's observer of a launch: the races and barriers of its work-items (races/launch),
// bounds and undefined values (bounds/), and what it accesses of memory, for the order of commands.
#pragma once

#include "runtime/check/bounds/memory_check.h"
#include "runtime/check/commands/enqueue_order.h"
#include "runtime/check/races/launch/launch_check.h"
#include "runtime/check/report/launch_origins.h"
#include "runtime/memory/access.h"
#include "runtime/observers/launch_observer.h"

#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

class CheckedLaunch final : public LaunchObserver {
public:
  CheckedLaunch(const compiler::KernelInfo &kernel, compiler::LaunchInfo &launch,
                std::span<const Access> accesses)
      : kernel_(kernel), launch_(launch), accesses_(accesses) {
    LaunchOrigins::instance().add(launch_);
  }
  ~CheckedLaunch() override { LaunchOrigins::instance().remove(launch_); }
  CheckedLaunch(const CheckedLaunch &) = delete;
  CheckedLaunch &operator=(const CheckedLaunch &) = delete;

  bool needs_single_groups() const override;
  bool has_shadow_of_local_memory() const override;
  bool wants_code_for_defined_memory() const override;
  uint64_t failed_assumptions(const compiler::Assumptions &assumptions,
                              std::span<const uint64_t> local_sizes) const override;
  Result<void> prepare(const Prepared &prepared) override;
  bool has_results_of_one_run() const override { return check_ != nullptr; }

  void begin_run(); // called before each run, unless the check of the run has begun
  void end_run();   // called after each run

  void group_ended(const compiler::GroupInfo &group) override;
  void no_group_follows(const compiler::GroupInfo &group) override;
  void group_faulted(const compiler::GroupInfo &group) noexcept override;
  void group_diverged(const compiler::GroupInfo &group) override;
  void prefetch(const compiler::GroupInfo &group) const override { LaunchCheck::fetch(group); }
  void prefetch_items(const compiler::GroupInfo &group) const override {
    LaunchCheck::fetch_items(group);
  }
  const void *take_atomic_write() const override;
  Result<void> outcome() const override;
  bool wants_deadlock() const override;
  void deadlocked(const ObservedDeadlock &deadlock) override;
  bool reached(std::vector<ReachedBytes> &all) const override;

private:
  void watch_enqueues();
  const compiler::Assumptions *assumptions() const;

  const compiler::KernelInfo &kernel_;
  compiler::LaunchInfo &launch_;
  const std::span<const Access> accesses_;
  const compiler::KernelCode *code_ = nullptr; // null: the launch has no groups
  bool has_local_memory_ = false;
  unsigned workers_ = 1;
  bool enqueues_ = false, is_child_ = false; // it may enqueue; a kernel has enqueued it
  EnqueueOrder *order_ = nullptr;            // of enqueued launches; null: not checked
  EnqueueOrder::NodeRef node_;
  std::unique_ptr<MemoryCheck> memory_check_; // null: not checked
  std::unique_ptr<LaunchCheck> check_;        // null: not checked
};

} // namespace lockstep::runtime
