// Device queries (SYCL 2020, section 4.6.4.2 and annex A.3) as a table.
#include "api/sycl/device.h"

#include "api/opencl/host_memory_features.h"
#include "api/opencl/image_limits.h"
#include "api/opencl/uuid.h"
#include "api/sycl/queries.h"
#include "driver/compile.h"
#include "front_ends/common/device_features.h"
#include "kernel_ir/limits.h"

#include "sycl/ext/intel/device_info.hpp"
#include "sycl/ext/oneapi/experimental/device_architecture.hpp"
#include "sycl/khr/max_work_group_queries.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::sycl_api {
sycl::info::device_type type_of(const Device &device) {
  switch (device.runtime().description().type) {
  case runtime::DeviceType::cpu:
    return sycl::info::device_type::cpu;
  case runtime::DeviceType::gpu:
    return sycl::info::device_type::gpu;
  case runtime::DeviceType::accelerator:
    return sycl::info::device_type::accelerator;
  case runtime::DeviceType::custom:
    break;
  }
  return sycl::info::device_type::custom;
}

namespace {

namespace info = sycl::info::device;
using sycl::memory_order;
using sycl::memory_scope;
using sycl::info::fp_config;

const runtime::DeviceLimits &limits(const Device &device) {
  return device.runtime().limits();
}
const runtime::DeviceDescription &description(const Device &device) {
  return device.runtime().description();
}

// Number of elements in the widest profitable vector register.
template <uint32_t Bytes> uint32_t native_width(const Device &device) {
  if (device.runtime().memory_space())
    return 1; // a work-item of a GPU computes with scalars
  return std::clamp<uint32_t>(device.runtime().code_options().target.vector_bits / 8 / Bytes, 1,
                              16);
}
// If the compiler vectorizes across work-items, scalar code is as fast as code with vector types.
template <uint32_t Bytes> uint32_t preferred_width(const Device &device) {
  return compiler::preferred_work_group_size_multiple({}, device.runtime().code_options()) > 1
             ? 1
             : native_width<Bytes>(device);
}

// If the processor has no half instructions, float arithmetic with rounding after each operation
// replaces them.
std::vector<fp_config> half_fp_configs(const Device &device) {
  std::vector<fp_config> all = {fp_config::denorm, fp_config::inf_nan, fp_config::round_to_nearest};
  if (device.runtime().code_options().target.half_arithmetic)
    all.push_back(fp_config::fma);
  return all;
}

// The maximum number of work-items (check_range in command_group.cpp).
constexpr std::size_t most_groups = std::size_t{1} << 62;
// Launches may have more work-groups in a dimension than this. But programs convert the number to
// an int (Kokkos, whose kernels had no work-items then).
template <int Dimensions> sycl::range<Dimensions> group_range(const Device &) {
  sycl::range<Dimensions> result;
  for (int d = 0; d < Dimensions; ++d)
    result[d] = INT32_MAX;
  return result;
}

template <int Dimensions> sycl::range<Dimensions> item_sizes(const Device &device) {
  const auto &sizes = limits(device).max_work_item_sizes;
  sycl::range<Dimensions> result;
  for (int d = 0; d < Dimensions; ++d)
    result[d] = sizes[Dimensions - 1 - d];
  return result;
}

std::vector<fp_config> fp_configs(bool rounds_divisions) {
  std::vector<fp_config> all = {fp_config::denorm, fp_config::inf_nan, fp_config::round_to_nearest,
                                fp_config::fma};
  if (rounds_divisions)
    all.push_back(fp_config::correctly_rounded_divide_sqrt);
  return all;
}

std::vector<memory_order> orders(const Device &) {
  return {memory_order::relaxed, memory_order::acquire, memory_order::release,
          memory_order::acq_rel, memory_order::seq_cst};
}
// The code of a card has the scope of the device where the program names that of the system.
std::vector<memory_scope> scopes(const Device &device) {
  std::vector<memory_scope> all = {memory_scope::work_item, memory_scope::sub_group,
                                   memory_scope::work_group, memory_scope::device};
  if (!device.runtime().memory_space())
    all.push_back(memory_scope::system);
  return all;
}

std::vector<std::size_t> sub_group_sizes(const Device &device) {
  const std::vector<uint32_t> sizes = device.runtime().code_options().sub_group_sizes();
  return {sizes.begin(), sizes.end()};
}

// On a CPU, a kernel whose lanes would wait for each other runs with sub-groups of one work-item.
std::size_t most_sub_groups(const Device &device) {
  const std::size_t items = limits(device).max_work_group_size;
  return device.runtime().memory_space() ? items / std::ranges::min(sub_group_sizes(device))
                                         : items;
}

std::vector<sycl::info::partition_affinity_domain> domains(const Device &device) {
  using sycl::info::partition_affinity_domain;
  std::vector<partition_affinity_domain> found;
  for (runtime::AffinityDomain domain : device.runtime().partition_domains()) {
    // Both enumerations have the same order.
    found.push_back(partition_affinity_domain(int(domain) + 1));
  }
  return found;
}
static_assert(int(sycl::info::partition_affinity_domain::numa) ==
                  int(runtime::AffinityDomain::numa) + 1 &&
              int(sycl::info::partition_affinity_domain::L1_cache) ==
                  int(runtime::AffinityDomain::l1_cache) + 1);

// A card cannot be divided.
uint32_t max_sub_devices(const Device &device) {
  return device.runtime().memory_space() ? 0 : device.runtime().compute_units();
}

std::vector<sycl::info::partition_property> partition_properties(const Device &device) {
  using sycl::info::partition_property;
  if (max_sub_devices(device) < 2)
    return {};
  std::vector<partition_property> all = {partition_property::partition_equally,
                                         partition_property::partition_by_counts};
  if (!device.runtime().partition_domains().empty())
    all.push_back(partition_property::partition_by_affinity_domain);
  return all;
}

template <class Query, auto Answer> constexpr QueryRow<Device> row() {
  return query_row<Query, Device, Answer>();
}
template <class Query, auto Value> constexpr QueryRow<Device> fixed() {
  return query_row<Query, Device, [](const Device &) { return Value; }>();
}
template <class Query, sycl::aspect Aspect> constexpr QueryRow<Device> has() {
  return query_row<Query, Device, [](const Device &device) { return device.has(Aspect); }>();
}
template <class Query> constexpr QueryRow<Device> nothing() { // an empty string or list
  return query_row<Query, Device, [](const Device &) { return typename Query::return_type(); }>();
}

constexpr QueryRow<Device> identity[] = {
    row<info::device_type, type_of>(),
    row<info::vendor_id, [](auto &d) { return description(d).vendor_id; }>(),
    row<info::name, [](auto &d) { return description(d).name; }>(),
    row<info::vendor, [](auto &d) { return description(d).vendor; }>(),
    row<info::driver_version, [](auto &) { return LOCKSTEP_VERSION; }>(),
    row<info::profile, [](auto &) { return "FULL_PROFILE"; }>(),
    row<info::version, [](auto &) { return "SYCL 2020"; }>(),
    row<info::backend_version, [](auto &) { return compiler::compiler_version(); }>(),
    row<info::aspects, aspects_of>(),
    row<info::extensions, [](auto &d) { return extension_names(&d.runtime()); }>(),
    nothing<info::built_in_kernels>(),
    fixed<info::is_available, true>(),
    fixed<info::is_compiler_available, true>(),
    fixed<info::is_linker_available, true>(),
};

constexpr QueryRow<Device> execution[] = {
    row<info::max_compute_units, [](auto &d) { return d.runtime().compute_units(); }>(),
    fixed<info::max_work_item_dimensions, 3>(),
    row<info::max_work_item_sizes<1>, item_sizes<1>>(),
    row<info::max_work_item_sizes<2>, item_sizes<2>>(),
    row<info::max_work_item_sizes<3>, item_sizes<3>>(),
    row<sycl::khr::info::device::max_work_group_range<1>, group_range<1>>(),
    row<sycl::khr::info::device::max_work_group_range<2>, group_range<2>>(),
    row<sycl::khr::info::device::max_work_group_range<3>, group_range<3>>(),
    fixed<sycl::khr::info::device::max_work_group_range_size, most_groups>(),
    row<info::max_work_group_size, [](auto &d) { return limits(d).max_work_group_size; }>(),
    row<info::preferred_vector_width_char, preferred_width<1>>(),
    row<info::preferred_vector_width_short, preferred_width<2>>(),
    row<info::preferred_vector_width_int, preferred_width<4>>(),
    row<info::preferred_vector_width_long, preferred_width<8>>(),
    row<info::preferred_vector_width_long_long, preferred_width<8>>(),
    row<info::preferred_vector_width_float, preferred_width<4>>(),
    row<info::preferred_vector_width_double, preferred_width<8>>(),
    row<info::preferred_vector_width_half, preferred_width<2>>(),
    row<info::native_vector_width_char, native_width<1>>(),
    row<info::native_vector_width_short, native_width<2>>(),
    row<info::native_vector_width_int, native_width<4>>(),
    row<info::native_vector_width_long, native_width<8>>(),
    row<info::native_vector_width_long_long, native_width<8>>(),
    row<info::native_vector_width_float, native_width<4>>(),
    row<info::native_vector_width_double, native_width<8>>(),
    row<info::native_vector_width_half, native_width<2>>(),
    row<info::max_clock_frequency, [](auto &d) { return description(d).max_clock_mhz; }>(),
    fixed<info::address_bits, 64>(),
    fixed<info::is_endian_little, true>(),
    row<info::max_parameter_size, [](auto &) { return compiler::max_argument_bytes; }>(),
    row<info::half_fp_config, half_fp_configs>(),
    row<info::single_fp_config, [](auto &) { return fp_configs(false); }>(),
    row<info::double_fp_config, [](auto &) { return fp_configs(true); }>(),
    row<info::atomic_memory_order_capabilities, orders>(),
    row<info::atomic_fence_order_capabilities, orders>(),
    row<info::atomic_memory_scope_capabilities, scopes>(),
    row<info::atomic_fence_scope_capabilities, scopes>(),
    fixed<info::profiling_timer_resolution, 1>(),
    fixed<info::queue_profiling, true>(),
    row<info::execution_capabilities,
        [](auto &) {
          return std::vector<sycl::info::execution_capability>{
              sycl::info::execution_capability::exec_kernel,
              sycl::info::execution_capability::exec_native_kernel};
        }>(),
    fixed<info::printf_buffer_size, (1 << 20)>(),
    fixed<info::preferred_interop_user_sync, true>(),
    row<info::max_num_sub_groups, most_sub_groups>(),
    row<info::sub_group_sizes, sub_group_sizes>(),
    fixed<info::sub_group_independent_forward_progress, true>(),
};

constexpr QueryRow<Device> memory[] = {
    row<info::max_mem_alloc_size, [](auto &d) { return limits(d).max_allocation_bytes; }>(),
    row<info::mem_base_addr_align,
        [](auto &d) { return limits(d).base_address_align_bytes * 8; }>(),
    row<info::global_mem_cache_type,
        [](auto &d) {
          return description(d).cache_bytes ? sycl::info::global_mem_cache_type::read_write
                                            : sycl::info::global_mem_cache_type::none;
        }>(),
    row<info::global_mem_cache_line_size,
        [](auto &d) { return description(d).cache_line_bytes; }>(),
    row<info::global_mem_cache_size, [](auto &d) { return description(d).cache_bytes; }>(),
    row<info::global_mem_size, [](auto &d) { return limits(d).global_memory_bytes; }>(),
    row<info::max_constant_buffer_size, [](auto &d) { return limits(d).max_allocation_bytes; }>(),
    row<info::max_constant_args, [](auto &) { return compiler::max_constant_arguments; }>(),
    row<info::local_mem_type,
        [](auto &d) {
          return d.runtime().memory_space() ? sycl::info::local_mem_type::local
                                            : sycl::info::local_mem_type::global;
        }>(),
    row<info::local_mem_size, [](auto &d) { return limits(d).local_memory_bytes; }>(),
    fixed<info::error_correction_support, false>(), // unknown
    row<info::host_unified_memory, [](auto &d) { return !d.runtime().memory_space(); }>(),
    has<info::usm_device_allocations, sycl::aspect::usm_device_allocations>(),
    has<info::usm_host_allocations, sycl::aspect::usm_host_allocations>(),
    has<info::usm_shared_allocations, sycl::aspect::usm_shared_allocations>(),
    has<info::usm_restricted_shared_allocations, sycl::aspect::usm_shared_allocations>(),
    has<info::usm_system_allocations, sycl::aspect::usm_system_allocations>(),
};

constexpr QueryRow<Device> partitions[] = {
    row<info::partition_max_sub_devices, max_sub_devices>(),
    row<info::partition_properties, partition_properties>(),
    row<info::partition_affinity_domains, domains>(),
    row<info::partition_type_property, [](auto &d) { return d.partition().by; }>(),
    row<info::partition_type_affinity_domain, [](auto &d) { return d.partition().domain; }>(),
};

// Memory that programs can still allocate: free memory and memory that the system can reclaim.
uint64_t free_memory(const Device &device) {
  if (!device.has(sycl::aspect::ext_intel_free_memory))
    raise(sycl::errc::feature_not_supported,
          "the device does not have the aspect of this query (sycl_ext_intel_device_info)");
  const uint64_t all = limits(device).global_memory_bytes;
  std::ifstream lines("/proc/meminfo");
  for (std::string name; lines >> name;) {
    uint64_t kibibytes = 0;
    if (name == "MemAvailable:" && lines >> kibibytes)
      return std::min(all, kibibytes * 1024);
    lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return all;
}

// An NVIDIA card's target has the name of its architecture, e.g. "sm_90".
sycl::ext::oneapi::experimental::architecture architecture_of(const Device &device) {
  using sycl::ext::oneapi::experimental::architecture;
  if (!device.runtime().memory_space()) { // the CPU
#if defined(__x86_64__)
    return architecture::x86_64;
#else
    return architecture::unknown;
#endif
  }
  constexpr std::pair<std::string_view, architecture> names[] = {
#define __SYCL_ARCHITECTURE(name, number) {#name, architecture::name},
#define __SYCL_ARCHITECTURE_ALIAS(alias, name)
#include "sycl/ext/oneapi/experimental/device_architecture.def"
#undef __SYCL_ARCHITECTURE
#undef __SYCL_ARCHITECTURE_ALIAS
  };
  const std::string name = "nvidia_gpu_" + device.runtime().code_options().target.cpu;
  const auto *found = std::ranges::find(names, std::string_view(name),
                                        &std::pair<std::string_view, architecture>::first);
  return found == std::end(names) ? architecture::unknown : found->second;
}

namespace intel = sycl::ext::intel::info::device;
template <class Query> constexpr QueryRow<Device> lacking() {
  return {Query::number, [](const Device &, void *) {
            raise(sycl::errc::feature_not_supported,
                  "the device does not have the aspect of this query (sycl_ext_intel_device_info)");
          }};
}
constexpr QueryRow<Device> of_extensions[] = {
    row<sycl::ext::oneapi::experimental::info::device::architecture, architecture_of>(),
    row<intel::free_memory, free_memory>(),
    row<intel::uuid, [](auto &d) { return opencl::uuid_of_device(description(d)); }>(),
    lacking<intel::device_id>(),
    lacking<intel::pci_address>(),
    lacking<intel::gpu_eu_simd_width>(),
    lacking<intel::gpu_eu_count>(),
    lacking<intel::gpu_slices>(),
    lacking<intel::gpu_subslices_per_slice>(),
    lacking<intel::gpu_eu_count_per_subslice>(),
    lacking<intel::gpu_hw_threads_per_eu>(),
    lacking<intel::max_mem_bandwidth>(),
    lacking<intel::memory_clock_rate>(),
    lacking<intel::memory_bus_width>(),
};

namespace image_limits = opencl::image_limits;
constexpr QueryRow<Device> images[] = {
    has<info::image_support, sycl::aspect::image>(),
    fixed<info::max_read_image_args, image_limits::read_arguments>(),
    fixed<info::max_write_image_args, image_limits::write_arguments>(),
    fixed<info::image2d_max_width, image_limits::size_2d>(),
    fixed<info::image2d_max_height, image_limits::size_2d>(),
    fixed<info::image3d_max_width, image_limits::size_3d>(),
    fixed<info::image3d_max_height, image_limits::size_3d>(),
    fixed<info::image3d_max_depth, image_limits::size_3d>(),
    fixed<info::image_max_buffer_size, image_limits::buffer_elements>(),
    fixed<info::max_samplers, image_limits::samplers>(),
};

} // namespace

void Device::get_info(int number, void *to) const {
  for (std::span<const QueryRow<Device>> rows :
       {std::span<const QueryRow<Device>>(identity), std::span<const QueryRow<Device>>(execution),
        std::span<const QueryRow<Device>>(memory), std::span<const QueryRow<Device>>(partitions),
        std::span<const QueryRow<Device>>(of_extensions)})
    for (const QueryRow<Device> &row : rows)
      if (row.number == number)
        return row.write(*this, to);
  answer_query<Device>(images, *this, number, to);
}

std::vector<std::string> extension_names(const runtime::Device *device) {
  std::vector<std::string> names;
  for (const compiler::NameVersion &one : compiler::device_extensions)
    if (!device || opencl::has_feature(*device, one.name))
      names.emplace_back(one.name);
  return names;
}

} // namespace lockstep::sycl_api
