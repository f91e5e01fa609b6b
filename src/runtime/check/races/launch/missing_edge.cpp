// Explains which ordering edge is missing between two accesses: which barrier is between them and
// what it lacks, or which atomic is too weak and what is sufficient.
#include "runtime/check/races/launch/race_reporter.h"

#include "abi/address_spaces.h"

#include "driver/compile.h"
#include "runtime/check/races/shadow/report_sites.h"
#include "runtime/device/launch_names.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

namespace {

using compiler::AccessKind;
using compiler::CheckOrder;
using compiler::CheckScope;
using compiler::CheckSite;
using compiler::NumberType;
using compiler::UpdateKind;

uint32_t line_of(uint16_t place) {
  return NumberedSites::of(place).site.line;
}

std::string at_line(uint16_t place) {
  const uint32_t line = line_of(place);
  return line ? fmt::format(" at line {}", line) : "";
}

const char *flag_of(unsigned memory) {
  return memory == checked_local ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE";
}
const char *name_of_memory(unsigned memory) {
  return memory == checked_local ? "local" : "global";
}

const char *name_of(CheckScope scope) {
  return scope == CheckScope::work_group  ? "group"
         : scope == CheckScope::sub_group ? "sub-group"
                                          : "work-item";
}

// Lines of the kernel's barriers and fences with exactly these flags.
std::vector<unsigned long> lines_with(const CheckSite &site, unsigned flags) {
  std::vector<unsigned long> lines;
  for (const char *at = site.barriers ? site.barriers : ""; *at;) {
    char *end = nullptr;
    const unsigned long line = std::strtoul(at, &end, 10);
    const unsigned long own = std::strtoul(end + 1, &end, 10);
    at = end + 1;
    if (own == flags && std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(line);
  }
  return lines;
}

// Several barriers of one line are of a loop that was unrolled.
bool has_several_at(const CheckSite &site, unsigned long line) {
  const std::string entry = fmt::format("{}:", line);
  const std::string_view all = site.barriers ? site.barriers : "";
  unsigned found = 0;
  for (std::size_t at = 0; (at = all.find(entry, at)) != all.npos; at += entry.size())
    found += at == 0 || all[at - 1] == ';';
  return found > 1;
}

std::string lines_of_barriers(const CheckSite &site, unsigned flags) {
  const auto lines = lines_with(site, flags);
  if (lines.empty())
    return "";
  return fmt::format("{} {}", lines.size() == 1 ? "line" : "one of lines", fmt::join(lines, ", "));
}

// Notes on fences whose scope is too narrow to reach the other access.
std::string too_narrow_fences(const CheckSite &site, CheckScope needed) {
  std::string text;
  for (auto scope : {CheckScope::work_item, CheckScope::sub_group, CheckScope::work_group})
    if (const auto lines = lines_with(site, CheckSite::narrow_fence + static_cast<unsigned>(scope));
        scope < needed && !lines.empty())
      text += fmt::format(" (of its own {} only: {} {})", name_of(scope),
                          lines.size() == 1 ? "that at line" : "those at lines",
                          fmt::join(lines, ", "));
  return text;
}

// For a kernel without ordering atomics.
std::string no_order_of_groups(const CheckSite &site) {
  std::string text = "nothing orders work-groups in this kernel: it has no atomic or fence that "
                     "releases or acquires";
  if (const auto lines = lines_with(site, CheckSite::relaxed_atomic); !lines.empty())
    text += fmt::format(
        "; {} {} relaxed: memory_order_release where {} what was written and "
        "memory_order_acquire where that is read, or fences, would do",
        lines.size() == 1 ? fmt::format("the atomic at line {}", lines.front())
                          : fmt::format("the atomics at lines {}", fmt::join(lines, ", ")),
        lines.size() == 1 ? "is" : "are", lines.size() == 1 ? "it publishes" : "they publish");
  else
    text += "; a second kernel after this one, or another buffer for the results, would do";
  return text;
}

// OpenCL C's function for an update that is not atomic, or SYCL's member of atomic_ref.
std::string atomic_of(UpdateKind update, bool is_float, bool is_sycl) {
  struct Names {
    const char *opencl, *sycl;
  };
  static constexpr Names names[] = {{"atomic_cmpxchg", "compare_exchange_strong"},
                                    {"atomic_add", "fetch_add"},
                                    {"atomic_sub", "fetch_sub"},
                                    {"atomic_and", "fetch_and"},
                                    {"atomic_or", "fetch_or"},
                                    {"atomic_xor", "fetch_xor"},
                                    {"atomic_min", "fetch_min"},
                                    {"atomic_max", "fetch_max"},
                                    {"atomic_cmpxchg", "compare_exchange_strong"}};
  const Names &own = names[static_cast<unsigned>(update)];
  if (is_sycl)
    return fmt::format("atomic_ref::{}", own.sycl);
  if (is_float && (update == UpdateKind::add || update == UpdateKind::subtract ||
                   update == UpdateKind::minimum || update == UpdateKind::maximum))
    return fmt::format("atomic_fetch_{} on an atomic_float (cl_ext_float_atomics)",
                       own.opencl + std::strlen("atomic_"));
  return own.opencl;
}

bool are_in_one_line(uint16_t one, uint16_t other) {
  const NumberedSite &first = NumberedSites::of(one), &second = NumberedSites::of(other);
  return first.site.line != 0 && first.site.line == second.site.line && first.file == second.file;
}

} // namespace

// Names the object like the program's source.
std::string RaceReporter::object_text(const CheckedGroup &group, uint16_t number,
                                      uintptr_t address) const {
  const NumberedSite &place = NumberedSites::of(number);
  const int32_t index = place.site.argument;
  if (index >= 0 && std::size_t(index) < state_.kernel.args.size()) {
    const compiler::KernelArg &arg = state_.kernel.args[std::size_t(index)];
    uint64_t begin = 0;
    std::memcpy(&begin, static_cast<const std::byte *>(state_.launch.args) + arg.offset,
                sizeof begin);
    if (arg.kind == compiler::ArgKind::local_pointer)
      begin += group.local_memory;
    const std::string name =
        arg.name.empty() ? fmt::format("argument {}", index) : fmt::format("'{}'", arg.name);
    if (arg.kind == compiler::ArgKind::global_pointer ||
        arg.kind == compiler::ArgKind::local_pointer)
      return fmt::format("{}[{}]", name, (address - begin) / std::max(1u, place.site.size));
  }
  if (!place.object.empty())
    return fmt::format("'{}'", place.object);
  if (const auto memory = shared_memory_at(address, state_.accesses);
      memory && is_sycl(state_.kernel)) {
    const Captured captured(state_.kernel, state_.launch.args, state_.accesses);
    const compiler::FunctionMember *member = captured.at(place.site.member);
    if (!member)
      member = captured.leading_to(*memory);
    if (member)
      return fmt::format("'{}'[{}]", member->name,
                         (address - memory->begin) / std::max(1u, place.site.size));
  }
  return fmt::format("address {:#x}", address);
}

std::string RaceReporter::wait_text(const RecordedCopy &copy) {
  const uint32_t line = NumberedSites::of(copy.passed_over).site.line;
  return copy.for_another
             ? fmt::format("wait_group_events at line {} waits for the event of another copy, that "
                           "of line {}",
                           line, NumberedSites::of(copy.for_another).site.line)
             : fmt::format("wait_group_events at line {} waits for no event of a copy that is "
                           "under way",
                           line);
}

std::vector<std::string> RaceReporter::edge_of_copy(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  if (is_copy(record.item))
    for (const RecordedCopy &copy : access.group.copies)
      if (copy.began == record.epoch && copy.passed_over)
        return {wait_text(copy), "no wait_group_events for the event of this one stands between: "
                                 "the copy may not have got here"};
  if (is_copy(record.item))
    return {is_copy(item) ? "both copies are under way at once: wait_group_events or "
                            "async_work_group_copy_fence would part them"
                          : "no wait_group_events stands between: the copy may not have got here"};
  return {fmt::format("no barrier({}) is before the copy, which waits for no work-item",
                      flag_of(access.memory))};
}

std::vector<std::string> RaceReporter::edge_in_group(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  const unsigned other = access.memory == checked_local ? checked_global : checked_local;
  const char *needed = flag_of(access.memory);
  if (record.epoch < group.base[other]) {
    const std::string lines =
        lines_of_barriers(access.site, access.memory == checked_local ? 2 : 1);
    return {
        fmt::format("a barrier stands between, but without {}: {} does not order {} memory", needed,
                    lines.empty() ? "it" : fmt::format("barrier({}) at {}", flag_of(other), lines),
                    name_of_memory(access.memory))};
  }
  if (is_one_statement(pair))
    return {one_writer_text()};
  const std::string none = lines_of_barriers(access.site, 0);
  const uint32_t before = line_of(record.site), after = line_of(access.place);
  const bool same_file =
      NumberedSites::of(record.site).file == NumberedSites::of(access.place).file;
  std::string between;
  if (same_file && before && after && before != after)
    between = fmt::format(" lines {} and {}", std::min(before, after), std::max(before, after));
  std::vector<std::string> lines = {
      fmt::format("no barrier({}) of their group stands between{}{}", needed, between,
                  none.empty() ? "" : fmt::format("; barrier(0) at {} orders nothing", none))};
  if (are_in_one_line(record.site, access.place)) {
    lines.push_back(
        access.memory == checked_local
            ? "both accesses are in one line: a barrier belongs between its iterations, "
              "or the line reads into a private variable and writes after a barrier"
            : "both accesses are in one line: write to other memory than the line reads, "
              "or read into a private variable and write after a barrier of the group");
    return lines;
  }
  // A barrier stands between the lines, so the accesses are of different iterations.
  const uint32_t loop = access.site.loop;
  const bool are_in_loop = loop && NumberedSites::of(record.site).site.loop == loop;
  for (const unsigned flags : {access.memory == checked_local ? 1u : 2u, 3u})
    for (const unsigned long line : lines_with(access.site, flags))
      if (line > std::min(before, after) && line < std::max(before, after) &&
          (are_in_loop || has_several_at(access.site, line))) {
        lines = {
            fmt::format("barrier({}) at line {} orders line {} before line {}, but not line {} "
                        "before line {} of the next iteration: another barrier belongs there",
                        flags == 3 ? "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" : needed, line,
                        std::min(before, after), std::max(before, after), std::max(before, after),
                        std::min(before, after))};
        return lines;
      }
  return lines;
}

bool RaceReporter::is_one_statement(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  return record.site == access.place && record.kind == RecordKind::write &&
         access.site.kind == AccessKind::write && line_of(access.place) != 0 &&
         (state_.group_of(record.epoch) != access.group.number || record.epoch == access.group.now);
}

std::string RaceReporter::one_writer_text() {
  return "several work-items execute this statement on one element, and a barrier cannot order "
         "them: let one of them write it, give each its own element, or use an atomic";
}

// Two halves of updates such as `bins[i] += 1`.
std::vector<std::string> RaceReporter::edge_of_updates(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckSite &before = NumberedSites::of(record.site).site;
  if (before.update == UpdateKind::none || access.site.update == UpdateKind::none)
    return {};
  const bool same_line = are_in_one_line(record.site, access.place),
             same_group = state_.group_of(record.epoch) == access.group.number;
  const UpdateKind update = before.update == access.site.update ? before.update : UpdateKind::other;
  const std::string atomic = atomic_of(
      update, access.site.number_type == NumberType::floating_point, is_sycl(state_.kernel));
  return {
      "both read this element, change it and write it back, and the updates are not atomic: one "
      "of them is lost if they overlap",
      fmt::format(
          "use an atomic update ({}), or one element for each work-item and a reduction{}", atomic,
          same_line || !same_group || state_.kernel.is_over_range ||
                  before.kind != access.site.kind // of one update
              ? ""
              : fmt::format("; or a barrier({}) between the two lines", flag_of(access.memory)))};
}

// Looks for a pair of atomics that would order the accesses if both were strong enough, or if the
// write came later.
std::vector<std::string> RaceReporter::weak_edge(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  const uint32_t owner = state_.group_of(record.epoch);
  for (const bool too_early : {false, true})
    for (const AtomicRead &read : group.reads.last_first())
      for (std::size_t i = 0; i != read.writes.size(); ++i) {
        const AtomicWrite &write = read.writes[i];
        if (!read.place || !write.place || write.group != owner ||
            (write.epoch < record.epoch) != too_early ||
            (owner == group.number && write.item == read.item))
          continue;
        return {fmt::format("{}, item {} read {}{} after {}, item {} had written it{}",
                            group_text(group.number), read.item,
                            object_text(group, read.place, read.address), at_line(read.place),
                            group_text(owner), write.item, at_line(write.place)),
                why_it_is_weak(pair, read, i)};
      }
  return {};
}

std::string RaceReporter::why_it_is_weak(const AccessPair &pair, const AtomicRead &read,
                                         std::size_t written) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  const AtomicWrite &write = read.writes[written];
  const CheckSite &writes = NumberedSites::of(write.place).site,
                  &reads = NumberedSites::of(read.place).site;
  const char *memory = name_of_memory(access.memory), *flag = flag_of(access.memory);
  const bool same_group = write.group == group.number;
  const bool same_sub_group =
      same_group && state_.sub_group_of(write.item) == state_.sub_group_of(read.item);
  const CheckScope needed = same_sub_group ? CheckScope::sub_group
                            : same_group   ? CheckScope::work_group
                                           : CheckScope::device;
  const CheckScope between =
      same_group && state_.sub_group_of(record.item) != state_.sub_group_of(item)
          ? CheckScope::work_group
          : needed;
  auto is_too_small = [&](const CheckSite &site, const char *which, uint16_t place) {
    if (site.scope >= needed)
      return std::string();
    return fmt::format("the {}{} is for its own {} only: memory_scope_{} would do", which,
                       at_line(place), name_of(site.scope), same_group ? "work_group" : "device");
  };
  if (auto text = is_too_small(writes, "write", write.place); !text.empty())
    return text;
  if (!(write.carries >> access.memory & 1) && (!same_group || !releases(writes.order)))
    return releases(writes.order)
               ? fmt::format("the write{} releases no {} memory, since it is of the other: "
                             "memory_order_seq_cst or fences with both flags would",
                             at_line(write.place), memory)
               : fmt::format("the write{} is relaxed{}: memory_order_release would do",
                             at_line(write.place),
                             has_fences(writes)
                                 ? fmt::format(", and no fence with {} that releases stands "
                                               "before it{}",
                                               flag, too_narrow_fences(access.site, between))
                                 : "");
  for (std::size_t i = 0; i != written; ++i)
    if (const AtomicWrite &later = read.writes[i];
        NumberedSites::of(later.place).site.kind == AccessKind::atomic_write &&
        (later.group != write.group || later.item != write.item))
      return fmt::format("what it released was lost: the atomic store{} replaced it, a "
                         "read-modify-write would have kept it",
                         at_line(read.writes[i].place));
  if (auto text = is_too_small(reads, "read", read.place); !text.empty())
    return text;
  if (!acquires(reads.order))
    return fmt::format(
        "the read{} is relaxed{}: memory_order_acquire would do", at_line(read.place),
        has_fences(reads) ? fmt::format(", and no fence with {} that acquires stands "
                                        "behind it{}",
                                        flag, too_narrow_fences(access.site, between))
                          : "");
  const bool is_of_other = access.memory == checked_local
                               ? writes.address_space == compiler::global_space
                               : writes.address_space == compiler::local_space;
  if (same_group && is_of_other &&
      (reads.order != CheckOrder::seq_cst || writes.order != CheckOrder::seq_cst))
    return fmt::format("that orders no {} memory, since it is of the other: memory_order_seq_cst "
                       "or fences with both flags would",
                       memory);
  if (is_copy(record.item))
    return "a release covers an async copy only if wait_group_events stands before it";
  const bool is_own = record.item == write.item && record.last_item == write.item;
  if (is_own && write.epoch < record.epoch)
    return fmt::format("item {} released that before it did this", write.item);
  if (!is_own && record.epoch >= write.before[access.memory])
    return fmt::format("what item {} releases covers the other work-items of its group up to their "
                       "last barrier({}): none stands between",
                       write.item, flag);
  if (read.item != item && group.base[access.memory] <= read.epoch)
    return fmt::format("what item {} acquired the others have after the next barrier({}) only",
                       read.item, flag);
  return "what was released then is not what was acquired";
}

