#include "runtime/check/bounds/memory_check.h"

#include "abi/address_spaces.h"

#include "abi/launch_abi.h"
#include "back_ends/cpu/host_functions/address_space_query.h"
#include "driver/compile.h"
#include "runtime/check/bounds/released_memory.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/report/access_text.h"
#include "runtime/check/report/findings.h"
#include "runtime/check/undefined/undefined_memory.h"
#include "runtime/device/launch_names.h"
#include "runtime/memory/allocations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace lockstep::runtime {

namespace {

using compiler::AccessKind;
using compiler::ArgKind;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::LaunchInfo;
using compiler::MemoryExtent;

constexpr uint64_t first_page = 4096;

// Without debug info the key is argument and access kind: the address of a CheckSite may be reused
// after its program is freed.
uint64_t key_of(const CheckSite &site, const compiler::KernelInfo &kernel) {
  if (site.line != 0)
    return key_of_location(site.file, site, 0);
  const auto in_words = fmt::format("{} {} {} {} {}", kernel.name, name_of(site.kind), site.size,
                                    site.argument, site.object ? site.object : "");
  return std::hash<std::string>()(in_words);
}

std::string bytes_text(uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

} // namespace

// Functions that compiled code calls; a friend of MemoryCheck.
struct MemoryCheckCalls {
  static uint64_t extent(const LaunchInfo *launch, MemoryExtent what, uint32_t argument) {
    auto *check = static_cast<const MemoryCheck *>(launch->memory_check);
    if (check && argument == compiler::local_memory_of_group)
      return check->local_shadow(what);
    if (!check || argument >= check->extents_.size())
      return MemoryCheck::Extent{}.of(what);
    const uint64_t extent = check->extents_[argument].of(what);
    return what == MemoryExtent::bits && extent ? extent + check->from_copy(*launch, argument)
                                                : extent;
  }

  static uint64_t object(const LaunchInfo *launch, MemoryExtent what, const void *address) {
    auto *check = static_cast<const MemoryCheck *>(launch->memory_check);
    if (what >= MemoryExtent::bits) {
      const auto &local = compiler::thread_local_memory;
      const auto offset =
          reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(local.begin);
      if (check && offset < local.size)
        return check->local_shadow(what);
      if (what != MemoryExtent::bits)
        return 0;
      const uint64_t distance = UndefinedMemory::instance().distance(address);
      if (check && distance == 0)
        check->record_shadow_of(address);
      return distance;
    }
    return (check ? check->at(address) : MemoryCheck::Extent{}).of(what);
  }

  static uint64_t written(const LaunchInfo *launch, const void *address, uint64_t size) {
    UndefinedMemory::instance().look_for_writes(static_cast<const std::byte *>(address), size);
    auto *check = static_cast<const MemoryCheck *>(launch->memory_check);
    const uint64_t of_copy = check ? check->shadow_from_copy(*launch, address) : 0;
    return of_copy ? of_copy : object(launch, MemoryExtent::bits, address);
  }

  static void outside(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                      const void *address, int64_t stride, uint64_t lanes, uint64_t first_item,
                      uint64_t size) {
    auto *check = static_cast<const MemoryCheck *>(launch->memory_check);
    if (!check)
      return;
    const auto *const *addresses = static_cast<const void *const *>(address);
    const uint64_t from_copy =
        site->argument >= 0 && size == 0 ? check->from_copy(*launch, uint32_t(site->argument)) : 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto at = stride == compiler::any_addresses
                          ? reinterpret_cast<uintptr_t>(addresses[lane])
                          : reinterpret_cast<uintptr_t>(address) + uint64_t(stride * lane);
      check->report({*group, *site, at + from_copy, size, first_item + uint64_t(lane)});
    }
  }

  static void undefined(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                        uint64_t lanes, uint64_t first_item) {
    if (auto *check = static_cast<const MemoryCheck *>(launch->memory_check))
      for (uint64_t left = lanes; left; left &= left - 1)
        check->report_undefined(
            {*group, *site, 0, 0, first_item + uint64_t(std::countr_zero(left))});
  }
};

void start_memory_check_if_wanted() {
  if (!check_options().memory && !check_options().undefined)
    return;
  compiler::memory_check_hooks = {MemoryCheckCalls::extent, MemoryCheckCalls::object,
                                  MemoryCheckCalls::outside, MemoryCheckCalls::undefined,
                                  MemoryCheckCalls::written};
  if (check_options().memory)
    ReleasedMemory::start();
  if (check_options().undefined)
    UndefinedMemory::start();
  Findings::instance(); // reports at the end of the process if nothing was checked
}

