#include "runtime/launch/cpu/diagnostics/progress_report.h"

#include "runtime/launch/cpu/diagnostics/deadlock_report.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"
#include "support/json.h"

#include <cerrno>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

// To examine all groups, workers are kept out until the groups that they run reach a wait.
constexpr uint64_t longest_hold = 20'000'000;

double seconds(uint64_t nanoseconds) {
  return double(nanoseconds) * 1e-9;
}

struct Counts {
  Counts(const ResumableRun &run, const ResumableRun::Visit &visit)
      : waiting(visit.waiting_groups()), done(run.done_groups()),
        unstarted(visit.unstarted_groups()), running(visit.running_groups()) {}
  const uint64_t waiting, done, unstarted;
  const std::vector<uint64_t> running; // by number
};

LaunchProgress in_words(const ResumableRun &run, const Counts &counts,
                        const DeadlockReport *report) {
  const ResumableLaunch::View view = run.launch().view();
  const uint64_t now = now_nanoseconds();
  const double age = seconds(now - run.begin());
  const double since_done = seconds(now - std::min(now, run.last_done()));
  std::string running, running_json;
  for (uint64_t group : counts.running) {
    running += fmt::format("{}{}", running.empty() ? "" : ", ", group);
    running_json += fmt::format("{}{}", running_json.empty() ? "" : ",", group);
  }
  LaunchProgress progress;
  progress.text = fmt::format(
      "kernel '{}' runs for {:.1f} s, {:.1f} s since a work-group ended: of {} work-groups {} are "
      "done, {} wait, {} are not started{}{}",
      view.kernel->name, age, since_done, view.groups, counts.done, counts.waiting,
      counts.unstarted, running.empty() ? "" : "; now runs number ", running);
  if (report)
    progress.text += report->rows_text(DeadlockReport::Tone::progress);
  progress.json = fmt::format(
      "{{\"kernel\":{},\"kind\":\"waits\",\"seconds\":{:.3f},\"seconds_since_done\":{:.3f},"
      "\"groups\":{},\"done\":{},\"waiting\":{},\"not_started\":{},\"running\":[{}],\"rows\":{},"
      "\"text\":{}}}",
      json_string(view.kernel->name), age, since_done, view.groups, counts.done, counts.waiting,
      counts.unstarted, running_json, report ? report->rows_json() : "[]",
      json_string(progress.text));
  return progress;
}

} // namespace

LaunchProgress describe(ResumableRun &run) {
  std::lock_guard inspection(WaitingLaunches::instance().inspection());
  if (run.hold(longest_hold)) {
    WaitSummary summary(run.launch());
    run.for_each_waiting([&](WaitingGroup &group) { summary.add(group, false); });
    const DeadlockReport report(run, summary, 0);
    LaunchProgress progress = in_words(run, Counts(run, ResumableRun::Visit(run)), &report);
    run.release();
    return progress;
  }
  const ResumableRun::Visit visit(run);
  return visit ? in_words(run, Counts(run, visit), nullptr) : LaunchProgress();
}

LaunchProgress describe(const std::vector<RunningOperation> &operation) {
  const RunningOperation &first = operation.front();
  std::string workers;
  uint64_t age = 0;
  for (const RunningOperation &by : operation) {
    workers += fmt::format("{}{}", workers.empty() ? "" : ",", by.worker);
    age = std::max(age, by.nanoseconds);
  }
  LaunchProgress progress;
  const std::string what = first.name.empty() ? std::string("a command that is not a kernel")
                                              : fmt::format("kernel '{}'", first.name);
  progress.text = fmt::format(
      "{} runs for at least {:.0f} s on worker{} {}: {} of {} parts are handed out", what,
      seconds(age), operation.size() == 1 ? "" : "s", workers, first.handed_out, first.parts);
  progress.json = fmt::format(
      "{{\"kernel\":{},\"kind\":\"plain\",\"seconds\":{:.3f},\"parts\":{},\"handed_out\":{},"
      "\"workers\":[{}],\"text\":{}}}",
      json_string(first.name), seconds(age), first.parts, first.handed_out, workers,
      json_string(progress.text));
  return progress;
}

std::string all_as_text(const std::vector<LaunchProgress> &launches) {
  if (launches.empty())
    return "no command runs";
  std::string text;
  for (const LaunchProgress &launch : launches)
    text += (text.empty() ? "" : "\n") + launch.text;
  return text;
}

std::string all_as_json(const std::vector<LaunchProgress> &launches) {
  std::string list;
  for (const LaunchProgress &launch : launches)
    list += (list.empty() ? "" : ",") + launch.json;
  return fmt::format("{{\"pid\":{},\"program\":{},\"launches\":[{}]}}", getpid(),
                     json_string(program_invocation_short_name), list);
}

} // namespace lockstep::runtime
