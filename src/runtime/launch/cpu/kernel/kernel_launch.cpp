#include "runtime/launch/cpu/kernel/kernel_launch.h"

#include "back_ends/cpu/host_functions/address_space_query.h"
#include "back_ends/cpu/host_functions/device_printf.h"
#include "platform/linux/subnormals.h"
#include "runtime/device/launch_names.h"
#include "runtime/device_enqueue/launch_enqueues.h"
#include "runtime/events/events.h"
#include "runtime/launch/cpu/diagnostics/fault_handling.h"
#include "runtime/launch/cpu/diagnostics/fault_place.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/local_size.h"
#include "runtime/launch/cpu/pool/worker.h"
#include "runtime/observers/observer.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace lockstep::runtime {

// ---- AlignedArguments

AlignedArguments::AlignedArguments(std::span<const std::byte> bytes) : size_(bytes.size()) {
  if (size_ > inline_size)
    large_ = static_cast<std::byte *>(::operator new(size_, std::align_val_t(128)));
  if (size_)
    std::memcpy(data(), bytes.data(), size_);
}

AlignedArguments::~AlignedArguments() {
  if (large_)
    ::operator delete(large_, std::align_val_t(128));
}

// ---- preparation

namespace {

using Size = std::array<uint64_t, 3>;

constexpr uint64_t alignment_of_local_memory = 128;

uint64_t round_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

std::string text(const Size &size) {
  return fmt::format("({}, {}, {})", size[0], size[1], size[2]);
}

Result<void> check_local_size(const compiler::KernelInfo &info, const DeviceLimits &limits,
                              const Size &local) {
  const auto &reqd = info.reqd_work_group_size;
  if (reqd[0] && local != Size{reqd[0], reqd[1], reqd[2]})
    return Error{ErrorKind::invalid_argument,
                 fmt::format("kernel '{}' requires a local size of ({}, {}, {}), not {}", info.name,
                             reqd[0], reqd[1], reqd[2], text(local))};
  uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    if (local[d] == 0)
      return Error{ErrorKind::invalid_argument,
                   fmt::format("the local size {} of kernel '{}' has a dimension of 0", text(local),
                               info.name)};
    if (local[d] > limits.max_work_item_sizes[d] ||
        (items *= local[d]) > limits.max_work_group_size)
      return Error{ErrorKind::out_of_resources,
                   fmt::format("a local size of {} is beyond the device's {} work-items a group",
                               text(local), limits.max_work_group_size)};
  }
  return {};
}

// Checks local pointer arguments before code is compiled for them.
Result<void> check_local_memory(const compiler::KernelInfo &info, const DeviceLimits &limits,
                                std::span<const compiler::LocalArgument> arguments) {
  uint64_t bytes = info.local_memory_size;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto same = [&](const auto &other) { return other.variable == arguments[i].variable; };
    if (std::none_of(arguments.begin(), arguments.begin() + std::ptrdiff_t(i), same))
      bytes = round_up(bytes, std::max(1u, arguments[i].alignment)) + arguments[i].bytes;
  }
  if (bytes <= limits.local_memory_bytes)
    return {};
  return Error{ErrorKind::out_of_resources,
               fmt::format("kernel '{}' needs {} bytes of local memory; the device has {}",
                           info.name, bytes, limits.local_memory_bytes)};
}

} // namespace

KernelLaunch::KernelLaunch(const compiler::KernelInfo &info, LaunchArguments &&arguments)
    : Launch(std::move(arguments.memories), arguments.reach), info_(&info),
      local_sizes_(arguments.local_sizes), arguments_(arguments.block),
      image_arguments_(std::move(arguments.images)), enqueues_(std::move(arguments.enqueues)) {
  launch_.args = arguments_.data();
  launch_.enqueues = enqueues_.get();
}

// The CPU uses host memory, so these are host addresses.
void KernelLaunch::place_memories() {
  for (const Access &access : accesses()) {
    if (access.argument < 0 || access.is_placed)
      continue;
    const void *address = access.memory.data();
    std::memcpy(arguments_.data() + kernel().args[access.argument].offset, &address,
                sizeof address);
  }
}