// The read that was probably meant to acquire: preferably one of a value that another group has
// written.
std::string RaceReporter::relaxed_read(const CheckedGroup &group) const {
  for (const bool is_of_another : {true, false})
    for (const AtomicRead &read : group.reads.last_first()) {
      const CheckSite &site = NumberedSites::of(read.place).site;
      if (!read.place || acquires(site.order) || site.address_space == compiler::local_space)
        continue;
      if (is_of_another &&
          std::none_of(read.writes.begin(), read.writes.end(), [&](const AtomicWrite &write) {
            return write.place && write.group != group.number;
          }))
        continue;
      return fmt::format("; what item {} read of {}{} is relaxed{}: memory_order_acquire would do",
                         read.item, object_text(group, read.place, read.address),
                         at_line(read.place),
                         has_fences(site) ? ", and no fence that acquires stands behind it" : "");
    }
  return "";
}

// The group acquired, but not the release in question.
std::string RaceReporter::acquired_edge(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  const Acquired &acquired = group.acquired;
  const Clock &known = group.known_by(acquired.item, access.memory);
  const std::string owner = group_text(state_.group_of(record.epoch)),
                    object = object_text(group, acquired.place, acquired.address) +
                             at_line(acquired.place);
  const char *flag = flag_of(access.memory);
  const bool was_released = !is_copy(record.item) && known.knows_of(state_.group_of(record.epoch));
  std::string missing;
  if (was_released && acquired.item != item &&
      known.covers(state_.group_of(record.epoch), record.last_item, record.epoch))
    missing = fmt::format("the others have that after the next barrier({}) only", flag);
  else if (was_released)
    missing = fmt::format("what a work-item releases covers what it has done, and what the others "
                          "of its group have up to their last barrier({})",
                          flag);
  if (was_released)
    return fmt::format("{}, item {} acquired {} after {} had released it: {}",
                       group_text(group.number), acquired.item, object, owner, missing);
  const std::string from = acquired.releases == 1
                               ? fmt::format("{} alone", group_text(acquired.from_group))
                               : fmt::format("{} releases, the last by {}", acquired.releases,
                                             group_text(acquired.from_group));
  return fmt::format("{} acquired {} from {}; {} released nothing that it read",
                     group_text(group.number), object, from, owner);
}

