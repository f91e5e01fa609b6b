#include "runtime/launch/cpu/diagnostics/deadlock_verdict.h"

#include "runtime/graph/polled_device.h"
#include "runtime/launch/cpu/diagnostics/deadlock_report.h"
#include "runtime/launch/cpu/pool/worker.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "runtime/memory/access.h"
#include "runtime/threads/host_threads.h"
#include "support/message.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <sched.h>
#include <time.h>
#include <utility>

namespace lockstep::runtime {
namespace {

// How long nothing may move, or no group may progress, before an examination. A needless
// examination is cheap, but delays the launch.
constexpr uint64_t still_nanoseconds = 30'000'000;
constexpr uint64_t first_interval = 100'000'000, longest_interval = 1'000'000'000;
// The same for work-items that change between waits while no group ends. Work-items that try, undo
// and retry keep each other busy, and come to rest only if they are resumed one at a time.
constexpr uint64_t first_endless = 300'000'000, longest_endless = 10'000'000'000;
constexpr uint64_t longest_hold = 10'000'000; // until other workers have left
constexpr uint64_t rest_factor = 20;          // an examination takes at most this part of the time
constexpr int most_passes = 4;   // passes for groups that still react to earlier changes
constexpr int most_advances = 4; // passes in which a group gets to another wait
// time limit for these: a tenth of the time without progress
constexpr uint64_t least_patience = 20'000'000;
constexpr std::size_t most_dependants = 10'000;

// A worker without work is repeatedly not quiet for a moment, so this retries. Other devices first:
// what becomes ready when their commands end is in a queue of the pool afterwards.
bool are_others_quiet(uint64_t &tasks_taken) {
  constexpr int most_tries = 20;
  if (PolledDevice::is_any_busy())
    return false;
  for (int tries = 0; tries < most_tries; ++tries) {
    if (WorkerPool::instance().is_quiet(tasks_taken))
      return true;
    sched_yield();
  }
  return false;
}

// CPU time of this thread. The cost of an examination must not include the time in which other
// processes had the CPU; otherwise, on a busy machine, the thread would rest for many seconds after
// each disturbed one.
uint64_t cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

} // namespace

// Notes of the last examination are valid until the launch makes progress.
static ResumableRun::Notes &notes_of(ResumableRun &run) {
  if (const uint64_t advance = run.last_advance(); run.notes.advance != advance)
    run.notes = {
        .advance = advance, .endless = run.notes.endless, .has_warned = run.notes.has_warned};
  if (const uint64_t done = run.last_done(); run.notes.endless.since != done)
    run.notes.endless = {
        .since = done, .next_look = done + first_endless, .interval = first_endless};
  return run.notes;
}

uint64_t DeadlockVerdict::due_at(ResumableRun &run) {
  const ResumableRun::Notes &notes = notes_of(run);
  const uint64_t changing = std::max(notes.interval, first_interval);
  return std::max(notes.next_look,
                  std::min({run.last_move() + still_nanoseconds, run.last_advance() + changing,
                            notes.endless.next_look}));
}

bool DeadlockVerdict::may_stand_still(ResumableRun &run, uint64_t now) {
  const ResumableRun::Notes &notes = notes_of(run);
  return notes.dead_since != 0 || now > notes.endless.since + first_endless;
}

DeadlockVerdict::DeadlockVerdict(Worker &worker, const Runs &all, const Runs &still,
                                 Patience patience)
    : worker_(worker), all_(all), patience_(patience),
      version_(WaitingLaunches::instance().version()), begin_(now_nanoseconds()),
      cpu_begin_(cpu_nanoseconds()) {
  is_quiet_ = are_others_quiet(tasks_taken_);
  for (const auto &run : still) {
    if (run->hold(longest_hold))
      suspects_.push_back(std::make_unique<Suspect>(run, WaitSummary(run->launch())));
    else
      put_off(*run, false); // a group runs: slow, not dead
  }
}

DeadlockVerdict::~DeadlockVerdict() {
  for (const auto &suspect : suspects_)
    suspect->run->release();
}

// Sets the time of the next examination.
void DeadlockVerdict::put_off(ResumableRun &run, bool stands_still) const {
  ResumableRun::Notes &notes = notes_of(run);
  const uint64_t now = now_nanoseconds();
  if (stands_still) {
    notes.interval = 0;
    const uint64_t since = now - std::min(now, notes.dead_since);
    notes.next_look = now + std::clamp(since / 8, still_nanoseconds, first_interval);
  } else {
    notes.dead_since = 0;
    notes.interval = std::clamp(2 * notes.interval, first_interval, longest_interval);
    notes.next_look = now + still_nanoseconds;
  }
  const uint64_t rest = rest_factor * (cpu_nanoseconds() - cpu_begin_);
  notes.next_look = std::max(notes.next_look, now + rest);
  // A launch that makes progress gets new notes next time, except for these.
  ResumableRun::Notes::Endless &endless = notes.endless;
  endless.interval = std::min(2 * endless.interval, longest_endless);
  endless.next_look = now + std::max(endless.interval, rest);
}

void DeadlockVerdict::drop(std::size_t index) {
  const std::unique_ptr<Suspect> suspect = std::move(suspects_[index]);
  suspects_.erase(suspects_.begin() + std::ptrdiff_t(index));
  put_off(*suspect->run, false);
  suspect->run->release();
}

void DeadlockVerdict::look_and_judge() {
  drop_those_that_can_start();
  poll_until_nothing_changes();
  if (suspects_.empty())
    return;
  judge();
  for (const auto &suspect : suspects_)
    put_off(*suspect->run, true);
}

// ---- looking

void DeadlockVerdict::drop_those_that_can_start() {
  for (std::size_t i = suspects_.size(); i-- > 0;) {
    Suspect &suspect = *suspects_[i];
    suspect.lacks_memory = suspect.run->has_unstarted();
    if (suspect.lacks_memory && suspect.run->can_start(worker_))
      drop(i);
  }
}

// A group that changes memory may let others continue, so all are resumed again after a change.
void DeadlockVerdict::poll_until_nothing_changes() {
  using Answer = ResumableRun::Answer;
  int most = most_passes;
  for (int pass = 1; !suspects_.empty(); ++pass) {
    bool has_changed = false, has_advanced = false;
    for (std::size_t i = suspects_.size(); i-- > 0;) {
      Suspect &suspect = *suspects_[i];
      suspect.summary.clear();
      const uint64_t endless = begin_ - std::min(begin_, suspect.run->notes.endless.since);
      const uint64_t until = begin_ + std::max(least_patience, endless / 10);
      const Answer answer = suspect.run->poll_all_truly(worker_, suspect.summary, until);
      has_changed |= answer != Answer::same;
      has_advanced |= answer == Answer::advanced;
      if (answer == Answer::ended || (answer != Answer::same && pass >= most) ||
          (answer == Answer::advanced && now_nanoseconds() > until))
        drop(i);
    }
    if (!has_changed)
      return;
    most = std::min(most + has_advanced, most_passes + most_advances);
  }
}

// ---- candidates for help

// The launches of `dead` and all their dependants; nothing if there are too many.
static std::optional<DeadlockVerdict::CommandSet>
commands_of(const std::vector<DeadlockVerdict::Suspect *> &dead) {
  DeadlockVerdict::CommandSet commands;
  for (const auto *suspect : dead) {
    commands.insert(&suspect->run->command());
    if (!suspect->run->command().for_all_dependants(
            most_dependants, [&](Command &command) { commands.insert(&command); }))
      return std::nullopt;
  }
  return commands;
}

// References of the operation to the whole memory object; references to parts of it are not
// counted.
static unsigned references(const Operation &operation, const KernelMemory &memory) {
  const auto named = std::count_if(
      operation.accesses().begin(), operation.accesses().end(), [&](const Access &access) {
        const auto &buffer = access.memory.buffer();
        return buffer && !buffer->parent() && buffer->data() == memory.begin;
      });
  const bool reaches = memory.kind && (operation.reach() & set_of(*memory.kind));
  return unsigned(named) + (reaches ? 1 : 0);
}

// True if all users of the memory objects that it waits for are among these commands.
static bool is_waited_for_among(const DeadlockVerdict::Suspect &suspect,
                                const DeadlockVerdict::CommandSet &commands) {
  if (!suspect.summary.is_memory_known() || suspect.lacks_memory)
    return false;
  for (const std::byte *begin : suspect.summary.memories()) {
    const auto memory = suspect.run->launch().memory_at(begin);
    if (!memory)
      return false;
    // several commands may share a recorded operation
    std::unordered_set<const Operation *> operations;
    unsigned users = 0;
    for (const Command *command : commands)
      if (const Operation *operation = command->operation();
          operation && operations.insert(operation).second)
        users += references(*operation, *memory);
    if (users < memory->users)
      return false;
  }
  return true;
}

// The suspects that no living command can help.
std::vector<DeadlockVerdict::Suspect *> DeadlockVerdict::find_dead(CommandSet &commands) const {
  std::vector<Suspect *> dead;
  for (const auto &suspect : suspects_)
    if (!suspect->summary.is_host_visible())
      dead.push_back(suspect.get());
  for (;;) {
    auto found = commands_of(dead);
    if (!found)
      return {};
    commands = std::move(*found);
    auto is_host_code = [](const Command *command) {
      return command->operation() && command->operation()->is_host_code();
    };
    if (std::count_if(commands.begin(), commands.end(), is_host_code) < CountsHostCode::count())
      return {};
    const auto helped = [&](Suspect *suspect) { return !is_waited_for_among(*suspect, commands); };
    if (std::erase_if(dead, helped) == 0)
      return dead;
  }
}

bool DeadlockVerdict::is_still_quiet() const {
  uint64_t tasks_taken = 0;
  return is_quiet_ && suspects_.size() == all_.size() && are_others_quiet(tasks_taken) &&
         tasks_taken == tasks_taken_ && WaitingLaunches::instance().version() == version_;
}

// ---- the verdict

// If the program has run commands meanwhile, it may run more, so the time begins again.
void DeadlockVerdict::record_since_when() const {
  for (const auto &suspect : suspects_) {
    ResumableRun::Notes &notes = notes_of(*suspect->run);
    if (!notes.dead_since)
      notes.dead_since = std::max(suspect->run->last_move(), uint64_t{1});
    else if (is_quiet_ && notes.tasks_taken != tasks_taken_)
      notes.dead_since = begin_;
    if (is_quiet_)
      notes.tasks_taken = tasks_taken_;
  }
}

void DeadlockVerdict::judge() {
  record_since_when();
  bool is_host_visible = false;
  for (const auto &suspect : suspects_)
    is_host_visible |= suspect->summary.is_host_visible();
  const bool alone = !is_host_visible && is_still_quiet();
  std::vector<Suspect *> dead;
  CommandSet commands;
  if (alone)
    for (const auto &suspect : suspects_)
      dead.push_back(suspect.get());
  else
    dead = find_dead(commands);
  // In this order: threads that wait for unsettled commands enqueue nothing until one is settled.
  // If the state is still the same afterwards, none was settled.
  const HostThreads host = count_host_threads(
      [&](const Command &command) { return alone || commands.contains(&command); });
  if (alone ? !is_still_quiet() : find_dead(commands) != dead)
    return;
  judge(dead, host, alone);
  if (!is_still_quiet())
    return;
  for (const auto &suspect : suspects_)
    if (std::find(dead.begin(), dead.end(), suspect.get()) == dead.end() &&
        is_over(*suspect, patience_.until_warning))
      warn(*suspect,
           "The host may still write the memory that they wait for, so they go on waiting");
}

void DeadlockVerdict::judge(const std::vector<Suspect *> &dead, const HostThreads &host,
                            bool alone) {
  if (dead.empty())
    return;
  for (Suspect *suspect : dead)
    if (suspect->lacks_memory) {
      suspect->run->end(no_memory_error(*suspect->run));
      return;
    }
  const bool no_thread_acts = host.others == 0 || host.others_sleep;
  if (no_thread_acts && (alone || open_callbacks() == 0)) {
    if (alone || still_wait(dead))
      end_one(dead);
    return;
  }
  auto is_long_over = [this](const Suspect *suspect) {
    return is_over(*suspect, patience_.until_end);
  };
  const bool some_thread_waits = host.blocked > 0 && host.user_events == 0;
  if (some_thread_waits && std::all_of(dead.begin(), dead.end(), is_long_over)) {
    if (alone || still_wait(dead))
      end_one(dead);
    return;
  }
  for (Suspect *suspect : dead)
    if (is_over(*suspect, patience_.until_warning))
      warn(
          *suspect,
          some_thread_waits
              ? fmt::format("The program may still enqueue a command that changes that, so they go "
                            "on waiting; after {} seconds the launch ends "
                            "(LOCKSTEP_DEADLOCK_END_SECONDS)",
                            patience_.until_end / 1'000'000'000)
              : "The program may still enqueue a command that changes that, so they go on waiting");
}

// During the earlier passes, a command that helped them may have run and ended, and the thread that
// enqueued it may have begun to wait. Since then no thread can help, so this result is final.
bool DeadlockVerdict::still_wait(const std::vector<Suspect *> &dead) {
  for (Suspect *suspect : dead) {
    suspect->summary.clear();
    if (suspect->run->poll_all_truly(worker_, suspect->summary, now_nanoseconds()) !=
        ResumableRun::Answer::same) {
      const auto is_it = [&](const auto &other) { return other.get() == suspect; };
      drop(
          std::size_t(std::find_if(suspects_.begin(), suspects_.end(), is_it) - suspects_.begin()));
      return false;
    }
  }
  return true;
}

bool DeadlockVerdict::is_over(const Suspect &suspect, uint64_t patience) {
  return now_nanoseconds() - suspect.run->notes.dead_since >= patience;
}

void DeadlockVerdict::end_one(const std::vector<Suspect *> &dead) {
  auto has_dependants = [](const Suspect *suspect) {
    return suspect->run->command().has_dependants();
  };
  const auto chosen = std::find_if(dead.begin(), dead.end(), has_dependants);
  const Suspect &suspect = chosen == dead.end() ? *dead.front() : **chosen;
  const DeadlockReport report(*suspect.run, suspect.summary, suspects_.size() - 1);
  report.write_file();
  report.report_to_observer();
  suspect.run->end({ErrorKind::kernel_fault, report.text()});
}

void DeadlockVerdict::warn(const Suspect &suspect, const std::string &why) const {
  if (std::exchange(suspect.run->notes.has_warned, true))
    return;
  const DeadlockReport report(*suspect.run, suspect.summary, suspects_.size() - 1);
  const std::string text =
      fmt::format("warning: {}\n  {}", report.text(DeadlockReport::Tone::warning), why);
  print_message("%s", text.c_str());
  suspect.run->command().warn(text);
}

} // namespace lockstep::runtime