// Local pointer arguments are placed from offset `first` on, after the kernel's own local variables,
// each aligned for its pointee type; the argument block gets the offsets of the first copy.
void KernelLaunch::place_local_arguments(uint64_t first, uint64_t copies) {
  const compiler::KernelInfo &info = kernel();
  uint64_t end = first;
  for (std::size_t i = 0; i < info.args.size(); ++i) {
    const compiler::KernelArg &arg = info.args[i];
    if (arg.kind != compiler::ArgKind::local_pointer)
      continue;
    uint64_t offset = round_up(end, std::max(1u, arg.pointee_alignment));
    std::memcpy(arguments_.data() + arg.offset, &offset, sizeof offset);
    end = offset + (i < local_sizes_.size() ? local_sizes_[i] : 0);
  }
  const uint64_t distance = round_up(end - first, alignment_of_local_memory);
  launch_.local_argument_bytes = uint32_t(distance);
  local_memory_size_ = end + (copies - 1) * distance;
}

Result<void> KernelLaunch::check_local_arguments(const DeviceLimits &limits) const {
  if (local_memory_size_ <= limits.local_memory_bytes)
    return {};
  return Error{ErrorKind::out_of_resources,
               fmt::format("kernel '{}' needs {} bytes of local memory; the device has {}",
                           kernel().name, local_memory_size_, limits.local_memory_bytes)};
}

Result<void> KernelLaunch::set_geometry(const LaunchGeometry &geometry) {
  if (geometry.work_dim < 1 || geometry.work_dim > 3)
    return Error{ErrorKind::invalid_argument, "the number of dimensions is not 1, 2 or 3"};
  launch_.work_dim = geometry.work_dim;
  for (uint32_t d = 0; d < 3; ++d) {
    if (d >= geometry.work_dim) {
      launch_.global_offset[d] = 0;
      launch_.global_size[d] = launch_.local_size[d] = local_size_[d] = launch_.num_groups[d] = 1;
      continue;
    }
    const uint64_t global = launch_.global_size[d] = geometry.global_size[d];
    launch_.global_offset[d] = geometry.global_offset[d];
    launch_.local_size[d] = local_size_[d];
    launch_.num_groups[d] = global / local_size_[d] + (global % local_size_[d] != 0);
  }
  unsigned __int128 groups = launch_.num_groups[0];
  groups *= launch_.num_groups[1]; // a 64 x 64 bit product fits
  if (groups >> 64 || (groups * launch_.num_groups[2]) >> 64)
    return Error{ErrorKind::out_of_resources, "the launch has more than 2^64 work-groups"};
  group_count_ = uint64_t(groups) * launch_.num_groups[2];
  has_edges_ = false;
  for (int d = 0; d < 3; ++d) { // a division is cheap compared to a launch
    whole_groups_[d] = launch_.global_size[d] / local_size_[d];
    has_edges_ |= whole_groups_[d] != launch_.num_groups[d];
  }
  return {};
}

// The copies of local memory for each group of a call are within a limit of the compiler, and those
// of arguments within one of neighbors().
void KernelLaunch::place_copies_of_local_memory() {
  uint64_t bytes = std::max(kernel().local_memory_size, inner_->code->local_memory_size);
  if (rest_)
    bytes = std::max(bytes, rest_->code->local_memory_size);
  if (const uint64_t groups = step_[0] * step_[1] * step_[2];
      groups > 1 && launch_.local_argument_bytes != 0)
    place_local_arguments(round_up(bytes, alignment_of_local_memory), groups);
  local_memory_size_ = std::max(local_memory_size_, bytes);
}

