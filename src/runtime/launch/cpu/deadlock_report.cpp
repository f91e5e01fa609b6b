#include "runtime/launch/cpu/deadlock_report.h"

#include "runtime/launch/cpu/waiting_memory.h"
#include "support/environment.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

constexpr unsigned most_addresses = 8; // rows of one place in the source
constexpr std::size_t most_ranges = 8; // of groups in a row of the text
constexpr std::size_t most_ranges_in_json = 1000;

using compiler::Step;

bool is_inside(const void *address, const void *begin, std::size_t size) {
  const auto a = reinterpret_cast<uintptr_t>(address), b = reinterpret_cast<uintptr_t>(begin);
  return a >= b && a - b < size;
}

std::string place_text(const compiler::ResumableCode &code, uint32_t site) {
  if (site >= code.sites.size() || code.sites[site].line == 0)
    return "an unknown line";
  const compiler::SuspensionSite &at = code.sites[site];
  return fmt::format("{}:{}:{}", at.file.empty() ? "<source>" : at.file, at.line, at.column);
}

template <class Ranges> void add_range(Ranges &ranges, uint64_t first, uint64_t last) {
  if (!ranges.empty() && ranges.back().second + 1 == first)
    ranges.back().second = last;
  else
    ranges.push_back({first, last});
}

std::vector<std::pair<uint64_t, uint64_t>> ranges_of(const std::vector<uint64_t> &sorted) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (uint64_t number : sorted)
    add_range(ranges, number, number);
  return ranges;
}

std::string json_string(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", unsigned(c));
    else
      result += c;
  }
  return result + '"';
}

} // namespace

// ---- collecting

DeadlockReport::DeadlockReport(const ResumableRun &run, std::size_t others)
    : launch_(run.launch()), view_(run.launch().view()), others_(others),
      waiting_(run.waiting_groups()), done_(run.done_groups()), unstarted_(run.unstarted_groups()) {
  run.for_each_waiting([this](WaitingGroup &group) { add(group); });
  sort_groups();
}

DeadlockReport::DeadlockReport(const ResumableRun &run, WaitingGroup &diverged)
    : launch_(run.launch()), view_(run.launch().view()), is_divergence_(true), waiting_(1) {
  add(diverged);
}

void DeadlockReport::sort_groups() {
  for (auto &[key, row] : rows_)
    std::sort(row.groups.begin(), row.groups.end());
}

void DeadlockReport::add(WaitingGroup &group) {
  for (uint32_t i = 0; i < group.sub_groups; ++i) {
    // Who returned is only of interest where others wait for it.
    if (group.frame(i).step != Step::done || group.at_barrier > 0)
      add_sub_group(group, i);
  }
}

void DeadlockReport::add_sub_group(WaitingGroup &group, uint32_t sub_group) {
  Row &row = rows_[key_of(group, sub_group)];
  if (row.groups.empty())
    row.example = group.number;
  if (row.groups.empty() || row.groups.back() != group.number)
    row.groups.push_back(group.number);
  if (row.example != group.number)
    return;
  const auto *size = group.info.local_size;
  const uint64_t items = size[0] * size[1] * size[2];
  const uint64_t width = (items + group.sub_groups - 1) / group.sub_groups;
  const uint64_t sub_group_size = group.code == &view_.inner->resumable
                                      ? view_.inner->sub_group_size
                                  : view_.edge ? view_.edge->sub_group_size
                                               : uint32_t(width);
  const uint64_t first = sub_group * std::max<uint64_t>(1, sub_group_size);
  add_range(row.items, first, std::min(first + std::max<uint64_t>(1, sub_group_size), items) - 1);
}

DeadlockReport::Key DeadlockReport::key_of(WaitingGroup &group, uint32_t sub_group) {
  const compiler::SubGroupFrame &frame = group.frame(sub_group);
  if (frame.step == Step::done)
    return {Doing::returned, "", "", 0};
  std::string place = place_text(*group.code, frame.site);
  if (frame.step == Step::at_barrier)
    return {Doing::at_barrier, std::move(place), "", 0};
  Key key{Doing::waits, std::move(place), memory_name(group, frame.wait.address), frame.wait.seen};
  if (rows_.contains(key))
    return key;
  if (++addresses_at_[key.place] > most_addresses) // many locks at one place: one row for the rest
    key.memory = "several other addresses", key.seen = 0;
  return key;
}

std::string DeadlockReport::memory_name(const WaitingGroup &group, const void *address) {
  const auto *byte = static_cast<const std::byte *>(address);
  if (is_inside(address, group.info.local_memory, view_.local_memory_bytes))
    return fmt::format("local memory + {}",
                       byte - static_cast<const std::byte *>(group.info.local_memory));
  auto memory = launch_.memory_at(address);
  if (!memory)
    return fmt::format("address {:#x}", reinterpret_cast<uintptr_t>(address));
  std::string argument;
  const auto *block = static_cast<const std::byte *>(view_.launch->args);
  for (std::size_t i = 0; i < view_.kernel->args.size(); ++i) {
    const compiler::KernelArg &arg = view_.kernel->args[i];
    if (arg.kind != compiler::ArgKind::global_pointer)
      continue;
    const std::byte *pointer = nullptr;
    std::memcpy(&pointer, block + arg.offset, sizeof pointer);
    if (is_inside(pointer, memory->begin, memory->size)) {
      argument = arg.name.empty() ? fmt::format("argument {}", i)
                                  : fmt::format("argument {} '{}'", i, arg.name);
      break;
    }
  }
  return fmt::format("byte {} of the buffer of {} bytes{}{}", byte - memory->begin, memory->size,
                     argument.empty() ? "" : " that is ", argument);
}

