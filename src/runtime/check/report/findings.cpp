#include "runtime/check/report/findings.h"

#include "platform/linux/leaked.h"
#include "platform/linux/output_file.h"
#include "platform/linux/process_end.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/report/launch_origins.h"
#include "runtime/check/report/source_text.h"
#include "runtime/check/report/words_of_sycl.h"
#include "support/json.h"
#include "support/message.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace lockstep::runtime {

namespace {

struct State {
  std::mutex mutex;
  std::map<std::tuple<std::string, uint64_t, uint64_t>, Findings::Pair> pairs;
  std::atomic<uint64_t> findings = 0, repeated = 0, notes = 0, launches = 0, suppressed = 0;
  // Also true after a finding of something that has not run
  std::atomic<bool> was_something_checked = false;
  std::set<unsigned> used_suppressions; // their lines
};

State &state() {
  return leaked<AfterFork::make_again>([] { return new State; });
}

// Writes whole lines immediately, because several processes may write, and the program may crash
// later.
void append(const std::string &line) {
  append_output("CHECK_FILE", check_options().file, line);
}

std::string location_text(const FindingLocation &place) {
  if (place.line == 0)
    return "<no line>";
  return fmt::format("{}:{}:{}", place.file.empty() ? "<source>" : place.file, place.line,
                     place.column);
}

// Checks all suppressions even after a match, so that none of them counts as unused.
bool is_suppressed(const Finding &finding) {
  SuppressedThing thing{finding.kind,          finding.kernel,   {},
                        finding.argument_name, finding.argument, finding.title};
  for (const FindingLocation &place : finding.places)
    thing.places.push_back({place.file, place.line});
  bool is_suppressed = false;
  for (const Suppression &suppression : check_options().suppressions) {
    if (!matches(suppression, thing))
      continue;
    is_suppressed = true;
    std::lock_guard lock(state().mutex);
    if (state().used_suppressions.insert(suppression.line).second)
      append(fmt::format("{{\"suppressed\":{}}}\n", suppression.line));
  }
  state().suppressed += is_suppressed && !finding.is_note;
  return is_suppressed;
}

void something_was_checked() {
  if (!state().was_something_checked.exchange(true))
    append("{\"checked\":true}\n");
}

constinit std::atomic<int> process_of_findings{0};
constinit std::atomic<void (*)()> report_before_summary{nullptr};

// A child of fork() does not report its parent's findings.
void end() {
  if (process_of_findings.load() != getpid())
    return;
  try {
    if (auto *report = report_before_summary.load())
      report();
    Findings::instance().end();
  } catch (const std::bad_alloc &) { // exit() cannot handle the exception
    std::fputs("lockstep check: no memory for the summary\n", stderr);
  }
}

// The pair that this thread has met for the first time and is about to report.
thread_local Findings::Pair *to_be_reported = nullptr;

std::string title_of(const Finding &finding) {
  std::string text = fmt::format("{} in '{}'", finding.kind, finding.shown_kernel());
  for (const FindingLocation &place : finding.places)
    if (place.line)
      text += fmt::format("{} {}", &place == &finding.places.front() ? " at" : " and",
                          location_text(place));
  return text;
}

} // namespace

Findings::Findings() {
  process_of_findings.store(getpid());
  at_end_of_process(runtime::end);
}

Findings &Findings::instance() {
  return leaked<AfterFork::make_again>([] { return new Findings; });
}

Findings::Occurrence Findings::count_occurrence(const char *kind, uint64_t one, uint64_t other) {
  std::lock_guard lock(state().mutex);
  Pair &pair = state().pairs[{kind, one, other}];
  const bool is_first = ++pair.occurrences == 1;
  if (is_first)
    to_be_reported = &pair;
  else
    ++state().repeated;
  return {&pair, is_first};
}

void Findings::count_again(Pair &pair) const {
  pair.occurrences.fetch_add(1, std::memory_order_relaxed);
  state().repeated.fetch_add(1, std::memory_order_relaxed);
}

void Findings::report(Finding finding) {
  something_was_checked();
  if (!finding.title.empty()) {
    finding.headline = in_words_of_sycl(std::move(finding.headline));
    for (std::string &line : finding.explanation)
      line = in_words_of_sycl(std::move(line));
  }
  for (FindingLocation &place : finding.places)
    if (place.text.empty())
      place.text = line_of_source(place.directory, place.file, place.line);
  Pair *pair = std::exchange(to_be_reported, nullptr);
  if (is_suppressed(finding))
    return;
  const uint64_t number = ++(finding.is_note ? state().notes : state().findings);
  const std::string id = fmt::format("{}.{}{}", getpid(), finding.is_note ? "note." : "", number);
  if (pair) {
    std::lock_guard lock(state().mutex);
    pair->title = title_of(finding);
    pair->id = id;
    pair->process = getpid();
    pair->is_note = finding.is_note;
  }
  const std::string text = with_rank(text_of(finding));
  std::fwrite(text.data(), 1, text.size(), stderr);
  const CheckOptions &options = check_options();
  std::string json = json_of(finding, id);
  append(json + '\n');
  if (!options.again.empty())
    json.insert(json.size() - 1, ",\"again\":" + json_string(options.again));
  append_output("CHECK_JSON", options.findings, json + '\n');
}