Result<std::unique_ptr<KernelLaunch>> KernelLaunch::make(const CpuDevice &device, CpuKernel &kernel,
                                                         const LaunchGeometry &geometry,
                                                         LaunchArguments &&arguments) {
  const compiler::KernelInfo &info = kernel.info();
  if (arguments.block.size() != info.argument_block_size)
    return Error{ErrorKind::internal,
                 fmt::format("the argument block of kernel '{}' has {} bytes "
                             "instead of {}",
                             info.name, arguments.block.size(), info.argument_block_size)};
  if (!can_access(nullptr, arguments.memories))
    return Error{ErrorKind::unsupported,
                 fmt::format("kernel '{}' gets memory of another device", info.name)};
  LOCKSTEP_TRY(device.start());
  std::vector<compiler::LocalArgument> local_arguments = std::move(arguments.local_arguments);
  std::unique_ptr<KernelLaunch> launch(new KernelLaunch(info, std::move(arguments)));
  launch->local_size_ = geometry.local_size == Size{} ? kernel.expected_local_size(device, geometry)
                                                      : geometry.local_size;
  for (uint32_t d = geometry.work_dim; d < 3; ++d)
    launch->local_size_[d] = 1;
  LOCKSTEP_TRY(check_local_size(info, device.limits(), launch->local_size_));
  LOCKSTEP_TRY(launch->set_geometry(geometry));
  launch->workers_ = unsigned(device.compute_units());
  launch->place_memories();
  launch->place_local_arguments(info.local_memory_size, 1);
  LOCKSTEP_TRY(launch->check_local_arguments(device.limits()));
  launch->observer_ = runtime::observer().of_launch(info, launch->launch_, launch->accesses());
  if (launch->group_count_ == 0) {
    launch->info_of_empty_ = kernel.shared_info();
    return launch;
  }
  LOCKSTEP_TRY(check_local_memory(info, device.limits(), local_arguments));
  if (geometry.local_size == Size{} && kernel.may_expect_another(geometry))
    LOCKSTEP_TRY(launch->reconsider_local_size(device, kernel, geometry, local_arguments));
  LOCKSTEP_TRY(launch->choose_code(device, kernel, std::move(local_arguments)));
  launch->add_local_shadow();
  LOCKSTEP_TRY(launch->observer_->prepare({.code = *launch->inner_->code,
                                           .local_sizes = launch->local_sizes_,
                                           .has_local_memory = launch->local_memory_size_ != 0,
                                           .local_shadow_bytes = launch->local_shadow_bytes_,
                                           .workers = launch->workers_,
                                           .enqueues = launch->enqueues_.get()}));
  launch->local_sizes_ = {};
  return launch;
}

// Appends two areas of shadow memory, each as large as local memory (abi/memory_check_abi.h).
void KernelLaunch::add_local_shadow() {
  if (!observer_->has_shadow_of_local_memory())
    return;
  local_shadow_bytes_ = round_up(local_memory_size_, 256);
  local_memory_size_ = 3 * local_shadow_bytes_;
}

// ---- running

uint64_t KernelLaunch::expected_nanoseconds_per_part() const {
  uint64_t per_item = inner_->picoseconds_per_item.load(std::memory_order_relaxed);
  if (per_item == 0)
    return 0;
  return std::max<uint64_t>(1, per_item * items_of_part() / 1000);
}

uint64_t KernelLaunch::items_of_part() const {
  uint64_t items = 1;
  for (int d = 0; d < 3; ++d)
    items *= local_size_[d] * step_[d] / rows_[d];
  return items;
}

void KernelLaunch::measured(uint64_t parts, uint64_t nanoseconds) {
  const double items = double(parts) * double(items_of_part());
  const double now = std::clamp(1000.0 * double(nanoseconds) / items, 1.0, 4e9);
  // Moving average, so that one interrupted launch has little influence.
  auto &shared = inner_->picoseconds_per_item;
  const uint32_t before = shared.load(std::memory_order_relaxed);
  shared.store(before ? uint32_t((double(before) + now) / 2) : uint32_t(now),
               std::memory_order_relaxed);
}

// The loop for most launches, without any checks: for groups that take 7 ns, each check in the loop
// costs a tenth.
static void run_plain_groups(compiler::WorkGroupFunction function,
                             const compiler::LaunchInfo &launch, uint64_t count, const Size &step,
                             const Size &end, const std::array<uint8_t, 3> &dimensions,
                             compiler::GroupInfo &group) {
  uint64_t &id_in_row = group.group_id[dimensions[0]];
  const uint64_t row = end[dimensions[0]], step_in_row = step[dimensions[0]];
  for (;;) {
    do {
      function(&launch, &group);
      if (--count == 0)
        return;
    } while ((id_in_row += step_in_row) != row);
    id_in_row = 0;
    if (const int d = dimensions[1]; (group.group_id[d] += step[d]) == end[d]) {
      group.group_id[d] = 0;
      group.group_id[dimensions[2]] += step[dimensions[2]];
    }
  }
}

// Runs one call: `step` groups.
void KernelLaunch::run_call(compiler::WorkGroupFunction function,
                            const compiler::LaunchInfo &launch, RunGroup &group,
                            const Size &step) const {
  const bool is_listened_to = anyone_listens();
  if (is_listened_to)
    notify(&Listener::groups_begun, *this, group_of(group), step);
  if (local_shadow_bytes_)
    std::memset(static_cast<std::byte *>(group.local_memory) + local_shadow_bytes_, 0,
                2 * local_shadow_bytes_);
  function(&launch, &group);
  if (observer_->observes_groups())
    observer_->group_ended(group);
  if (launch.enqueues)
    launch.enqueues->group_ended(group);
  if (is_listened_to)
    notify(&Listener::groups_ended, *this, group_of(group), step);
}