std::unique_ptr<MemoryCheck> MemoryCheck::of(const compiler::KernelInfo &kernel,
                                             const LaunchInfo &launch,
                                             std::span<const Access> accesses,
                                             std::span<const uint64_t> local_sizes,
                                             uint64_t local_shadow_bytes) {
  const CheckOptions &options = check_options();
  const bool is_reported = matches_name(options.kernels, kernel.name, kernel.title);
  if (!options.undefined && !(options.memory && is_reported))
    return nullptr;
  // These checks count launches themselves
  if (is_reported && !options.commands && !options.watches_groups())
    Findings::instance().was_checked();
  auto check =
      std::make_unique<MemoryCheck>(kernel, launch, accesses, local_sizes, local_shadow_bytes);
  check->is_reported_ = is_reported;
  return check;
}

MemoryCheck::MemoryCheck(const compiler::KernelInfo &kernel, const LaunchInfo &launch,
                         std::span<const Access> accesses, std::span<const uint64_t> local_sizes,
                         uint64_t local_shadow_bytes)
    : kernel_(kernel), launch_(launch), accesses_(accesses),
      local_shadow_bytes_(local_shadow_bytes) {
  for (const Access &access : accesses)
    if (const auto &buffer = access.memory.buffer())
      ranges_.push_back({reinterpret_cast<uintptr_t>(buffer->data()), buffer->size()});
  // Largest first: a pointer from elsewhere may belong to the whole buffer as well as to a
  // sub-buffer.
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range &one, const Range &other) { return one.size > other.size; });
  if (check_options().undefined)
    for (const Access &access : accesses)
      record_shadow_of(access.memory.data());
  extents_.reserve(kernel.args.size());
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    extents_.push_back(extent_of(i, accesses, local_sizes));
    if ((kernel.args[i].kind != ArgKind::global_pointer && kernel.args[i].kind != ArgKind::pipe) ||
        !check_options().undefined)
      continue;
    const auto *pointer = reinterpret_cast<const void *>(pointer_in(i));
    extents_.back().shadow = UndefinedMemory::instance().distance(pointer);
    record_shadow_of(pointer);
  }
}

void MemoryCheck::record_shadow_of(const void *address) const {
  if (const std::size_t size = UndefinedMemory::instance().size_without_shadow(address))
    without_shadow_.store(size, std::memory_order_relaxed);
}

Result<void> MemoryCheck::has_shadow() const {
  if (const std::size_t size = without_shadow_.load(std::memory_order_relaxed);
      size && is_reported_)
    return UndefinedMemory::no_memory(kernel_.name, size);
  return {};
}

uint64_t MemoryCheck::pointer_in(const LaunchInfo &launch, std::size_t argument) const {
  uint64_t pointer = 0;
  std::memcpy(&pointer, static_cast<const std::byte *>(launch.args) + kernel_.args[argument].offset,
              sizeof pointer);
  return pointer;
}

// A worker may run with a private copy (kernel/privatized_reductions.h).
uint64_t MemoryCheck::from_copy(const LaunchInfo &launch, std::size_t argument) const {
  if (launch.args == launch_.args || kernel_.args[argument].kind != ArgKind::global_pointer)
    return 0;
  return pointer_in(argument) - pointer_in(launch, argument);
}

// The address of a copy is arbitrary, so that its shadow bits could look like those of memory that
// the program writes. Such memory is not copied.
uint64_t MemoryCheck::shadow_from_copy(const LaunchInfo &launch, const void *address) const {
  for (std::size_t i = 0; i != extents_.size(); ++i)
    if (const uint64_t away = from_copy(launch, i);
        away && extents_[i].shadow &&
        reinterpret_cast<uintptr_t>(address) + away - pointer_in(i) + extents_[i].lead <
            extents_[i].size)
      return extents_[i].shadow + away;
  return 0;
}

MemoryCheck::Extent MemoryCheck::extent_of(std::size_t argument, std::span<const Access> accesses,
                                           std::span<const uint64_t> local_sizes) const {
  const ArgKind kind = kernel_.args[argument].kind;
  if (kind == ArgKind::local_pointer)
    return {0, argument < local_sizes.size() ? local_sizes[argument] : 0};
  if (kind != ArgKind::global_pointer)
    return {};
  for (const Access &access : accesses)
    if (access.argument == int32_t(argument) && !access.is_placed)
      return {0, access.memory.size()};
  return at(reinterpret_cast<const void *>(pointer_in(argument)));
}

