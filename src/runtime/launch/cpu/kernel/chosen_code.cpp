// Chooses the code that a launch runs: how many groups a call of it has, and the form that suits
// the launch.
#include "abi/assumptions.h"
#include "runtime/events/events.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/observers/observer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::runtime {

namespace {

Result<void> check_stack(const DeviceLimits &limits, const compiler::KernelCode &code) {
  if (code.stack_size <= limits.kernel_stack_bytes)
    return {};
  return Error{
      ErrorKind::out_of_resources,
      fmt::format("kernel '{}' needs {} bytes of private memory for a work-group; the device "
                  "has {}",
                  code.kernel_name, code.stack_size, limits.kernel_stack_bytes)};
}

// How many of `groups` one call may run: the largest power of two up to `most` that divides them. If
// that is less than `enough`, a larger one of which few groups are left.
uint64_t groups_of_call(uint64_t groups, uint64_t most, uint64_t enough, bool may_leave_some) {
  constexpr uint64_t part_left = 8; // one eighth
  uint64_t dividing = std::bit_floor(most);
  while (groups % dividing != 0)
    dividing /= 2;
  if (!may_leave_some || dividing >= enough)
    return dividing;
  uint64_t count = std::bit_floor(std::min(most, 2 * enough));
  while (count > dividing && groups % count * part_left > groups)
    count /= 2;
  return std::max(count, dividing);
}

std::array<uint8_t, 3> dimensions_from(uint32_t first) {
  switch (first) {
  case 1:
    return {1, 0, 2};
  case 2:
    return {2, 0, 1};
  default:
    return {0, 1, 2};
  }
}

} // namespace

// The neighbors in a call of inner_ that leave no groups.
std::array<uint32_t, 3> KernelLaunch::neighbors_of_rest() const {
  std::array<uint32_t, 3> counts = compiler::single_group;
  for (int d = 0; d < 3 && !has_edges_; ++d) {
    counts[d] = uint32_t(step_[d]);
    while (launch_.num_groups[d] % counts[d] != 0)
      counts[d] /= 2;
  }
  return counts;
}

// The number of groups that one call may run. Memory checks must know the group of each access, so
// they get one. For race checks, instrument-accesses reduces the number to one where it is needed.
std::array<uint32_t, 3> KernelLaunch::neighbors(unsigned workers) const {
  if (observer_->needs_single_groups())
    return compiler::single_group;
  constexpr uint32_t most = 16; // elements of a column in a cache line; other code takes fewer
  constexpr uint32_t widest_row = 256, widest_row_of_tiles = 1024;
  constexpr uint64_t enough_groups = 8, enough_items_of_row = 64;
  constexpr uint64_t calls_per_worker = 2; // so that waiting for the last call is short
  constexpr uint64_t most_local_bytes = 32 << 10;
  constexpr uint64_t many_items = 1 << 16; // fewer take less time than a compilation
  std::array<uint32_t, 3> counts = compiler::single_group;
  if ((has_edges_ && (!may_leave_groups_ || observer_->observes_groups())) ||
      std::ranges::count(whole_groups_, 0u) != 0 || group_count_ / 2 < calls_per_worker * workers)
    return counts;
  // Rows in dimension 0 may be narrow, also rows of tiles. Listeners get no events for rows of
  // tiles, so such rows are not used while one listens.
  uint64_t row = widest_row;
  if (local_size_[1] * local_size_[2] != 1)
    row = anyone_listens() ? 0 : widest_row_of_tiles;
  // The lanes of tiles may be along dimension 1.
  const uint64_t column = std::clamp<uint64_t>(row / local_size_[1], 1, most);
  const std::array<uint64_t, 3> most_of = {std::max<uint64_t>(row / local_size_[0], 1),
                                           local_size_[1] == 1 ? most : column,
                                           local_size_[2] == 1 ? most : 1};
  // Groups in rows have other numbers, for which there is no code for single groups.
  const bool may_leave_some =
      may_leave_groups_ && groups_of_row_ == 0 && !observer_->observes_groups() &&
      launch_.global_size[0] * launch_.global_size[1] * launch_.global_size[2] >= many_items;
  for (int d : {0, 1, 2}) {
    const uint64_t enough =
        d == 0 ? std::max(enough_groups, std::bit_ceil(enough_items_of_row / local_size_[0]))
               : enough_groups;
    auto count = uint32_t(groups_of_call(groups_of_row_ ? launch_.num_groups[d] : whole_groups_[d],
                                         most_of[d], enough, may_leave_some));
    while (count > 1 && group_count_ / count < calls_per_worker * workers)
      count /= 2;
    // All copies of local arguments should fit in the first cache.
    while (count > 1 && count * uint64_t{launch_.local_argument_bytes} > most_local_bytes)
      count /= 2;
    counts[d] = count;
  }
  return counts;
}