// Runs the groups of a call that is not whole. If a group has several calls, the first runs it.
void KernelLaunch::run_rest(const compiler::LaunchInfo &launch, RunGroup &group) const {
  const compiler::KernelCode &code = *rest_->code;
  const Size call = std::to_array(group.group_id);
  Size first, end, step;
  for (int d = 0; d < 3; ++d) {
    if (call[d] % rows_[d] != 0)
      return;
    const uint64_t rows = code.calls_per_group[d], number = call[d] / rows_[d];
    first[d] = number * rows;
    end[d] = std::min(number + step_[d], launch_.num_groups[d]) * rows;
    step[d] = code.groups_at_once[d];
  }
  group.is_of_rest = true;
  for (uint64_t z = first[2]; z < end[2]; z += step[2])
    for (uint64_t y = first[1]; y < end[1]; y += step[1])
      for (uint64_t x = first[0]; x < end[0]; x += step[0]) {
        std::ranges::copy(Size{x, y, z}, group.group_id);
        if (has_edges_)
          set_local_size(group);
        run_call(code.function, launch, group, step);
      }
  group.is_of_rest = false;
  std::ranges::copy(call, group.group_id);
  std::copy_n(launch_.local_size, 3, group.local_size);
}

// The loop between receiving a chunk of work-groups and the kernel's code. Runs inside
// catch_faults, so it owns nothing.
void KernelLaunch::run_groups(const compiler::LaunchInfo &launch, uint64_t first, uint64_t last,
                              RunGroup &group) const {
  const compiler::WorkGroupFunction inner = inner_->code->function;
  const bool is_ascending = order_.is_ascending(), is_observed = observer_->observes_groups(),
             is_plain =
                 !anyone_listens() && !local_shadow_bytes_ && !is_observed && !launch.enqueues;
  set_id(is_ascending ? first : order_.group(first), group);
  if (is_ascending && !rest_ && is_plain)
    return run_plain_groups(inner, launch, last - first, step_, end_, dimensions_, group);
  for (uint64_t i = first;;) {
    if (rest_ && !is_whole_call(group))
      run_rest(launch, group);
    else if (is_plain)
      inner(&launch, &group);
    else
      run_call(inner, launch, group, step_);
    if (++i == last)
      break;
    if (!is_ascending) {
      set_id(order_.group(i), group);
      continue;
    }
    for (const int d : dimensions_) {
      if ((group.group_id[d] += step_[d]) != end_[d])
        break;
      group.group_id[d] = 0;
    }
  }
  if (is_observed)
    observer_->no_group_follows(group);
}

bool KernelLaunch::is_whole_call(const compiler::GroupInfo &group) const {
  return group.group_id[0] < whole_end_[0] && group.group_id[1] < whole_end_[1] &&
         group.group_id[2] < whole_end_[2];
}

void KernelLaunch::set_id(uint64_t number, compiler::GroupInfo &group) const {
  for (const int d : dimensions_) {
    group.group_id[d] = number % calls_[d] * step_[d];
    number /= calls_[d];
  }
}

// The group's ID as the program sees it.
std::array<uint64_t, 3> KernelLaunch::group_of(const RunGroup &group) const {
  Size id = std::to_array(group.group_id);
  for (int d = 0; d < 3; ++d)
    id[d] /= group.is_of_rest ? rest_->code->calls_per_group[d] : rows_[d];
  if (groups_of_row_ != 0)
    id = {id[1] * groups_of_row_ + id[0], 0, 0};
  return id;
}

// Sets the size of a group that may be at an edge; true if it is smaller than the others.
bool KernelLaunch::set_local_size(compiler::GroupInfo &group) const {
  bool is_smaller = false;
  for (int d = 0; d < 3; ++d) {
    uint64_t left = launch_.global_size[d] - group.group_id[d] * launch_.local_size[d];
    group.local_size[d] = std::min(left, launch_.local_size[d]);
    is_smaller |= left < launch_.local_size[d];
  }
  return is_smaller;
}

// ---- groups that wait

const ResumableLaunch *KernelLaunch::resumable() const {
  const bool waits =
      inner_ && (inner_->code->is_resumable() || (rest_ && rest_->code->is_resumable()));
  return waits ? this : nullptr;
}

