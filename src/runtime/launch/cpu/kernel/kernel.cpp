#include "runtime/launch/cpu/kernel/kernel.h"

#include "runtime/device/launch_names.h"
#include "runtime/graph/thread_work.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/kernel/local_size.h"
#include "runtime/threads/background_work.h"

#include <algorithm>
#include <new>

namespace lockstep::runtime {

CpuKernel::CpuKernel(std::shared_ptr<compiler::ProgramCode> program,
                     std::shared_ptr<const compiler::KernelInfo> info, uint32_t preferred_multiple)
    : Kernel(std::move(info)), program_(std::move(program)),
      finished_sizes_(program_->finished_local_sizes(Kernel::info().name)),
      preferred_multiple_(preferred_multiple) {}

namespace {

// True if the compiler would make the same code for `wanted`. Launches that differ only in their
// number of groups then share it.
bool serves(const CpuKernel::Variant &variant, const compiler::Specialization &wanted) {
  if (variant.specialization == wanted)
    return true;
  compiler::Specialization of_neighbors = wanted;
  of_neighbors.neighbors = variant.specialization.neighbors;
  if (variant.specialization != of_neighbors)
    return false;
  for (int d = 0; d < 3; ++d) {
    const uint32_t runs = variant.code->groups_at_once[d],
                   offered = variant.specialization.neighbors[d];
    const bool would_run_more = wanted.neighbors[d] > offered && runs == offered;
    if (wanted.neighbors[d] % runs != 0 || would_run_more)
      return false;
  }
  return true;
}

} // namespace

std::shared_ptr<CpuKernel::Variant> CpuKernel::find(const compiler::Specialization &wanted) {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(variants_.begin(), variants_.end(),
                                  [&](const auto &variant) { return serves(*variant, wanted); });
  if (found == variants_.end())
    return nullptr;
  std::rotate(variants_.begin(), found, found + 1);
  return variants_.front();
}

void CpuKernel::report_once(Variant &unused, const std::string &remark) const {
  if (!unused.has_reported.exchange(true))
    program_->remark(remark);
}

Result<std::shared_ptr<CpuKernel::Variant>>
CpuKernel::variant(const compiler::Specialization &wanted) {
  if (auto known = find(wanted))
    return known;
  std::lock_guard compiling(compiling_);
  if (auto known = find(wanted))
    return known;
  auto code = [&] {
    const ThreadWork work(program_->is_finished(info().name, wanted) ? "load" : "compile",
                          shown_name(info()));
    return program_->kernel(info().name, wanted);
  }();
  if (!code)
    return code.take_error();
  auto added = std::make_shared<Variant>();
  added->specialization = wanted;
  added->info = shared_info();
  added->code = std::move(*code);
  std::shared_ptr<Variant> dropped; // destroyed without the lock
  std::lock_guard lock(mutex_);
  if (variants_.size() == most_variants) {
    dropped = std::move(variants_.back());
    variants_.pop_back();
  }
  variants_.insert(variants_.begin(), added);
  return added;
}

std::shared_ptr<CpuKernel::Variant>
CpuKernel::variant_if_made(const compiler::Specialization &wanted) {
  if (auto known = find(wanted))
    return known;
  {
    std::lock_guard lock(mutex_);
    if (std::ranges::find(in_background_, wanted) != in_background_.end())
      return nullptr;
    if (in_background_.size() == most_variants)
      in_background_.erase(in_background_.begin());
    in_background_.push_back(wanted);
  }
  // An error concerns no launch: each has other code.
  do_in_background(make_later_call([kernel = weak_from_this(), wanted] {
    try {
      if (const auto alive = kernel.lock())
        (void)bool(alive->variant(wanted));
    } catch (const std::bad_alloc &) {
    }
  }));
  return nullptr;
}

// ---- the kernel's interface

namespace {

LocalSizeLimits limits_of(const CpuKernel &kernel, const Device &device) {
  return {.max_group_size = device.limits().max_work_group_size,
          .max_item_sizes = device.limits().max_work_item_sizes,
          .workers = device.compute_units(),
          .sub_group_size = std::max(1u, kernel.preferred_multiple()),
          .stack_bytes = device.limits().kernel_stack_bytes};
}

} // namespace

Result<std::unique_ptr<Launch>> CpuKernel::prepare(const Device &device,
                                                   const LaunchGeometry &geometry,
                                                   LaunchArguments arguments) {
  auto launch = KernelLaunch::make(static_cast<const CpuDevice &>(device), *this, geometry,
                                   std::move(arguments));
  if (!launch)
    return launch.take_error();
  return std::unique_ptr<Launch>(std::move(*launch));
}

std::array<uint64_t, 3> CpuKernel::expected_local_size(const Device &device,
                                                       const LaunchGeometry &geometry) const {
  LocalSizeLimits limits = limits_of(*this, device);
  limits.prefers_squares = groups_ == Groups::squares;
  const auto usual = runtime::choose_local_size(info(), geometry, limits);
  return prefer_finished(usual, finished_sizes_, info(), geometry);
}

std::array<uint64_t, 3> CpuKernel::choose_local_size(const Device &device,
                                                     const LaunchGeometry &geometry) {
  const auto expected = expected_local_size(device, geometry);
  if (!may_expect_another(geometry))
    return expected;
  compiler::Specialization wanted;
  std::copy_n(expected.begin(), 3, wanted.local_size.begin());
  // An error is one of the launch, too, which reports it.
  const auto found = variant(wanted);
  if (!found)
    return expected;
  learn_local_size(*(*found)->code);
  return expected_local_size(device, geometry);
}

uint64_t CpuKernel::largest_group(const Device &device) const {
  return runtime::largest_group(info(), limits_of(*this, device));
}

Result<uint32_t> CpuKernel::sub_group_size(const std::array<uint32_t, 3> &local_size) {
  auto found = variant({local_size});
  if (!found)
    return found.take_error();
  return (*found)->code->sub_group_size;
}

} // namespace lockstep::runtime