// ---- text

std::string DeadlockReport::group_text(uint64_t number) const {
  const uint64_t *count = view_.launch->num_groups;
  if (view_.launch->work_dim == 1)
    return std::to_string(number);
  return fmt::format("({},{},{})", number % count[0], number / count[0] % count[1],
                     number / count[0] / count[1]);
}

std::string DeadlockReport::groups_text(const std::vector<uint64_t> &groups) const {
  std::string text = groups.size() == 1 ? "work-group " : "work-groups ";
  std::size_t shown = 0;
  const auto ranges = ranges_of(groups);
  for (const auto &[first, last] : ranges) {
    if (shown++ == most_ranges)
      return text + fmt::format(" and more, {} in all", groups.size());
    text += shown > 1 ? ", " : "";
    text += first == last ? group_text(first)
                          : fmt::format("{} to {}", group_text(first), group_text(last));
  }
  return text;
}

std::string DeadlockReport::row_text(const Key &key, const Row &row) const {
  const bool is_one = row.items.size() == 1 && row.items[0].first == row.items[0].second;
  std::string items = is_one ? "work-item" : "work-items";
  const char *separator = " ";
  for (const auto &[first, last] : row.items) {
    items += separator;
    items += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
    separator = ", ";
  }
  if (row.groups.size() > 1)
    items += " of work-group " + group_text(row.example);
  std::string what;
  switch (key.doing) {
  case Doing::waits:
    what = fmt::format(
        "wait at {} for {}{}", key.place, key.memory,
        key.memory.starts_with("several") ? "" : fmt::format(", which holds {}", key.seen));
    break;
  case Doing::at_barrier:
    what = "have arrived at the barrier at " + key.place;
    break;
  case Doing::returned:
    what = "have returned";
    break;
  }
  return fmt::format("\n  {} ({}) {}", groups_text(row.groups), items, what);
}

std::string DeadlockReport::text(bool is_final) const {
  std::string text;
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
  for (const auto &[key, row] : rows_)
    text += row_text(key, row);
  return text;
}

// ---- JSON

std::string DeadlockReport::json() const {
  static constexpr const char *names[] = {"waits", "at_barrier", "returned"};
  std::string rows;
  for (const auto &[key, row] : rows_) {
    std::string groups, items;
    std::size_t shown = 0;
    for (const auto &[first, last] : ranges_of(row.groups))
      if (shown++ < most_ranges_in_json)
        groups += fmt::format("{}[{},{}]", groups.empty() ? "" : ",", first, last);
    for (const auto &[first, last] : row.items)
      items += fmt::format("{}[{},{}]", items.empty() ? "" : ",", first, last);
    rows += fmt::format(
        "{}{{\"doing\":\"{}\",\"place\":{},\"memory\":{},\"seen\":{},\"groups\":[{}],"
        "\"group_count\":{},\"example_group\":{},\"example_items\":[{}]}}",
        rows.empty() ? "" : ",", names[int(key.doing)], json_string(key.place),
        json_string(key.memory), key.seen, groups, row.groups.size(), row.example, items);
  }
  return fmt::format("{{\"kind\":\"{}\",\"kernel\":{},\"waiting_groups\":{},\"done_groups\":{},"
                     "\"unstarted_groups\":{},\"other_launches\":{},\"rows\":[{}]}}",
                     is_divergence_ ? "divergent_barrier" : "deadlock",
                     json_string(view_.kernel->name), waiting_, done_, unstarted_, others_, rows);
}

void DeadlockReport::write_file() const {
  auto path = environment("DEADLOCK_FILE");
  if (!path)
    return;
  std::FILE *file = std::fopen(path->c_str(), "ae");
  if (!file) {
    std::fprintf(stderr, "lockstep: LOCKSTEP_DEADLOCK_FILE: %s cannot be written\n", path->c_str());
    return;
  }
  const std::string line = json() + "\n";
  std::fwrite(line.data(), 1, line.size(), file);
  std::fclose(file);
}

// ---- errors

Error divergence_error(const ResumableRun &run, WaitingGroup &group) {
  const DeadlockReport report(run, group);
  report.write_file();
  return {ErrorKind::kernel_fault, report.text()};
}

Error no_memory_error(const ResumableRun &run) {
  const WaitingMemory &memory = WaitingMemory::instance();
  return {ErrorKind::out_of_resources,
          fmt::format("kernel '{}' has {} work-groups that wait and needs more of them to run at "
                      "the same time, {} are not started; each takes {} bytes, and the limit for "
                      "all that wait is {} bytes (LOCKSTEP_WAITING_MEMORY)",
                      run.launch().view().kernel->name, run.waiting_groups(),
                      run.unstarted_groups(), run.bytes_per_group(), memory.limit())};
}

bool waits_for_host_visible_memory(const ResumableRun &run) {
  bool is_visible = false;
  const std::byte *begin = nullptr; // of the last object, which is likely the next one's too
  std::size_t size = 0;
  run.for_each_waiting([&](WaitingGroup &group) {
    for (uint32_t i = 0; i < group.sub_groups && !is_visible; ++i) {
      const compiler::SubGroupFrame &frame = group.frame(i);
      if (frame.step != Step::waiting || is_inside(frame.wait.address, begin, size))
        continue;
      if (auto memory = run.launch().memory_at(frame.wait.address)) {
        is_visible = memory->is_host_visible;
        begin = memory->begin;
        size = memory->size;
      }
    }
  });
  return is_visible;
}

} // namespace lockstep::runtime