ResumableLaunch::View KernelLaunch::view() const {
  const Size &local = local_size_;
  return {.launch = &launch_,
          .observer = observer_.get(),
          .kernel = &kernel(),
          .inner = inner_->code.get(),
          .edge = rest_ ? rest_->code.get() : nullptr,
          .order = &order_,
          .groups = group_count_,
          .items = local[0] * local[1] * local[2],
          .local_memory_bytes = local_memory_size_,
          .local_shadow_bytes = local_shadow_bytes_,
          .worker_limit = &inner_->worker_limit};
}

const compiler::KernelCode &KernelLaunch::set_group(uint64_t number,
                                                    compiler::GroupInfo &group) const {
  set_id(number, group);
  std::copy_n(launch_.local_size, 3, group.local_size);
  return rest_ && set_local_size(group) ? *rest_->code : *inner_->code;
}

static KernelMemory memory_of(const Buffer &root, long references) {
  return {.begin = root.data(),
          .size = root.size(),
          .is_host_visible = root.is_host_visible(),
          .users = unsigned(std::max(0L, references - root.handles()) + root.aliases())};
}

// Describes the memory that a waiting group polls. Memory that is neither a memory object, nor an
// allocation, nor a variable of the program is the host's (fine-grained system memory).
std::optional<KernelMemory> KernelLaunch::memory_at(const void *address) const {
  const auto *byte = static_cast<const std::byte *>(address);
  if (const auto known = Allocations::instance().find(address)) {
    KernelMemory memory = memory_of(*known->memory, known->memory.use_count());
    memory.users += CountsReach::count(known->kind);
    memory.kind = known->kind;
    return memory;
  }
  for (const Access &access : accesses()) {
    const std::shared_ptr<Buffer> *buffer = &access.memory.buffer();
    if (!*buffer)
      continue;
    while ((*buffer)->parent())
      buffer = &(*buffer)->parent();
    const Buffer &root = **buffer;
    if (byte >= root.data() && byte < root.data() + root.size())
      return memory_of(root, buffer->use_count());
  }
  if (inner_->code->variables)
    for (const compiler::ProgramVariable &variable : *inner_->code->variables)
      if (const auto *begin = static_cast<const std::byte *>(variable.address);
          byte >= begin && byte < begin + variable.size)
        return std::nullopt;
  return KernelMemory{.begin = byte, .size = 0, .is_host_visible = true};
}

std::string KernelLaunch::place_of(const Fault &fault) const {
  const bool is_access = (fault.signal == SIGSEGV || fault.signal == SIGBUS) && fault.has_address;
  return is_access && !fault.stack_overflow
             ? place_of_fault(fault.address, kernel(), launch_.args, accesses())
             : "";
}

const ResumableLaunch *resumable_of(const Command &command) {
  const Launch *launch = command.operation()->launch();
  return launch ? static_cast<const KernelLaunch *>(launch)->resumable() : nullptr;
}

// ---- groups that do not wait

Result<void> KernelLaunch::run(uint64_t first, uint64_t last) {
  auto memory = Worker::current()->local_memory(local_memory_size_);
  if (!memory)
    return memory.take_error();
  RunGroup group{};
  std::copy_n(launch_.local_size, 3, group.local_size);
  group.local_memory = *memory;
  compiler::thread_local_memory = {*memory, local_memory_size_};
  const compiler::LaunchInfo *launch = &launch_;
  if (copies_.any()) {
    auto own = copies_.begin(Worker::current()->copies(), launch_);
    LOCKSTEP_TRY(own);
    launch = *own;
  }
  auto loop = [&] { run_groups(*launch, first, last, group); };
  auto fault = with_subnormals(!kernel().denorms_are_zero, [&] { return catch_faults(loop); });
  if (!fault) {
    compiler::flush_device_printf(); // a thread that waits for the command finds its output written
    return observer_->outcome();
  }
  observer_->group_faulted(group);
  return error_of(*fault, shown_name(kernel()), group_of(group).data(), place_of(*fault));
}

void KernelLaunch::failed(const Error &error) {
  if (enqueues_)
    enqueues_->failed(error);
}

bool KernelLaunch::settles(Command &command, Result<void> &result) {
  return enqueues_ && enqueues_->ended(command, result);
}

void KernelLaunch::leave(bool has_failed) {
  if (copies_.any())
    copies_.end(Worker::current()->copies(), has_failed);
}

} // namespace lockstep::runtime