std::vector<std::string> RaceReporter::missing_edge(const AccessPair &pair) const {
  const auto &[record, access, item] = pair;
  const CheckedGroup &group = access.group;
  const uint32_t owner = state_.group_of(record.epoch);
  if (owner == group.number && (is_copy(record.item) || is_copy(item)))
    return edge_of_copy(pair);
  const bool has_atomics = access.site.is_ordered_by_atomics();
  if (is_atomic(NumberedSites::kind_of(access.place)) && is_atomic(record.kind))
    return {owner != group.number
                ? "both are atomic, but their scopes do not include the other group: "
                  "memory_scope_device would"
            : std::max(record.reach, NumberedSites::reach(access.place)) == AtomicReach::sub_group
                ? "both are atomic, but their scopes do not include the other sub-group: "
                  "memory_scope_work_group would"
                : "both are atomic, but their scopes do not include the other work-item: "
                  "memory_scope_work_group would"};
  if (has_atomics)
    if (auto weak = weak_edge(pair); !weak.empty())
      return weak;
  const bool has_barrier_of_other_memory =
      owner == group.number &&
      record.epoch < group.base[access.memory == checked_local ? checked_global : checked_local];
  if (!has_barrier_of_other_memory || are_in_one_line(record.site, access.place))
    if (auto updates = edge_of_updates(pair); !updates.empty())
      return updates;
  if (state_.kernel.is_over_range && (!has_atomics || owner == group.number)) {
    if (is_one_statement(pair))
      return {one_writer_text()};
    return {
        std::string("nothing orders the work-items of a parallel_for over a range, which has no "
                    "barriers: ") +
        (are_in_one_line(record.site, access.place)
             ? "another kernel after this one, or other memory for the results, would do"
             : "another kernel after this one, or an nd_range with group_barrier, would do")};
  }
  if (owner == group.number)
    return edge_in_group(pair);
  if (!has_atomics && is_one_statement(pair))
    return {one_writer_text()};
  if (!has_atomics)
    return {no_order_of_groups(access.site)};
  if (group.acquired.place == NumberedSites::none)
    return {fmt::format("{} has acquired nothing that a group released{}", group_text(group.number),
                        relaxed_read(group))};
  return {acquired_edge(pair)};
}

} // namespace lockstep::runtime
