// What a checker observes of one launch. This class is the null object; src/runtime/check
// implements it. A launch has its observer from the time when its sizes and arguments are known.
// Several threads may call the functions for groups at the same time, each with its own group.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::compiler {
struct GroupInfo;
struct KernelCode;
struct Assumptions;
} // namespace lockstep::compiler

namespace lockstep::runtime {

class LaunchEnqueues;
struct ReachedBytes;

// Some work-items of a launch wait forever.
struct ObservedDeadlock {
  struct Row { // of groups that do the same
    bool waits;
    std::string groups, text;
    std::string file{}; // empty: unknown
    uint32_t line = 0, column = 0;
  };
  uint64_t waiting_groups = 0;
  std::vector<Row> rows{};
};

class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  static std::shared_ptr<LaunchObserver> none();

  // ---- while the launch is prepared

  // The observer must know the group of each access, so a call of the code runs one group.
  virtual bool needs_single_groups() const { return false; }
  // Local memory has shadow memory (abi/memory_check_abi.h).
  virtual bool has_shadow_of_local_memory() const { return false; }
  // The launch may choose other code if all memory that it only reads is defined
  // (MemoryObserver::is_defined).
  virtual bool wants_code_for_defined_memory() const { return false; }
  // As Specialization::failed_assumptions. `local_sizes`: LaunchArguments::local_sizes.
  virtual uint64_t failed_assumptions(const compiler::Assumptions &,
                                      std::span<const uint64_t> /*local_sizes*/) const {
    return 0;
  }
  struct Prepared {
    // The code of the groups that are not at an edge. It must outlive the launch.
    const compiler::KernelCode &code;
    std::span<const uint64_t> local_sizes;
    bool has_local_memory;
    uint64_t
        local_shadow_bytes; // size of local memory, and of each area of its shadow memory; 0: none
    unsigned workers;       // threads that may run groups
    const LaunchEnqueues *enqueues; // null: it neither enqueues nor was enqueued by a kernel
  };
  // The last step, unless the launch has no groups. An error: it cannot be observed, and must fail.
  virtual Result<void> prepare(const Prepared &) { return {}; }
  // Runs of the same launch must not overlap.
  virtual bool has_results_of_one_run() const { return false; }

  // ---- while it runs

  // Whether the functions for groups have any effect.
  bool observes_groups() const { return observes_groups_; }
  // The next group may use the same GroupInfo.
  virtual void group_ended(const compiler::GroupInfo &) {}
  virtual void no_group_follows(const compiler::GroupInfo &) {} // after group_ended()
  // The group stops: its code has faulted.
  virtual void group_faulted(const compiler::GroupInfo &) noexcept {}
  // The group stops: some of its work-items wait for others that never arrive.
  virtual void group_diverged(const compiler::GroupInfo &) {}
  // Prefetches state of a group that resumes soon; prefetch_items() is the second step.
  virtual void prefetch(const compiler::GroupInfo &) const {}
  virtual void prefetch_items(const compiler::GroupInfo &) const {}
  // The address of the last atomic write that the observer has made for a group on this thread,
  // once; null: none. Code that makes its writes itself records them in its frames.
  virtual const void *take_atomic_write() const { return nullptr; }
  // An error makes the launch fail. Called after each call of its code that has not faulted.
  virtual Result<void> outcome() const { return {}; }
  // True once for each launch whose deadlock has a report: the caller then calls deadlocked().
  virtual bool wants_deadlock() const { return false; }
  virtual void deadlocked(const ObservedDeadlock &) {}

  // ---- for the checker

  // The bytes that the launch has reached. False: unknown.
  virtual bool reached(std::vector<ReachedBytes> &) const { return false; }

protected:
  bool observes_groups_ = false;
};

} // namespace lockstep::runtime
