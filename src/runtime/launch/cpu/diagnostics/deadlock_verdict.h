// Decides whether launches are deadlocked, and ends or warns of them.
//
// A group is dead if nothing can change the memory that it waits for. When a launch has made no
// progress for a while, one worker checks it: it keeps all other workers out of such launches, and
// resumes every waiting sub-group, until all return unchanged, without a write. Then they would
// return the same forever, unless one of these helps:
// - another launch or command that runs or is ready and can access a memory object that is waited
//   for. Other users of these objects that are dead, or come after a dead launch, do not help;
// - a thread of the program that does not wait for a dead command (host_threads.h);
// - the host, or another process, through memory that both may write.
//
// If other launches exist, the dead ones are resumed once more afterwards: a command that helped
// them during the check may have come and gone.
//
// If nothing can help, one launch ends with a report, preferably one with dependants. Otherwise the
// launch gets one warning after Patience::until_warning. If only a program thread that could
// enqueue a command is left, it ends after Patience::until_end. It waits without limit for host
// memory, for a program that waits for no command, and for unsettled user events.
#pragma once

#include "runtime/launch/cpu/diagnostics/wait_summary.h"
#include "runtime/launch/cpu/resumable/resumable_run.h"
#include "runtime/threads/host_threads.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace lockstep::runtime {

class DeadlockVerdict {
public:
  using Runs = std::vector<std::shared_ptr<ResumableRun>>;
  struct Patience {
    uint64_t until_warning, until_end; // nanoseconds
  };
  struct Suspect {
    std::shared_ptr<ResumableRun> run;
    WaitSummary summary;
    bool lacks_memory = false; // it has groups that it cannot start
  };
  using CommandSet = std::unordered_set<const Command *>;

  // The time when a launch without progress must be examined.
  static uint64_t due_at(ResumableRun &run);
  // True if it was already found without progress and has not moved since, or no group was done for
  // long.
  static bool may_stand_still(ResumableRun &run, uint64_t now);

  // Examines the launches `still` of `all`. No other thread may hold one of them.
  DeadlockVerdict(Worker &worker, const Runs &all, const Runs &still, Patience patience);
  ~DeadlockVerdict();
  DeadlockVerdict(const DeadlockVerdict &) = delete;
  DeadlockVerdict &operator=(const DeadlockVerdict &) = delete;
  void look_and_judge();

private:
  void put_off(ResumableRun &run, bool stands_still) const;
  void drop(std::size_t index);
  void drop_those_that_can_start();
  void poll_until_nothing_changes();
  bool is_still_quiet() const;
  std::vector<Suspect *> find_dead(CommandSet &commands) const;
  void judge();
  void judge(const std::vector<Suspect *> &dead, const HostThreads &host, bool alone);
  bool still_wait(const std::vector<Suspect *> &dead);
  void record_since_when() const;
  static bool is_over(const Suspect &suspect, uint64_t patience);
  void end_one(const std::vector<Suspect *> &dead);
  void warn(const Suspect &suspect, const std::string &why) const;

  Worker &worker_;
  const Runs &all_;
  const Patience patience_;
  const uint64_t version_, begin_, cpu_begin_;
  uint64_t tasks_taken_ = 0;
  std::vector<std::unique_ptr<Suspect>> suspects_; // held: no worker serves them
  bool is_quiet_ = false;                          // no other command runs or is ready
};

} // namespace lockstep::runtime