MemoryCheck::Extent MemoryCheck::at(const void *address) const {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (number < first_page)
    return {number, 0};
  for (const Range &range : ranges_)
    if (number - range.begin < range.size)
      return {number - range.begin, range.size};
  // Cache: each work-item looks up the pointers that it finds in memory.
  struct Seen {
    uint64_t version = 0;
    Range range{};
  };
  constexpr std::size_t most = 4;
  thread_local std::array<Seen, most> seen_before;
  thread_local std::size_t oldest = 0;
  const uint64_t version = Allocations::instance().version();
  for (const auto &[then, range] : seen_before)
    if (then == version && number - range.begin < range.size)
      return {number - range.begin, range.size};
  if (const auto known = Allocations::instance().find(address)) {
    const auto begin = reinterpret_cast<uintptr_t>(known->begin());
    seen_before[oldest++ % most] = {version, {begin, known->size()}};
    return {number - begin, known->size()};
  }
  if (ReleasedMemory::instance().has(address))
    return {0, 0};
  return {};
}

// ---- reports

FindingLocation MemoryCheck::place_of(const Outside &outside, const char *what) const {
  const CheckSite &site = outside.site;
  const WorkItemIds ids = ids_of(launch_, outside.group.group_id, outside.item);
  const auto text = [&](const auto &id) {
    return ids_text(id, launch_.work_dim, is_sycl(kernel_));
  };
  return {what,
          site.file,
          site.line,
          site.column,
          site.text,
          fmt::format("work-item {} (group {}, local {})", text(ids.global), text(ids.group),
                      text(ids.local)),
          ids,
          site.directory};
}

// The memory that an access of a SYCL kernel exceeds; the text names the captured variable.
// Nothing: unknown, or released.
std::optional<SharedMemory> MemoryCheck::captured_memory(const Outside &outside) const {
  const Captured captured(kernel_, launch_.args, accesses_);
  const compiler::FunctionMember *member = captured.at(outside.site.member);
  const uintptr_t pointer = captured.pointer_at(outside.site.member);
  auto memory = pointer ? shared_memory_at(pointer, accesses_) : std::nullopt;
  if (!memory || !is_sycl(kernel_))
    return std::nullopt;
  if (member)
    memory->text = Captured::text_of(*member);
  return memory;
}

// Describes the memory that the access exceeds, and where.
std::string MemoryCheck::memory_text(const Outside &outside, std::string &headline) const {
  const CheckSite &site = outside.site;
  const std::string access =
      is_copy(site.kind) ? std::string(name_of(site.kind)) + " what is"
                         : fmt::format("{} of {}", name_of(site.kind), bytes_text(site.size));
  std::string object;
  uint64_t size = outside.variable_size, byte = outside.address;
  if (size) {
    const bool is_local = site.address_space == compiler::local_space && is_sycl(kernel_);
    object = *site.object
                 ? fmt::format("{} '{}'", is_local ? "local_accessor" : "variable", site.object)
                 : "a variable";
  } else if (site.argument >= 0 && std::size_t(site.argument) < extents_.size()) {
    const std::size_t index = std::size_t(site.argument);
    const compiler::KernelArg &arg = kernel_.args[index];
    const Extent &extent = extents_[index];
    object =
        fmt::format("argument {}{}", index, arg.name.empty() ? "" : fmt::format(" '{}'", arg.name));
    uint64_t begin = pointer_in(index);
    if (arg.kind == ArgKind::global_pointer && begin == 0) {
      headline = access + " through a null pointer";
      return object + " is null";
    }
    if (arg.kind == ArgKind::local_pointer)
      begin += reinterpret_cast<uintptr_t>(outside.group.local_memory);
    else if (const std::string released = ReleasedMemory::instance().text_of(begin);
             extent.size == 0 && !released.empty()) {
      headline = access + " in memory that was released";
      return fmt::format("{}: {}", object, released);
    }
    size = extent.size;
    byte = outside.address - (begin - extent.lead);
  } else if (const auto known = captured_memory(outside)) {
    object = known->text;
    size = known->size;
    byte = outside.address - known->begin;
  } else {
    const void *address = reinterpret_cast<const void *>(outside.address);
    if (const std::string released = ReleasedMemory::instance().text_of(outside.address);
        !released.empty()) {
      headline = access + " in memory that was released";
      return released;
    }
    headline = access + (outside.address < first_page ? " through a null pointer"
                                                      : " beyond the memory that it points to");
    return fmt::format("address {}", address);
  }
  const bool is_before = int64_t(byte) < 0;
  headline = fmt::format("{} {} {}", access, is_before ? "before" : "beyond", object);
  std::string text = fmt::format("{} has {}", object, bytes_text(size));
  if (is_before)
    return text + fmt::format("; this is {} before them", bytes_text(-byte));
  if (site.size && byte % site.size == 0)
    text += fmt::format(", {} element{} of {}", size / site.size, size / site.size == 1 ? "" : "s",
                        bytes_text(site.size)) +
            fmt::format("; this is element {} (byte {}", byte / site.size, byte);
  else
    text += fmt::format("; this is byte {} (", byte);
  return text + (byte >= size
                     ? fmt::format("{}{} beyond)", site.size && byte % site.size == 0 ? ", " : "",
                                   bytes_text(byte - size))
                     : ", which it passes the end from)");
}