uint64_t
KernelLaunch::unprivatized_arguments(const CpuDevice &device,
                                     std::span<const compiler::PrivatizedReduction> wanted) const {
  if (wanted.empty())
    return 0;
  const uint64_t items = launch_.global_size[0] * launch_.global_size[1] * launch_.global_size[2];
  return PrivatizedReductions::unprivatized(
      wanted, {kernel(), arguments_.data(), accesses()},
      {.items = items, .workers = std::min<uint64_t>(device.compute_units(), group_count_)});
}

// Checked code may depend on launch-time assumptions, and other code may request privatized
// reductions. Compiles another variant if this launch does not fulfill them.
Result<std::shared_ptr<CpuKernel::Variant>>
KernelLaunch::fitting_variant(const CpuDevice &device, CpuKernel &kernel,
                              const compiler::Specialization &wanted) const {
  auto variant = kernel.variant(wanted);
  if (!variant)
    return variant;
  const uint64_t unprivatized =
      unprivatized_arguments(device, (*variant)->code->privatized_reductions);
  if (unprivatized == 0 && !(*variant)->code->assumptions) [[likely]]
    return variant;
  compiler::Specialization possible = wanted;
  if (unprivatized) {
    possible.unprivatized_arguments |= unprivatized;
    variant = kernel.variant(possible);
  }
  if (!variant || !(*variant)->code->assumptions)
    return variant;
  possible.failed_assumptions =
      observer_->failed_assumptions(*(*variant)->code->assumptions, local_sizes_);
  return possible.failed_assumptions ? kernel.variant(possible) : std::move(variant);
}

// 0: the groups are in one dimension.
void KernelLaunch::set_rows_of_groups(uint64_t columns) {
  groups_of_row_ = columns;
  launch_.num_groups[0] = columns ? columns : group_count_;
  launch_.num_groups[1] = columns ? group_count_ / columns : 1;
}

// How many groups are one row, of which the launch has several; 0: there are no such rows.
uint64_t KernelLaunch::groups_of_row(const compiler::KernelCode &code) const {
  const compiler::RowOfGroups &row = code.row_of_groups;
  constexpr uint64_t most_items = uint64_t{1} << 31;
  if (row.factors.empty() || has_edges_ || group_count_ != launch_.num_groups[0] ||
      launch_.global_size[0] >= most_items)
    return 0;
  unsigned __int128 product = 1;
  for (const compiler::ArgumentNumber &factor : row.factors) {
    uint64_t number = 0;
    std::memcpy(&number, arguments_.data() + factor.offset, factor.size);
    product *= number;
    if (number == 0 || product >= most_items)
      return 0;
  }
  if (row.is_exact && uint64_t(product) % row.divisor != 0)
    return 0;
  const uint64_t columns = uint64_t(product) / row.divisor;
  return columns != 0 && columns != group_count_ && group_count_ % columns == 0 ? columns : 0;
}

// Chooses code for groups in rows, if it runs groups of several rows at once.
Result<void> KernelLaunch::choose_rows_of_groups(const CpuDevice &device, CpuKernel &kernel,
                                                 compiler::Specialization &wanted) {
  constexpr uint64_t many_groups = 64; // fewer take less time than a compilation
  const uint64_t columns = group_count_ < many_groups ? 0 : groups_of_row(*inner_->code);
  if (columns == 0 || anyone_listens() || observer_->observes_groups() ||
      kernel.has_finished_code(wanted))
    return {};
  set_rows_of_groups(columns);
  compiler::Specialization in_rows = wanted;
  in_rows.groups_in_rows = true;
  in_rows.neighbors = neighbors(device.compute_units());
  if (in_rows.neighbors[1] == 1) {
    set_rows_of_groups(0);
    return {};
  }
  auto variant = fitting_variant(device, kernel, in_rows);
  LOCKSTEP_TRY(variant);
  if ((*variant)->code->groups_at_once[1] != 1 && !(*variant)->code->is_resumable()) {
    inner_ = std::move(*variant);
    wanted = std::move(in_rows);
  } else {
    set_rows_of_groups(0);
  }
  return {};
}

// Chooses code whose additions to a counter are batched, if many short groups contend for it. The
// first launch does not, since it does not know how long they take. Later ones do once the code is
// compiled.
void KernelLaunch::choose_batched_updates(const CpuDevice &device, CpuKernel &kernel,
                                          compiler::Specialization &wanted) {
  constexpr uint64_t many_groups = 256; // for each worker; fewer are not worth a compilation
  // Nanoseconds for each worker. An addition takes 50 to 100 while others contend, so groups that
  // take longer than this do not wait for each other's additions.
  constexpr uint64_t longest_group = 150;
  const uint64_t workers = device.compute_units();
  if (!inner_->code->adds_to_counter || wanted.groups_in_rows || has_edges_ || workers == 1 ||
      group_count_ < many_groups * workers || kernel.has_finished_code(wanted))
    return;
  const uint64_t per_group = inner_->picoseconds_per_item.load(std::memory_order_relaxed) *
                             (local_size_[0] * local_size_[1] * local_size_[2]) / 1000;
  if (per_group == 0 || per_group > longest_group * workers)
    return;
  compiler::Specialization batched = wanted;
  batched.batched_updates = true;
  batched.neighbors = compiler::single_group;
  auto variant = kernel.variant_if_made(batched);
  if (!variant || !variant->code->resumable.may_batch_updates || variant->code->assumptions)
    return;
  inner_ = std::move(variant);
  wanted = std::move(batched);
}

