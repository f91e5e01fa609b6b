#include "api/sycl/device.h"

#include "api/sycl/device_filter.h"
#include "api/sycl/error.h"
#include "api/sycl/platform.h"

#include "compiler/options/code_options.h"
#include "platform/linux/leaked.h"
#include "runtime/memory/memory_space.h"
#include "sycl/aspect.hpp"

#include <algorithm>

namespace lockstep::sycl_api {

using sycl::info::partition_affinity_domain;
using sycl::info::partition_property;

const std::shared_ptr<Device> &first_device() {
  const auto &first = runtime::first_root_device(); // starts the runtime, in a child of fork() too
  return leaked([&first] {
    // Reads the compile options now, including those of the check, so that a later change of the
    // environment has no effect.
    (void)compiler::code_options_of_process();
    return std::make_shared<Device>(first);
  });
}

const std::vector<std::shared_ptr<Device>> &root_devices() {
  const auto &first = first_device();
  const DeviceFilter &filter = DeviceFilter::of_process();
  return leaked([&first, &filter] {
    std::vector<std::shared_ptr<Device>> made;
    std::size_t number = 0, number_of_nvidia = 0;
    const auto add = [&](const std::shared_ptr<runtime::Device> &device) {
      // Cards are the only devices with memory of their own.
      const bool is_nvidia = device->memory_space() != nullptr;
      if (filter.accepts({device->description().type, is_nvidia, number++,
                          is_nvidia ? number_of_nvidia++ : 0}))
        made.push_back(device == first->shared_runtime() ? first
                                                         : std::make_shared<Device>(device));
    };
    if (!first->runtime().memory_space() && !filter.accepts_some_card(1))
      add(first->shared_runtime());
    else
      std::ranges::for_each(runtime::root_devices(), add);
    return made;
  });
}

// Decision 0025. A card comes before the CPU, unless the kernels are to be checked or debugged, or
// the card does not work in this process.
int Device::score_as_default() const {
  const bool is_gpu = runtime().description().type == runtime::DeviceType::gpu;
  if (!runtime().is_available())
    return 0;
  const compiler::CodeOptions &options = compiler::code_options_of_process();
  const bool needs_cpu = options.is_checked() || options.debugger;
  return is_gpu && !(needs_cpu && runtime().memory_space()) ? 2 : 1;
}

const std::shared_ptr<Device> &default_device() {
  const auto &devices = root_devices();
  if (devices.empty())
    raise(sycl::errc::runtime,
          "ONEAPI_DEVICE_SELECTOR is '" + DeviceFilter::of_process().text() +
              "', which accepts no device of this machine (docs/environment.md)");
  return *std::ranges::max_element(devices, {},
                                   [](const auto &device) { return device->score_as_default(); });
}

const Device &device_behind(const sycl::detail::device_pointer &pointer) {
  return static_cast<const Device &>(*pointer);
}

const std::shared_ptr<runtime::Device> &Device::root() const {
  return parent_ ? parent_->root() : device_;
}

sycl::detail::platform_pointer Device::platform() const {
  return the_platform();
}

std::vector<sycl::aspect> aspects_of(const Device &device) {
  using sycl::aspect;
  std::vector<aspect> all = {aspect::fp16,
                             aspect::fp64,
                             aspect::atomic64,
                             aspect::online_compiler,
                             aspect::online_linker,
                             aspect::queue_profiling,
                             aspect::ext_oneapi_graph,
                             aspect::ext_oneapi_limited_graph,
                             aspect::ext_intel_device_info_uuid,
                             aspect::ext_oneapi_ballot_group,
                             aspect::ext_oneapi_fixed_size_group,
                             aspect::ext_oneapi_tangle_group,
                             aspect::ext_oneapi_opportunistic_group};
  switch (device.runtime().description().type) {
  case runtime::DeviceType::cpu:
    all.push_back(aspect::cpu);
    break;
  case runtime::DeviceType::gpu:
    all.push_back(aspect::gpu);
    break;
  case runtime::DeviceType::accelerator:
    all.push_back(aspect::accelerator);
    break;
  case runtime::DeviceType::custom:
    all.push_back(aspect::custom);
    break;
  }
  const auto &space = device.runtime().memory_space();
  if (!space || space->has_unified_addresses())
    all.insert(all.end(), {aspect::image, aspect::usm_device_allocations,
                           aspect::usm_host_allocations, aspect::usm_shared_allocations});
  if (!space) // the device works on the host's memory
    all.insert(all.end(), {aspect::host_debuggable, aspect::usm_atomic_host_allocations,
                           aspect::usm_atomic_shared_allocations, aspect::usm_system_allocations,
                           aspect::ext_intel_free_memory});
  return all;
}

bool Device::has(sycl::aspect what) const {
  const std::vector<sycl::aspect> all = aspects_of(*this);
  return std::find(all.begin(), all.end(), what) != all.end();
}

// ---- sub-devices (SYCL 2020, section 4.6.4.3)

Device::Pointers Device::made(Result<runtime::Device::Devices> devices,
                              const Partition &partition) const {
  if (!devices)
    raise(devices.error().kind == ErrorKind::unsupported ? sycl::errc::feature_not_supported
                                                         : sycl::errc::invalid,
          devices.error().message + " (SYCL 2020 section 4.6.4.1, create_sub_devices)");
  Pointers pointers;
  for (auto &device : *devices)
    pointers.push_back(std::make_shared<Device>(std::move(device), shared_from_this(), partition));
  return pointers;
}

Device::Pointers Device::partition(const std::vector<std::size_t> &counts) const {
  std::vector<unsigned> units(counts.begin(), counts.end());
  return made(device_->partition_by_counts(units), {partition_property::partition_by_counts, {}});
}

Device::Pointers Device::partition_equally(std::size_t units) const {
  return made(device_->partition_equally(static_cast<unsigned>(units)),
              {partition_property::partition_equally, {}});
}

Device::Pointers Device::partition(partition_affinity_domain by) const {
  using runtime::AffinityDomain;
  AffinityDomain domain = AffinityDomain::next_partitionable;
  switch (by) {
  case partition_affinity_domain::numa:
    domain = AffinityDomain::numa;
    break;
  case partition_affinity_domain::L4_cache:
    domain = AffinityDomain::l4_cache;
    break;
  case partition_affinity_domain::L3_cache:
    domain = AffinityDomain::l3_cache;
    break;
  case partition_affinity_domain::L2_cache:
    domain = AffinityDomain::l2_cache;
    break;
  case partition_affinity_domain::L1_cache:
    domain = AffinityDomain::l1_cache;
    break;
  case partition_affinity_domain::next_partitionable:
    break;
  case partition_affinity_domain::not_applicable:
    raise(sycl::errc::invalid,
          "not_applicable is not an affinity domain to make sub-devices by (SYCL "
          "2020 section 4.6.4.1)");
  }
  return made(device_->partition_by_domain(domain),
              {partition_property::partition_by_affinity_domain, by});
}

} // namespace lockstep::sycl_api
