// The verdict on launches that cannot end.
//
// Groups are dead if nothing can change what they wait for. When a launch has not moved for a
// while, or things change in it but no group gets on, one worker looks: it keeps the others out of
// all such launches and resumes every waiting sub-group of each, until all come back as they were,
// having written nothing. Then memory is as it was before each of them, so they will come back the
// same for ever; only somebody else can help. Who could:
//
//  - another launch or command. If none runs or is ready, there is none. Else whoever it is must hold
//    a memory object in which something is waited for: a launch is dead beside others if all that
//    hold such an object are dead or come after what is;
//  - a thread of the program that does not wait for a dead command (host_threads.h);
//  - the host, or another process, through memory that both may write.
//
// Beside other launches, those that are found dead are asked once more after that: whoever helped
// them while they were asked may have come and gone.
//
// With none of these, one launch ends with a report: one that other commands come after, if there is
// one, since these may help the rest. Otherwise it is warned of after `patience`, once. After
// `long_patience` it ends if it is a thread that could enqueue something; the host's memory is waited
// for without end, and so is a program that waits for no command or has still to set a user event.
#pragma once

#include "runtime/graph/host_threads.h"
#include "runtime/launch/cpu/resumable_run.h"
#include "runtime/launch/cpu/wait_summary.h"

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

  // When a launch is to be looked at, if it does not get on.
  static uint64_t due_at(ResumableRun &run);
  // It has not moved since it was found still, or no group was done for long.
  static bool may_stand_still(ResumableRun &run, uint64_t now);

  // Of all launches look at those that stand still. Nobody else holds one.
  DeadlockVerdict(Worker &worker, const Runs &all, const Runs &still, Patience patience);
  ~DeadlockVerdict();
  DeadlockVerdict(const DeadlockVerdict &) = delete;
  DeadlockVerdict &operator=(const DeadlockVerdict &) = delete;
  void look_and_judge();

private:
  void put_off(ResumableRun &run, bool stands_still) const;
  void drop(std::size_t index);
  void drop_those_that_can_start();
  void ask_until_nothing_changes();
  bool is_still_quiet() const;
  std::vector<Suspect *> find_dead(CommandSet &commands) const;
  void judge();
  void judge(const std::vector<Suspect *> &dead, const HostThreads &host, bool alone);
  bool still_wait(const std::vector<Suspect *> &dead);
  void note_since_when() const;
  static bool is_over(const Suspect &suspect, uint64_t patience);
  void end_one(const std::vector<Suspect *> &dead);
  void warn(const Suspect &suspect, const std::string &why) const;

  Worker &worker_;
  const Runs &all_;
  const Patience patience_;
  const uint64_t version_, begin_, cpu_begin_;
  uint64_t tasks_taken_ = 0;
  std::vector<std::unique_ptr<Suspect>> suspects_; // held
  bool is_quiet_ = false;                          // no other command runs or is ready
};

} // namespace lockstep::runtime