void MemoryCheck::report_undefined(const Outside &where) const {
  const CheckSite &site = where.site;
  const uint64_t key = key_of(site, kernel_) ^ uint64_t(site.kind);
  if (!is_reported_ || !Findings::instance().is_first("undefined", key, key))
    return;
  Finding finding;
  finding.kind = "undefined";
  finding.set_kernel(kernel_);
  finding.set_launch(kernel_, launch_);
  finding.argument = site.argument;
  if (finding.argument >= 0 && std::size_t(finding.argument) < kernel_.args.size())
    finding.argument_name = kernel_.args[std::size_t(finding.argument)].name;
  const Captured captured(kernel_, launch_.args, accesses_);
  const char *what = "write";
  if (site.kind == AccessKind::undefined_branch) {
    what = "branch";
    finding.headline = "a value that was never written decides a branch";
  } else if (site.kind == AccessKind::undefined_address) {
    what = "access";
    finding.headline = "a value that was never written decides what is accessed";
  } else if (site.kind == AccessKind::undefined_collective) {
    what = "collective";
    finding.headline = "a value that was never written is given to a collective";
  } else {
    finding.headline = "what was computed from a value that was never written is stored";
    if (finding.argument >= 0 && !finding.argument_name.empty())
      finding.explanation.push_back(
          fmt::format("to argument {} '{}'", finding.argument, finding.argument_name));
    else if (const compiler::FunctionMember *to = captured.at(site.member))
      finding.explanation.push_back("to " + Captured::text_of(*to));
  }
  finding.places.push_back(place_of(where, what));
  if (const std::string from = captured.with_names(site.object); !from.empty())
    finding.explanation.push_back(fmt::format("it comes from {}", from));
  finding.explanation.push_back(
      site.address_space == compiler::local_space
          ? "local memory is not cleared when a group begins: initialize it, and pass a barrier"
          : "nothing has written that memory since it was allocated, or since its group began: "
            "initialize it");
  Findings::instance().report(finding);
}

void MemoryCheck::report(const Outside &outside) const {
  const uint64_t key = key_of(outside.site, kernel_);
  if (!Findings::instance().is_first("out of bounds", key, key))
    return;
  Finding finding;
  finding.kind = "out of bounds";
  finding.set_kernel(kernel_);
  finding.set_launch(kernel_, launch_);
  finding.argument = outside.site.argument;
  if (finding.argument >= 0 && std::size_t(finding.argument) < kernel_.args.size())
    finding.argument_name = kernel_.args[std::size_t(finding.argument)].name;
  finding.explanation.push_back(memory_text(outside, finding.headline));
  if (const auto *member = Captured(kernel_, launch_.args, accesses_).at(outside.site.member))
    finding.argument_name = member->name;
  if (finding.headline.ends_with("that was released"))
    finding.kind = "use after release";
  const CheckSite &site = outside.site;
  finding.places.push_back(place_of(outside, name_of(site.kind)));
  const bool writes = site.kind != AccessKind::read && site.kind != AccessKind::atomic_read &&
                      site.kind != AccessKind::copy_read;
  finding.explanation.push_back(
      is_copy(site.kind) ? "nothing is copied here"
      : writes ? fmt::format("the {} is left out here, and hits other memory without the check",
                             name_of(site.kind))
               : fmt::format("the {} gives 0 here, and any value without the check",
                             name_of(site.kind)));
  Findings::instance().report(finding);
}

} // namespace lockstep::runtime