void Findings::was_checked() {
  ++state().launches;
  something_was_checked();
}

Findings::Count Findings::count() const {
  const State &now = state();
  return {now.findings, now.repeated, now.notes, now.launches, now.suppressed};
}

void Findings::end() const {
  const bool has_file = !check_options().file.empty();
  std::string text, json;
  if (const auto lock = lock_at_end(state().mutex))
    for (const auto &[key, pair] : state().pairs)
      if (const uint64_t more = pair.occurrences - 1; more && pair.process && !pair.is_note) {
        json += fmt::format("{{\"more\":{},\"of\":{}}}\n", more, json_string(pair.id));
        text += fmt::format("lockstep check: {} more of {}\n", more, pair.title);
      }
  append_output("CHECK_JSON", check_options().findings, json);
  if (has_file)
    return append(json);
  text = with_rank(std::move(text));
  std::fwrite(text.data(), 1, text.size(), stderr);
  print_summary();
}

void Findings::print_summary() const {
  const Count now = count();
  std::string text;
  if (!state().was_something_checked)
    text = "lockstep check: nothing was checked: nothing was launched\n";
  else
    text = fmt::format("lockstep check: {} in {} {}{}\n",
                       now.findings
                           ? fmt::format("{} finding{}", now.findings, now.findings == 1 ? "" : "s")
                           : "nothing found",
                       now.launches, check_options().commands ? "command" : "launch",
                       now.launches == 1          ? ""
                       : check_options().commands ? "s"
                                                  : "es");
  if (now.suppressed)
    text.insert(text.size() - 1, fmt::format(", {} suppressed", now.suppressed));
  const auto lock = lock_at_end(state().mutex);
  for (const Suppression &suppression : check_options().suppressions)
    if (lock && !state().used_suppressions.contains(suppression.line))
      text += fmt::format("lockstep check: line {} of the suppressions has suppressed nothing\n",
                          suppression.line);
  text = with_rank(std::move(text));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Finding::set_kernel(const compiler::KernelInfo &info) {
  kernel = info.name;
  title = info.title;
}

void Finding::set_launch(const compiler::KernelInfo &info, const compiler::LaunchInfo &of) {
  launch = LaunchOrigins::instance().text_of(info, of);
}

void Finding::add_global_ids() {
  std::vector<WorkItemIds> all;
  for (const FindingLocation &place : places)
    if (place.ids)
      all.push_back(*place.ids);
  unsigned needed = std::max(1u, dimensions);
  for (unsigned d = 1; d != 3 && dimensions == 0; ++d)
    if (std::any_of(all.begin(), all.end(), [&](const auto &each) { return each.global[d]; }))
      needed = d + 1;
  for (FindingLocation &place : places)
    if (place.ids)
      place.who += fmt::format(" (global {})", ids_text(place.ids->global, needed, !title.empty()));
}

std::string text_of(const Finding &finding) {
  std::string text =
      fmt::format("lockstep check: {} in '{}': {}\n", finding.is_note ? "note" : finding.kind,
                  finding.shown_kernel(), finding.headline);
  for (const FindingLocation &place : finding.places)
    text += fmt::format("  {:<13} {}{}{}   {}\n", place.what, location_text(place),
                        place.text.empty() ? "" : "  ", place.text, place.who);
  if (!finding.launch.empty())
    text += "  " + finding.launch + '\n';
  for (const std::string &line : finding.explanation)
    text += "  " + line + '\n';
  return text;
}

std::string json_of(const WorkItemIds &ids) {
  auto list = [](const std::array<uint64_t, 3> &id) {
    return fmt::format("[{},{},{}]", id[0], id[1], id[2]);
  };
  return fmt::format(R"(,"group":{},"local":{},"global":{})", list(ids.group), list(ids.local),
                     list(ids.global));
}

std::string json_of(const Finding &finding, const std::string &id) {
  std::string places, explanation;
  for (const FindingLocation &place : finding.places)
    places +=
        fmt::format(R"({}{{"what":{},"file":{},"line":{},"column":{},"text":{},"who":{}{}}})",
                    places.empty() ? "" : ",", json_string(place.what), json_string(place.file),
                    place.line, place.column, json_string(place.text), json_string(place.who),
                    place.ids ? json_of(*place.ids) : "");
  for (const std::string &line : finding.explanation)
    explanation += (explanation.empty() ? "" : ",") + json_string(line);
  std::string named;
  if (!finding.launch.empty())
    named += fmt::format(R"(,"launch":{})", json_string(finding.launch));
  if (!finding.title.empty())
    named += fmt::format(R"(,"title":{})", json_string(finding.title));
  if (finding.argument >= 0)
    named += fmt::format(R"(,"argument":{})", finding.argument);
  if (finding.argument >= 0 || !finding.argument_name.empty())
    named += fmt::format(R"(,"name":{})", json_string(finding.argument_name));
  return fmt::format(
      R"({{"id":{},"kind":{},"note":{},"kernel":{},"headline":{},"places":[{}]{},"explanation":[{}]}})",
      json_string(id), json_string(finding.kind), finding.is_note, json_string(finding.kernel),
      json_string(finding.headline), places, named, explanation);
}

void Findings::before_summary(void (*report)()) {
  report_before_summary = report;
}

} // namespace lockstep::runtime