compiler::Specialization
KernelLaunch::wanted_code(const CpuDevice &device,
                          std::vector<compiler::LocalArgument> local_arguments,
                          uint64_t unprivatized_arguments) const {
  compiler::Specialization wanted{
      {uint32_t(local_size_[0]), uint32_t(local_size_[1]), uint32_t(local_size_[2])},
      neighbors(device.compute_units()),
      std::move(local_arguments),
      image_arguments_,
      0,
      unprivatized_arguments};
  wanted.has_no_offset = std::ranges::count(launch_.global_offset, 0u) == 3;
  return wanted;
}

// The first launch without a local size compiles the kernel for the usual one. Its code says whether
// another one suits the kernel better.
Result<void>
KernelLaunch::reconsider_local_size(const CpuDevice &device, CpuKernel &kernel,
                                    const LaunchGeometry &geometry,
                                    const std::vector<compiler::LocalArgument> &local_arguments) {
  auto code = fitting_variant(device, kernel, wanted_code(device, local_arguments, 0));
  LOCKSTEP_TRY(code);
  kernel.learn_local_size(*(*code)->code);
  local_size_ = kernel.expected_local_size(device, geometry);
  return set_geometry(geometry);
}

// Counts the calls that inner_ needs.
void KernelLaunch::set_calls() {
  call_count_ = 1;
  leaves_groups_ = false;
  for (int d = 0; d < 3; ++d) {
    step_[d] = inner_->code->groups_at_once[d];
    rows_[d] = inner_->code->calls_per_group[d];
    const uint64_t whole = groups_of_row_ ? launch_.num_groups[d] : whole_groups_[d];
    leaves_groups_ |= whole % step_[d] != 0;
    whole_end_[d] = whole / step_[d] * step_[d] * rows_[d];
    calls_[d] = (launch_.num_groups[d] * rows_[d] + step_[d] - 1) / step_[d];
    end_[d] = calls_[d] * step_[d];
    call_count_ *= calls_[d];
  }
  dimensions_ = dimensions_from(inner_->code->first_dimension);
}

Result<void> KernelLaunch::choose_code(const CpuDevice &device, CpuKernel &kernel,
                                       std::vector<compiler::LocalArgument> local_arguments,
                                       uint64_t unprivatized_arguments) {
  compiler::Specialization wanted =
      wanted_code(device, std::move(local_arguments), unprivatized_arguments);
  auto inner = fitting_variant(device, kernel, wanted);
  if (!inner)
    return inner.take_error();
  inner_ = std::move(*inner);
  LOCKSTEP_TRY(choose_rows_of_groups(device, kernel, wanted));
  choose_batched_updates(device, kernel, wanted);
  LOCKSTEP_TRY(check_stack(device.limits(), *inner_->code));
  set_calls();
  order_ = GroupOrder::from_environment(call_count_);
  std::vector<compiler::PrivatizedReduction> copies = inner_->code->privatized_reductions;
  compiler::Specialization wanted_of_rest = wanted;
  if (has_edges_ || leaves_groups_) {
    wanted_of_rest.neighbors = neighbors_of_rest();
    if (has_edges_)
      wanted_of_rest.local_size = {0, 0, 0};
    auto rest = fitting_variant(device, kernel, wanted_of_rest);
    LOCKSTEP_TRY(rest);
    const compiler::KernelCode &code = *(*rest)->code;
    // One worker runs both codes with the same arguments, so they must agree on the copies.
    auto both = PrivatizedReductions::of_both(copies, code.privatized_reductions);
    const bool has_other_copies = !both;
    if (may_leave_groups_ && call_count_ != group_count_ &&
        (has_other_copies || code.is_resumable() || !check_stack(device.limits(), code))) {
      may_leave_groups_ = false;
      return choose_code(device, kernel, std::move(wanted.local_arguments), unprivatized_arguments);
    }
    if (has_other_copies && unprivatized_arguments != compiler::all_copies)
      return choose_code(device, kernel, std::move(wanted.local_arguments), compiler::all_copies);
    LOCKSTEP_TRY(check_stack(device.limits(), code));
    copies = std::move(both).value_or(std::vector<compiler::PrivatizedReduction>());
    rest_ = std::move(*rest);
  }
  place_copies_of_local_memory();
  if (!copies.empty())
    copies_.set(copies, {kernel.info(), arguments_.data(), accesses()});
  return choose_code_on_defined(device, kernel, wanted, rest_ ? &wanted_of_rest : nullptr);
}

} // namespace lockstep::runtime
