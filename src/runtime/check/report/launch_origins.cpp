#include "runtime/check/report/launch_origins.h"

#include "kernel_ir/kernel_info.h"
#include "platform/linux/leaked.h"
#include "runtime/check/report/work_item_ids.h"
#include "runtime/device/launch_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lockstep::runtime {

LaunchOrigins &LaunchOrigins::instance() {
  return leaked<AfterFork::make_again>([] { return new LaunchOrigins; });
}

void LaunchOrigins::add(const compiler::LaunchInfo &launch) {
  CallSite site = CallSite::here();
  std::lock_guard lock(mutex_);
  origins_[&launch] = {++launches_, std::move(site)};
}

void LaunchOrigins::remove(const compiler::LaunchInfo &launch) {
  std::lock_guard lock(mutex_);
  origins_.erase(&launch);
}

std::string LaunchOrigins::text_of(const compiler::KernelInfo &kernel,
                                   const compiler::LaunchInfo &launch) {
  Origin origin;
  {
    std::lock_guard lock(mutex_);
    if (const auto found = origins_.find(&launch); found != origins_.end())
      origin = found->second;
  }
  auto sizes = [&](const uint64_t (&all)[3]) {
    std::array<uint64_t, 3> each{};
    std::copy_n(all, each.size(), each.begin());
    return ids_text(each, launch.work_dim, is_sycl(kernel));
  };
  const bool is_one = launch.global_size[0] * launch.global_size[1] * launch.global_size[2] == 1;
  std::string text = origin.number ? fmt::format("launch {}: ", origin.number) : "launch of ";
  text += fmt::format("{} work-item{}", sizes(launch.global_size), is_one ? "" : "s");
  if (!kernel.is_over_range)
    text += fmt::format(" in groups of {}", sizes(launch.local_size));
  if (const std::string place = origin.site.text(); !place.empty())
    text += fmt::format(", enqueued {} {}", place.front() == '\'' ? "by" : "at", place);
  return text;
}

} // namespace lockstep::runtime
