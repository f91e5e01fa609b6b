#include "runtime/launch/cpu/diagnostics/deadlock_report.h"

#include "platform/linux/output_file.h"
#include "runtime/launch/cpu/resumable/waiting_memory.h"
#include "support/environment.h"
#include "support/json.h"
#include "support/location_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace lockstep::runtime {
namespace {

constexpr std::size_t most_ranges = 8; // ranges of groups per row of the text
constexpr std::size_t most_ranges_in_json = 1000;

using Doing = WaitSummary::Doing;
using Ranges = WaitSummary::Ranges;

void sort(Ranges &ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::size_t kept = 0;
  for (const auto &range : ranges) {
    if (kept && ranges[kept - 1].second + 1 >= range.first)
      ranges[kept - 1].second = std::max(ranges[kept - 1].second, range.second);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

std::string json_ranges(const Ranges &ranges) {
  std::string text;
  std::size_t shown = 0;
  for (const auto &[first, last] : ranges)
    if (shown++ < most_ranges_in_json)
      text += fmt::format("{}[{},{}]", text.empty() ? "" : ",", first, last);
  return '[' + text + ']';
}

} // namespace

// ---- construction

DeadlockReport::DeadlockReport(ResumableRun &run, const WaitSummary &summary, std::size_t others)
    : view_(run.launch().view()), names_(run.launch()), others_(others), done_(run.done_groups()) {
  const ResumableRun::Visit visit(run);
  waiting_ = visit.waiting_groups();
  unstarted_ = visit.unstarted_groups();
  add_rows(summary);
}

DeadlockReport::DeadlockReport(const ResumableRun &run, WaitingGroup &diverged)
    : view_(run.launch().view()), names_(run.launch()), is_divergence_(true), waiting_(1) {
  WaitSummary summary(run.launch());
  summary.add(diverged, false);
  add_rows(summary);
}

void DeadlockReport::add_rows(const WaitSummary &summary) {
  for (const WaitSummary::Row &row : summary.rows()) {
    auto [place, is_new] = rows_.try_emplace(what_text(row.what, Tone::verdict), Row{.row = row});
    Ranges &groups = place->second.row.groups;
    if (!is_new) {
      groups.insert(groups.end(), row.groups.begin(), row.groups.end());
      if (place->second.row.example == row.example) // sub-groups at copies of one barrier
        place->second.row.items.insert(place->second.row.items.end(), row.items.begin(),
                                       row.items.end());
    }
  }
  for (auto &[text, row] : rows_) {
    sort(row.row.groups);
    sort(row.row.items);
    for (const auto &[first, last] : row.row.groups)
      row.group_count += last - first + 1;
  }
}

// ---- text

std::string DeadlockReport::place_of(const WaitSummary::What &what) const {
  if (!what.code || what.site >= what.code->sites.size())
    return "";
  const compiler::SuspensionSite &at = what.code->sites[what.site];
  return location_text(at.file, at.line, at.column);
}

std::string DeadlockReport::place_of(const WaitSummary::What &what,
                                     const WaitSummary::Read &read) const {
  if (!what.code || read.access == 0 || read.access > what.code->accesses.size())
    return "";
  const compiler::SeenAccess &at = what.code->accesses[read.access - 1];
  return location_text(at.file, at.line, at.column);
}

static bool is_never_compared(const WaitSummary::What &what) {
  return what.code && what.site < what.code->sites.size() &&
         what.code->sites[what.site].is_never_compared;
}

std::string DeadlockReport::what_text(const WaitSummary::What &what, Tone tone) const {
  const std::string place = place_of(what);
  switch (what.doing) {
  case Doing::returned:
    return "have returned";
  case Doing::at_barrier:
    return place.empty() ? "have arrived at a barrier" : "have arrived at the barrier at " + place;
  case Doing::waits:
    return "wait" + reads_text(what, tone) +
           (tone == Tone::progress && is_never_compared(what)
                ? "; what their loop writes is not compared, so it counts as alive even if it is "
                  "not"
                : "");
  }
  return "";
}

std::string DeadlockReport::reads_text(const WaitSummary::What &what, Tone tone) const {
  const auto reads = what.reads.all();
  std::string place = place_of(what);
  if (reads.size() == 1)
    if (const std::string own = place_of(what, reads[0]); !own.empty())
      place = own;
  std::string text = place.empty() ? "" : " at " + place;
  if (reads.empty())
    return text + (what.reads.are_more ? " for several other addresses" : "");
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const auto named = names_.of(reads[i]);
    const std::string own = place_of(what, reads[i]);
    text += i == 0 ? " for " : i + 1 < reads.size() ? ", " : " and ";
    text += named.memory;
    if (!own.empty() && own != place)
      text += fmt::format(" (read at {})", own);
    if (reads[i].size) // size 0: the read is part of a copy; only its address is known
      text += fmt::format(", which {} {}", tone == Tone::progress ? "held" : "holds", named.value);
  }
  return text + (what.reads.are_more ? ", and others" : "");
}

std::string DeadlockReport::group_text(uint64_t number) const {
  const uint64_t *count = view_.launch->num_groups;
  if (view_.launch->work_dim == 1)
    return std::to_string(number);
  return fmt::format("({},{},{})", number % count[0], number / count[0] % count[1],
                     number / count[0] / count[1]);
}

std::string DeadlockReport::groups_text(const Row &row) const {
  std::string text = row.group_count == 1 ? "work-group " : "work-groups ";
  std::size_t shown = 0;
  for (const auto &[first, last] : row.row.groups) {
    if (shown++ == most_ranges)
      return text + fmt::format(" and more, {} in all", row.group_count);
    text += shown > 1 ? ", " : "";
    text += first == last ? group_text(first)
                          : fmt::format("{} to {}", group_text(first), group_text(last));
  }
  return text;
}

std::string DeadlockReport::items_text(const Row &row) const {
  const Ranges &items = row.row.items;
  const bool is_one = items.size() == 1 && items[0].first == items[0].second;
  std::string text = is_one ? "work-item" : "work-items";
  const char *separator = " ";
  for (const auto &[first, last] : items) {
    text += separator;
    text += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
    separator = ", ";
  }
  return row.group_count > 1 ? text + " of work-group " + group_text(row.row.example) : text;
}

std::string DeadlockReport::rows_text(Tone tone) const {
  std::string text;
  for (const auto &[key, row] : rows_)
    text += fmt::format("\n  {} ({}) {}", groups_text(row), items_text(row),
                        what_text(row.row.what, tone));
  return text;
}

std::string DeadlockReport::text(Tone tone) const {
  std::string text;
  const bool is_final = tone == Tone::verdict;
  if (is_divergence_)
    text = fmt::format("kernel '{}' cannot go on: work-items of a work-group wait at a barrier "
                       "that others of it do not reach",
                       view_.kernel->name);
  else
    text = fmt::format(
        "kernel '{}' {}: all of its work-groups that run wait ({} wait, {} are done, {} are not "
        "started), and no {} can change what they wait for{}",
        view_.kernel->name, is_final ? "is deadlocked" : "stands still", waiting_, done_,
        unstarted_, is_final ? "command" : "command that was enqueued",
        others_ ? fmt::format("; other launches that stand still: {}", others_) : "");
  return text + rows_text(tone);
}

// ---- JSON

std::string DeadlockReport::row_json(const Row &row) const {
  static constexpr const char *names[] = {"waits", "at_barrier", "returned"};
  const WaitSummary::What &what = row.row.what;
  std::string reads;
  for (const WaitSummary::Read &read : what.reads.all()) {
    const auto named = names_.of(read);
    reads += fmt::format("{}{{\"memory\":{},\"place\":{},\"seen\":{},\"value\":{}}}",
                         reads.empty() ? "" : ",", json_string(named.memory),
                         json_string(place_of(what, read)), read.value, json_string(named.value));
  }
  return fmt::format("{{\"doing\":\"{}\",\"place\":{},\"reads\":[{}],\"reads_more\":{},"
                     "\"groups\":{},\"group_count\":{},\"example_group\":{},\"example_items\":{}}}",
                     names[int(what.doing)], json_string(place_of(what)), reads,
                     what.reads.are_more, json_ranges(row.row.groups), row.group_count,
                     row.row.example, json_ranges(row.row.items));
}

std::string DeadlockReport::rows_json() const {
  std::string rows;
  for (const auto &[key, row] : rows_)
    rows += (rows.empty() ? "" : ",") + row_json(row);
  return '[' + rows + ']';
}

std::string DeadlockReport::json() const {
  return fmt::format("{{\"kind\":\"{}\",\"kernel\":{},\"waiting_groups\":{},\"done_groups\":{},"
                     "\"unstarted_groups\":{},\"other_launches\":{},\"rows\":{}}}",
                     is_divergence_ ? "divergent_barrier" : "deadlock",
                     json_string(view_.kernel->name), waiting_, done_, unstarted_, others_,
                     rows_json());
}

void DeadlockReport::write_file() const {
  if (auto path = environment("DEADLOCK_FILE"))
    append_output("DEADLOCK_FILE", *path, json() + "\n");
}

// ---- the observer

void DeadlockReport::report_to_observer() const {
  if (!view_.observer->wants_deadlock())
    return;
  ObservedDeadlock deadlock{.waiting_groups = waiting_};
  for (const auto &[key, row] : rows_) {
    const WaitSummary::What &what = row.row.what;
    ObservedDeadlock::Row &to = deadlock.rows.emplace_back(ObservedDeadlock::Row{
        .waits = what.doing == Doing::waits,
        .groups = groups_text(row),
        .text = fmt::format("{} {}", items_text(row), what_text(what, Tone::verdict))});
    if (!what.code || what.site >= what.code->sites.size())
      continue;
    const compiler::SuspensionSite &at = what.code->sites[what.site];
    to.file = at.file;
    to.line = at.line;
    to.column = at.column;
  }
  view_.observer->deadlocked(deadlock);
}

// ---- errors

Error divergence_error(const ResumableRun &run, WaitingGroup &group) {
  const DeadlockReport report(run, group);
  report.write_file();
  return {ErrorKind::kernel_fault, report.text()};
}

Error no_memory_error(ResumableRun &run) {
  const ResumableRun::Visit visit(run);
  const WaitingMemory &memory = WaitingMemory::instance();
  return {ErrorKind::out_of_resources,
          fmt::format("kernel '{}' has {} work-groups that wait and needs more of them to run at "
                      "the same time, {} are not started; each takes {} bytes, and the limit for "
                      "all that wait is {} bytes (LOCKSTEP_WAITING_MEMORY)",
                      run.launch().view().kernel->name, visit.waiting_groups(),
                      visit.unstarted_groups(), run.bytes_per_group(), memory.limit())};
}

} // namespace lockstep::runtime
