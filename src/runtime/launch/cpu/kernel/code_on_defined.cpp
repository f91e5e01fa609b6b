// Chooses the code of a launch in the check for undefined values. If all bytes of the memory that a
// launch only reads are defined, the launch runs code that does not track the definedness of that
// memory.
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::runtime {

namespace {

bool may_overlap(const MemoryView &one, const MemoryView &other) {
  return one.data() < other.data() + other.size() && other.data() < one.data() + one.size();
}

bool is_written(const MemoryView &memory, std::span<const Access> all) {
  return std::any_of(all.begin(), all.end(), [&](const Access &access) {
    return writes(access.mode) && may_overlap(memory, access.memory);
  });
}

// True if the launch reads this memory by this argument, and writes it by no argument.
bool is_only_read(const Access &access, std::span<const Access> all,
                  const compiler::KernelInfo &kernel) {
  constexpr int32_t most_arguments = 64; // bits of Specialization::defined_arguments
  if (access.argument < 0 || access.argument >= most_arguments || writes(access.mode) ||
      !access.memory.buffer())
    return false;
  const compiler::KernelArg &argument = kernel.args[std::size_t(access.argument)];
  const bool is_image = argument.kind == compiler::ArgKind::image;
  if (is_image ? argument.access != "read_only"
               : argument.kind != compiler::ArgKind::global_pointer)
    return false;
  return !is_written(access.memory, all);
}

// True if both variants count and run groups in the same way.
bool run_alike(const compiler::KernelCode &one, const compiler::KernelCode &other) {
  return one.is_resumable() == other.is_resumable() && one.groups_at_once == other.groups_at_once &&
         one.calls_per_group == other.calls_per_group &&
         one.first_dimension == other.first_dimension &&
         one.local_memory_size == other.local_memory_size &&
         one.privatized_reductions == other.privatized_reductions;
}

// A launch of a few work-items takes less time than a compilation.
bool is_worth_code(const CpuKernel::Variant &code, uint64_t items) {
  constexpr uint64_t many_items = 4096, long_picoseconds = 100'000'000;
  return items >= many_items || code.picoseconds_per_item * items >= long_picoseconds;
}

} // namespace

// Whether memory is defined is known only when the launch begins, and code is compiled before that.
// So both variants are compiled.
Result<void> KernelLaunch::choose_code_on_defined(const CpuDevice &device, CpuKernel &kernel,
                                                  const compiler::Specialization &inner,
                                                  const compiler::Specialization *rest) {
  if (!observer_->wants_code_for_defined_memory() || enqueues_ ||
      !is_worth_code(*inner_,
                     launch_.global_size[0] * launch_.global_size[1] * launch_.global_size[2]))
    return {};
  uint64_t arguments = 0;
  auto codes = std::make_unique<CodesOnDefined>();
  for (const Access &access : accesses())
    if (is_only_read(access, accesses(), kernel.info())) {
      codes->reads.push_back(&access);
      arguments |= uint64_t(1) << access.argument;
    }
  if (!rest_ || !rest_->code->pointer_members.writes_elsewhere)
    codes->members = inner_->code->pointer_members.only_read;
  if (!arguments && !codes->members)
    return {};
  codes->on_any = {inner_, rest_};
  auto make = [&](compiler::Specialization wanted, const std::shared_ptr<CpuKernel::Variant> &any,
                  std::shared_ptr<CpuKernel::Variant> &made) -> Result<bool> {
    wanted.defined_arguments = arguments;
    wanted.defined_members = codes->members;
    auto variant = fitting_variant(device, kernel, wanted);
    LOCKSTEP_TRY(variant);
    made = std::move(*variant);
    return run_alike(*made->code, *any->code) &&
           made->code->stack_size <= device.limits().kernel_stack_bytes;
  };
  auto fits = make(inner, inner_, codes->on_defined.inner);
  if (fits && *fits && rest)
    fits = make(*rest, rest_, codes->on_defined.rest);
  if (!fits)
    return fits.take_error();
  if (*fits)
    on_defined_ = std::move(codes);
  else
    kernel.report_once(
        *codes->on_defined.inner,
        fmt::format("kernel {}: checks: what is only read is followed, defined or not: "
                    "code that does not would run groups in another way",
                    kernel.info().name));
  return {};
}

// Reads a pointer member of the function object, which is the kernel's first argument.
const std::byte *KernelLaunch::member(unsigned number) const {
  const std::byte *address = nullptr;
  std::memcpy(&address,
              arguments_.data() + kernel().args[0].offset + number * compiler::bytes_of_member,
              sizeof address);
  return address;
}

std::vector<const std::byte *> KernelLaunch::members(uint64_t wanted) const {
  std::vector<const std::byte *> all;
  for (; wanted; wanted &= wanted - 1)
    all.push_back(member(unsigned(std::countr_zero(wanted))));
  return all;
}

std::optional<std::vector<const std::byte *>> KernelLaunch::written_by_address() const {
  if (enqueues_)
    return std::nullopt;
  uint64_t written = 0;
  for (const auto &code : {inner_, rest_})
    if (code && code->code->pointer_members.writes_elsewhere)
      return reach() ? std::nullopt : std::optional(std::vector<const std::byte *>());
    else if (code)
      written |= code->code->pointer_members.written;
  return members(written);
}

// Checks whole memory objects, because the size that a member points to is unknown. No other
// pointer may write them.
bool KernelLaunch::members_are_defined(uint64_t wanted) const {
  MemoryObserver &all = memory_observer();
  const std::vector<const std::byte *> written = members(
      inner_->code->pointer_members.written | (rest_ ? rest_->code->pointer_members.written : 0));
  for (const std::byte *pointer : members(wanted)) {
    const std::span<const std::byte> memory = all.object_at(pointer);
    if (memory.empty())
      continue;
    const MemoryView view(memory.data(), memory.size());
    if (is_written(view, accesses()) ||
        std::any_of(
            written.begin(), written.end(),
            [&](const std::byte *other) { return all.object_at(other).data() == memory.data(); }) ||
        !all.is_defined(view, false))
      return false;
  }
  return true;
}

void KernelLaunch::begin_on_defined() {
  if (!on_defined_)
    return;
  const bool are_defined =
      std::all_of(on_defined_->reads.begin(), on_defined_->reads.end(),
                  [](const Access *access) {
                    return memory_observer().is_defined(access->memory, !access->is_placed);
                  }) &&
      members_are_defined(on_defined_->members);
  const auto &codes = are_defined ? on_defined_->on_defined : on_defined_->on_any;
  inner_ = codes.inner;
  rest_ = codes.rest;
}

} // namespace lockstep::runtime
