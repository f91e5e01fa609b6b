// Describes a race in words.
#include "runtime/check/races/launch/race_reporter.h"

#include "driver/compile.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/races/shadow/report_sites.h"
#include "runtime/check/report/access_text.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/launch_names.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/pipe.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>

namespace lockstep::runtime {

namespace {

using compiler::AccessKind;
using compiler::ArgKind;
using compiler::CheckSite;
using compiler::NumberType;
using compiler::SameValue;

const char *did(RecordKind kind) {
  switch (kind) {
  case RecordKind::read:
    return "has read";
  case RecordKind::write:
    return "has written";
  case RecordKind::atomic_read:
    return "has read atomically";
  default:
    return "has changed atomically";
  }
}

uint64_t key_of(uint16_t number) {
  const NumberedSite &place = NumberedSites::of(number);
  return key_of_location(place.file, place.site, number);
}

bool write_the_same(const AccessRecord &record, const CheckSite &site, uint16_t place,
                    bool same_group) {
  return !check_options().strictly && record.kind == RecordKind::write &&
         site.kind == AccessKind::write && record.site == place &&
         (site.same_value == SameValue::always ||
          (same_group && site.same_value == SameValue::in_group));
}

// One access reads the expected value of a compare-and-swap, the other one is atomic.
bool is_guess(const AccessRecord &record, const CheckSite &site) {
  auto guesses = [](AccessKind kind, SameValue value) {
    return kind == AccessKind::read && value == SameValue::guess_of_swap;
  };
  const CheckSite &before = NumberedSites::of(record.site).site;
  return !check_options().strictly &&
         ((guesses(site.kind, site.same_value) && record.kind >= RecordKind::atomic_read) ||
          (guesses(before.kind, before.same_value) && site.kind >= AccessKind::atomic_read &&
           site.kind <= AccessKind::atomic_update));
}

// The element that a type such as "float4*" points to.
struct ElementType {
  uint64_t size = 0; // bytes; 0: unknown
  NumberType number = NumberType::integer;
  bool is_unsigned = false;
  std::string_view name{}; // "float4"
};
ElementType element_of(std::string_view type) {
  struct Known {
    std::string_view name;
    uint64_t size;
    NumberType number = NumberType::integer;
    bool is_unsigned = false;
  };
  static constexpr Known known[] = {{"char", 1},
                                    {"uchar", 1, NumberType::integer, true},
                                    {"bool", 1},
                                    {"short", 2},
                                    {"ushort", 2, NumberType::integer, true},
                                    {"half", 2, NumberType::floating_point},
                                    {"int", 4},
                                    {"uint", 4, NumberType::integer, true},
                                    {"float", 4, NumberType::floating_point},
                                    {"long", 8},
                                    {"ulong", 8, NumberType::integer, true},
                                    {"size_t", 8, NumberType::integer, true},
                                    {"double", 8, NumberType::floating_point}};
  constexpr std::string_view atomic = "atomic_";
  if (type.empty() || type.back() != '*')
    return {};
  type.remove_suffix(1);
  if (type.starts_with(atomic))
    type.remove_prefix(atomic.size());
  const std::size_t end = type.find_first_of("0123456789");
  const std::string_view many = end == type.npos ? "1" : type.substr(end);
  for (const auto &[name, size, number, is_unsigned] : known)
    if (name == type.substr(0, end))
      return {size * (many == "3" ? 4 : std::strtoul(std::string(many).c_str(), nullptr, 10)),
              number, is_unsigned, type};
  return {};
}

// "(float, byte 48)", "(4 bytes, byte 48)"
std::string element_text(uint64_t element, std::string_view type, uint64_t size, uint64_t byte) {
  return fmt::format("element {} ({}, byte {})", element,
                     type.empty() ? fmt::format("{} byte{}", size, size == 1 ? "" : "s")
                                  : std::string(type),
                     byte);
}

std::string float_text(uint64_t bits, uint64_t size) {
  if (size == sizeof(double))
    return fmt::format("{}", std::bit_cast<double>(bits));
  if (size == sizeof(float))
    return fmt::format("{}", std::bit_cast<float>(uint32_t(bits)));
  const auto half = std::bit_cast<_Float16>(uint16_t(bits));
  return fmt::format("{}", float(half));
}

// The value of the word just before the second access. The address may be unmapped by now.
std::string value_text(uintptr_t address, const ElementType &type, bool is_write) {
  const uint64_t size = type.size;
  uint64_t value = 0;
  iovec to{&value, size}, from{reinterpret_cast<void *>(address), size}; // NOLINT
  if (size == 0 || size > sizeof value ||
      process_vm_readv(getpid(), &to, 1, &from, 1, 0) != ssize_t(size))
    return "";
  const char *what = is_write ? "overwritten" : "read";
  if (type.number == NumberType::floating_point && size > 1)
    return fmt::format(": what is {} is {}", what, float_text(value, size));
  const int unused = 64 - 8 * int(size);
  const auto number = int64_t(value << unused) >> unused;
  return fmt::format(": what is {} is {}{}", what,
                     type.is_unsigned ? std::to_string(value) : std::to_string(number),
                     number < 0 || number > 9 ? fmt::format(" ({:#x})", value) : "");
}

} // namespace

std::string RaceReporter::group_text(uint32_t number) const {
  const bool is_row = state_.launch.num_groups[1] == 1 && state_.launch.num_groups[2] == 1;
  return "group " + ids_text(ids_of(state_.launch, number, 0).group,
                             is_row                   ? 1
                             : is_sycl(state_.kernel) ? state_.launch.work_dim
                                                      : 3,
                             is_sycl(state_.kernel));
}

std::string RaceReporter::item_text(uint32_t group, uint32_t item) const {
  if (state_.kernel.is_over_range)
    return "work-item " +
           ids_text(ids_of(state_.launch, group, item).global, state_.launch.work_dim, true);
  if (state_.launch.local_size[1] == 1 && state_.launch.local_size[2] == 1)
    return fmt::format("{}, item {}", group_text(group), item);
  return fmt::format("{}, item {}", group_text(group),
                     ids_text(ids_of(state_.launch, group, item).local,
                              is_sycl(state_.kernel) ? state_.launch.work_dim : 3,
                              is_sycl(state_.kernel)));
}

FindingLocation RaceReporter::place_of(uint16_t number, std::string what, uint32_t group) const {
  const NumberedSite &place = NumberedSites::of(number);
  return {std::move(what),   place.file, place.site.line, place.site.column, place.text,
          group_text(group), {},         place.directory};
}

FindingLocation RaceReporter::place_of(uint16_t number, std::string what, uint32_t group,
                                       uint64_t item) const {
  FindingLocation place = place_of(number, std::move(what), group);
  place.who = item_text(group, uint32_t(item));
  place.ids = ids_of(state_.launch, group, item);
  return place;
}

// A pointer from several sources may belong to any of them: chooses the smallest one, because one
// may be a part of another.
int32_t RaceReporter::argument_of(const CheckedAccess &access, uintptr_t address) const {
  if (access.site.argument >= 0 || access.memory == checked_local)
    return access.site.argument;
  const runtime::Access *found = nullptr;
  for (const runtime::Access &each : state_.accesses)
    if (each.argument >= 0 &&
        address - reinterpret_cast<uintptr_t>(each.memory.data()) < each.memory.size() &&
        (!found || each.memory.size() < found->memory.size()))
      found = &each;
  return found ? found->argument : -1;
}

std::string RaceReporter::captured_name(const CheckedAccess &access, uintptr_t address) const {
  const Captured captured(state_.kernel, state_.launch.args, state_.accesses);
  if (access.memory == checked_local)
    return NumberedSites::of(access.place).object;
  const compiler::FunctionMember *member = captured.at(access.site.member);
  if (const auto memory = shared_memory_at(address, state_.accesses); !member && memory)
    member = captured.leading_to(*memory);
  return member ? member->name : "";
}

// Names the captured variable and the memory.
std::string RaceReporter::memory_of_sycl(const CheckSite &site, uintptr_t address) const {
  const Captured captured(state_.kernel, state_.launch.args, state_.accesses);
  const auto memory = shared_memory_at(address, state_.accesses);
  const compiler::FunctionMember *member = captured.at(site.member);
  if (!member && memory)
    member = captured.leading_to(*memory);
  const std::string name = member ? Captured::text_of(*member) + ", " : "";
  if (!memory)
    return fmt::format("{}address {:#x}", name, address);
  const uint64_t byte = address - memory->begin,
                 size = member && member->element ? member->element : std::max(1u, site.size);
  return fmt::format("{}{} of {}", name, element_text(byte / size, "", size, byte), memory->text);
}

std::string RaceReporter::memory_text(const CheckedAccess &access, uintptr_t address) const {
  const NumberedSite &place = NumberedSites::of(access.place);
  if (is_sycl(state_.kernel) && place.object.empty() && access.memory != checked_local)
    return memory_of_sycl(place.site, address);
  const int32_t index = argument_of(access, address);
  if (index >= 0 && std::size_t(index) < state_.kernel.args.size()) {
    const compiler::KernelArg &arg = state_.kernel.args[std::size_t(index)];
    uint64_t begin = 0;
    std::memcpy(&begin, static_cast<const std::byte *>(state_.launch.args) + arg.offset,
                sizeof begin);
    if (arg.kind == ArgKind::local_pointer)
      begin += access.group.local_memory;
    const ElementType type = element_of(arg.type_name);
    const uint64_t byte = address - begin, size = type.size ? type.size : access.site.size;
    const std::string name = arg.name.empty() ? "" : fmt::format(" '{}'", arg.name);
    if (arg.kind == ArgKind::global_pointer || arg.kind == ArgKind::constant_pointer ||
        arg.kind == ArgKind::local_pointer)
      return fmt::format("argument {}{}, {}", index, name,
                         element_text(byte / size, type.name, size, byte));
    if (arg.kind == ArgKind::pipe) {
      const auto *ring = reinterpret_cast<const PipeRing *>(begin); // NOLINT
      const uint64_t in_packets = byte - ring->first_packet;
      return fmt::format("argument {}{}, byte {} of the packet in slot {}", index, name,
                         in_packets % ring->packet_size, in_packets / ring->packet_size);
    }
  }
  if (access.memory == checked_local)
    return place.object.empty()
               ? fmt::format("byte {} of local memory", address - access.group.local_memory)
               : fmt::format("{} '{}', byte {} of the group's local memory",
                             is_sycl(state_.kernel) ? "local_accessor" : "local variable",
                             place.object, address - access.group.local_memory);
  if (const auto known = Allocations::instance().find(reinterpret_cast<const void *>(address));
      known && place.object.empty())
    return fmt::format("byte {} of an allocation of {} bytes",
                       address - reinterpret_cast<uintptr_t>(known->begin()), known->size());
  return place.object.empty() ? fmt::format("address {:#x}", address)
                              : fmt::format("variable '{}'", place.object);
}

void RaceReporter::report(const AccessPair &pair, uintptr_t address) const {
  if (state_.has_given_up()) // by another thread: its state may be incomplete
    return;
  const auto &[record, access, item] = pair;
  const uint32_t owner = state_.group_of(record.epoch);
  const bool same_group = owner == access.group.number;
  const bool has_copy = same_group && (is_copy(record.item) || is_copy(item));
  const char *kind = has_copy ? "async copy" : "race";
  const bool is_guess = runtime::is_guess(record, access.site);
  const bool is_note = is_guess || write_the_same(record, access.site, access.place, same_group);
  // One race may occur millions of times: count repetitions without locks.
  struct Met {
    uint64_t places = 0;
    Findings::Pair *pair = nullptr;
  };
  thread_local std::array<Met, 64> known{};
  const uint64_t places = uint64_t(record.site) << 32 | uint64_t(access.place) << 16 |
                          uint64_t(has_copy) << 1 | uint64_t(is_note);
  Met &occurrences = known[(record.site + 31u * access.place) % known.size()];
  if (occurrences.pair && occurrences.places == places)
    return Findings::instance().count_again(*occurrences.pair);
  const uint64_t one = key_of(record.site), another = key_of(access.place);
  const auto [entry, is_first] = Findings::instance().count_occurrence(
      is_note ? "note" : kind, std::min(one, another), std::max(one, another));
  occurrences = {places, entry};
  if (!is_first)
    return;
  Finding finding;
  finding.is_note = is_note;
  finding.kind = kind;
  finding.set_kernel(state_.kernel);
  finding.set_launch(state_.kernel, state_.launch);
  finding.headline = fmt::format("{} of what another {} {}, unordered{}", name_of(access.site.kind),
                                 has_copy                      ? "one of the group"
                                 : state_.kernel.is_over_range ? "work-item"
                                 : same_group                  ? "work-item of the group"
                                                               : "group",
                                 did(record.kind),
                                 is_guess  ? "; a swap finds out if what was read is wrong"
                                 : is_note ? "; both write the same value"
                                           : "");
  uint32_t other = record.item == item && same_group ? record.last_item : record.item;
  auto add_place = [&](uint16_t place, uint32_t group, uint32_t number) {
    const char *what = name_of(NumberedSites::of(place).site.kind);
    finding.places.push_back(is_copy(number) ? place_of(place, what, group)
                                             : place_of(place, what, group, number));
  };
  if (record.are_several && same_group && other == item) {
    add_place(record.site, owner, first_copy);
    finding.places.back().who += ", another item";
  } else
    add_place(record.site, owner, other);
  add_place(access.place, access.group.number, item);
  finding.explanation.push_back(memory_text(access, address));
  finding.dimensions = is_sycl(state_.kernel) ? state_.launch.work_dim : 0;
  if (!state_.kernel.is_over_range) // otherwise the text has the global id already
    finding.add_global_ids();
  finding.argument = argument_of(access, address);
  if (finding.argument >= 0 && std::size_t(finding.argument) < state_.kernel.args.size())
    finding.argument_name = state_.kernel.args[std::size_t(finding.argument)].name;
  else if (is_sycl(state_.kernel))
    finding.argument_name = captured_name(access, address);
  ElementType element;
  if (finding.argument >= 0 && !finding.argument_name.empty())
    element = element_of(state_.kernel.args[std::size_t(finding.argument)].type_name);
  if (access.site.size <= 8 && access.site.size != element.size)
    element = {access.site.size, access.site.number_type};
  if (!has_copy && access.site.kind <= AccessKind::atomic_update)
    finding.explanation.push_back(fmt::format(
        "as seen here, the {} came first{}", name_of(NumberedSites::of(record.site).site.kind),
        value_text(address, element,
                   access.site.kind != AccessKind::read &&
                       access.site.kind != AccessKind::atomic_read)));
  for (std::string &line : missing_edge(pair))
    finding.explanation.push_back(std::move(line));
  Findings::instance().report(finding);
}

} // namespace lockstep::runtime
