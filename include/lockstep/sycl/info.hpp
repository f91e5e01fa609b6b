// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The info queries of all objects (SYCL 2020, annex A). Each query is a type with a number, which
// identifies it to the library, and the type of its result.
#pragma once

#include "sycl/aspect.hpp"
#include "sycl/id.hpp"
#include "sycl/memory_enums.hpp"
#include "sycl/range.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {

namespace detail {
template <class Object> std::uint32_t count_references(const Object &to); // defined in object.hpp
template <class Query, class Object, class = void> inline constexpr bool answers_itself = false;
template <class Query, class Object>
inline constexpr bool
    answers_itself<Query, Object, std::void_t<decltype(Query::answer(std::declval<Object>()))>> =
        true;

// In place of a class, for the queries of functions with another name or with a device.
struct kernel_on_device;
struct profile_of_event;

// SYCL 1.2.1.
struct reference_count_query {
  using return_type = std::uint32_t;
  template <class Object> static return_type answer(const Object &of) {
    return count_references(of);
  }
};
} // namespace detail

class context;
class device;
class event;
class kernel;
class kernel_id;
class platform;

namespace info {

enum class device_type : int { cpu, gpu, accelerator, custom, automatic, host, all };
enum class event_command_status : int { submitted, running, complete };
enum class partition_property : int {
  no_partition,
  partition_equally,
  partition_by_counts,
  partition_by_affinity_domain,
};
enum class partition_affinity_domain : int {
  not_applicable,
  numa,
  L4_cache,
  L3_cache,
  L2_cache,
  L1_cache,
  next_partitionable,
};
enum class local_mem_type : int { none, local, global };
enum class fp_config : int {
  denorm,
  inf_nan,
  round_to_nearest,
  round_to_zero,
  round_to_inf,
  fma,
  correctly_rounded_divide_sqrt,
  soft_float,
};
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class execution_capability : int { exec_kernel, exec_native_kernel };

// LOCKSTEP_OBJECT: the class that has the queries that follow.
#define LOCKSTEP_QUERY(query, query_number, type)                                                  \
  struct query {                                                                                   \
    using return_type = type;                                                                      \
    using object = LOCKSTEP_OBJECT;                                                                \
    static constexpr int number = query_number;                                                    \
  }

#define LOCKSTEP_OBJECT sycl::platform
namespace platform {
LOCKSTEP_QUERY(version, 0, std::string);
LOCKSTEP_QUERY(name, 1, std::string);
LOCKSTEP_QUERY(vendor, 2, std::string);
LOCKSTEP_QUERY(extensions, 3, std::vector<std::string>);
LOCKSTEP_QUERY(profile, 4, std::string);
} // namespace platform
#undef LOCKSTEP_OBJECT

#define LOCKSTEP_OBJECT sycl::context
namespace context {
LOCKSTEP_QUERY(atomic_memory_order_capabilities, 0, std::vector<sycl::memory_order>);
LOCKSTEP_QUERY(atomic_fence_order_capabilities, 1, std::vector<sycl::memory_order>);
LOCKSTEP_QUERY(atomic_memory_scope_capabilities, 2, std::vector<sycl::memory_scope>);
LOCKSTEP_QUERY(atomic_fence_scope_capabilities, 3, std::vector<sycl::memory_scope>);
struct platform { // the header answers these two: context.hpp
  using return_type = sycl::platform;
};
struct devices {
  using return_type = std::vector<sycl::device>;
};
struct reference_count : detail::reference_count_query {};
} // namespace context
#undef LOCKSTEP_OBJECT

#define LOCKSTEP_OBJECT sycl::device
namespace device {
LOCKSTEP_QUERY(device_type, 0, info::device_type);
LOCKSTEP_QUERY(vendor_id, 1, std::uint32_t);
LOCKSTEP_QUERY(max_compute_units, 2, std::uint32_t);
LOCKSTEP_QUERY(max_work_item_dimensions, 3, std::uint32_t);
template <int Dimensions = 3> struct max_work_item_sizes {
  using return_type = sycl::range<Dimensions>;
  static constexpr int number = Dimensions == 3 ? 4 : 100 + Dimensions;
};
LOCKSTEP_QUERY(max_work_group_size, 5, std::size_t);
LOCKSTEP_QUERY(preferred_vector_width_char, 6, std::uint32_t);
LOCKSTEP_QUERY(preferred_vector_width_short, 7, std::uint32_t);
LOCKSTEP_QUERY(preferred_vector_width_int, 8, std::uint32_t);
LOCKSTEP_QUERY(preferred_vector_width_long, 9, std::uint32_t);
LOCKSTEP_QUERY(preferred_vector_width_float, 10, std::uint32_t);
LOCKSTEP_QUERY(preferred_vector_width_double, 11, std::uint32_t);
LOCKSTEP_QUERY(preferred_vector_width_half, 12, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_char, 13, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_short, 14, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_int, 15, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_long, 16, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_float, 17, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_double, 18, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_half, 19, std::uint32_t);
LOCKSTEP_QUERY(max_clock_frequency, 20, std::uint32_t);
LOCKSTEP_QUERY(address_bits, 21, std::uint32_t);
LOCKSTEP_QUERY(max_mem_alloc_size, 22, std::uint64_t);
LOCKSTEP_QUERY(image_support, 23, bool);
LOCKSTEP_QUERY(max_read_image_args, 24, std::uint32_t);
LOCKSTEP_QUERY(max_write_image_args, 25, std::uint32_t);
LOCKSTEP_QUERY(image2d_max_width, 26, std::size_t);
LOCKSTEP_QUERY(image2d_max_height, 27, std::size_t);
LOCKSTEP_QUERY(image3d_max_width, 28, std::size_t);
LOCKSTEP_QUERY(image3d_max_height, 29, std::size_t);
LOCKSTEP_QUERY(image3d_max_depth, 30, std::size_t);
LOCKSTEP_QUERY(image_max_buffer_size, 31, std::size_t);
LOCKSTEP_QUERY(max_samplers, 32, std::uint32_t);
LOCKSTEP_QUERY(max_parameter_size, 33, std::size_t);
LOCKSTEP_QUERY(mem_base_addr_align, 34, std::uint32_t);
LOCKSTEP_QUERY(half_fp_config, 35, std::vector<fp_config>);
LOCKSTEP_QUERY(single_fp_config, 36, std::vector<fp_config>);
LOCKSTEP_QUERY(double_fp_config, 37, std::vector<fp_config>);
LOCKSTEP_QUERY(global_mem_cache_type, 38, info::global_mem_cache_type);
LOCKSTEP_QUERY(global_mem_cache_line_size, 39, std::uint32_t);
LOCKSTEP_QUERY(global_mem_cache_size, 40, std::uint64_t);
LOCKSTEP_QUERY(global_mem_size, 41, std::uint64_t);
LOCKSTEP_QUERY(max_constant_buffer_size, 42, std::uint64_t);
LOCKSTEP_QUERY(max_constant_args, 43, std::uint32_t);
LOCKSTEP_QUERY(local_mem_type, 44, info::local_mem_type);
LOCKSTEP_QUERY(local_mem_size, 45, std::uint64_t);
LOCKSTEP_QUERY(error_correction_support, 46, bool);
LOCKSTEP_QUERY(host_unified_memory, 47, bool);
LOCKSTEP_QUERY(atomic_memory_order_capabilities, 48, std::vector<sycl::memory_order>);
LOCKSTEP_QUERY(atomic_fence_order_capabilities, 49, std::vector<sycl::memory_order>);
LOCKSTEP_QUERY(atomic_memory_scope_capabilities, 50, std::vector<sycl::memory_scope>);
LOCKSTEP_QUERY(atomic_fence_scope_capabilities, 51, std::vector<sycl::memory_scope>);
LOCKSTEP_QUERY(profiling_timer_resolution, 52, std::size_t);
LOCKSTEP_QUERY(is_endian_little, 53, bool);
LOCKSTEP_QUERY(is_available, 54, bool);
LOCKSTEP_QUERY(is_compiler_available, 55, bool);
LOCKSTEP_QUERY(is_linker_available, 56, bool);
LOCKSTEP_QUERY(execution_capabilities, 57, std::vector<execution_capability>);
LOCKSTEP_QUERY(queue_profiling, 58, bool);
LOCKSTEP_QUERY(built_in_kernels, 59, std::vector<std::string>);
LOCKSTEP_QUERY(name, 60, std::string);
LOCKSTEP_QUERY(vendor, 61, std::string);
LOCKSTEP_QUERY(driver_version, 62, std::string);
LOCKSTEP_QUERY(profile, 63, std::string);
LOCKSTEP_QUERY(version, 64, std::string);
LOCKSTEP_QUERY(backend_version, 65, std::string);
LOCKSTEP_QUERY(aspects, 66, std::vector<sycl::aspect>);
LOCKSTEP_QUERY(extensions, 67, std::vector<std::string>);
LOCKSTEP_QUERY(printf_buffer_size, 68, std::size_t);
LOCKSTEP_QUERY(preferred_interop_user_sync, 69, bool);
LOCKSTEP_QUERY(partition_max_sub_devices, 70, std::uint32_t);
LOCKSTEP_QUERY(partition_properties, 71, std::vector<partition_property>);
LOCKSTEP_QUERY(partition_affinity_domains, 72, std::vector<partition_affinity_domain>);
LOCKSTEP_QUERY(partition_type_property, 73, partition_property);
LOCKSTEP_QUERY(partition_type_affinity_domain, 74, partition_affinity_domain);
LOCKSTEP_QUERY(max_num_sub_groups, 75, std::uint32_t);
LOCKSTEP_QUERY(sub_group_sizes, 76, std::vector<std::size_t>);
LOCKSTEP_QUERY(sub_group_independent_forward_progress, 77, bool);
LOCKSTEP_QUERY(usm_device_allocations, 78, bool);
LOCKSTEP_QUERY(usm_host_allocations, 79, bool);
LOCKSTEP_QUERY(usm_shared_allocations, 80, bool);
LOCKSTEP_QUERY(usm_system_allocations, 81, bool);
LOCKSTEP_QUERY(usm_restricted_shared_allocations, 82, bool);
LOCKSTEP_QUERY(preferred_vector_width_long_long, 83, std::uint32_t);
LOCKSTEP_QUERY(native_vector_width_long_long, 84, std::uint32_t);
struct platform { // the header answers these: device.hpp
  using return_type = sycl::platform;
};
struct parent_device {
  using return_type = sycl::device;
};
struct built_in_kernel_ids { // defined in kernel_bundle.hpp
  using return_type = std::vector<sycl::kernel_id>;
};
struct reference_count : detail::reference_count_query {};
} // namespace device
#undef LOCKSTEP_OBJECT

namespace queue {
struct context { // the header answers these two: queue.hpp
  using return_type = sycl::context;
};
struct device {
  using return_type = sycl::device;
};
struct reference_count : detail::reference_count_query {};
} // namespace queue

#define LOCKSTEP_OBJECT sycl::kernel
namespace kernel {
LOCKSTEP_QUERY(num_args, 0, std::uint32_t);
LOCKSTEP_QUERY(attributes, 1, std::string);
LOCKSTEP_QUERY(function_name, 2, std::string); // SYCL 1.2.1
struct reference_count : detail::reference_count_query {};
} // namespace kernel
#undef LOCKSTEP_OBJECT

#define LOCKSTEP_OBJECT detail::kernel_on_device
namespace kernel_device_specific {
LOCKSTEP_QUERY(global_work_size, 0, range<3>);
LOCKSTEP_QUERY(work_group_size, 1, std::size_t);
LOCKSTEP_QUERY(compile_work_group_size, 2, range<3>);
LOCKSTEP_QUERY(preferred_work_group_size_multiple, 3, std::size_t);
LOCKSTEP_QUERY(private_mem_size, 4, std::size_t);
LOCKSTEP_QUERY(max_num_sub_groups, 5, std::uint32_t);
LOCKSTEP_QUERY(compile_num_sub_groups, 6, std::uint32_t);
LOCKSTEP_QUERY(max_sub_group_size, 7, std::uint32_t);
LOCKSTEP_QUERY(compile_sub_group_size, 8, std::uint32_t);
} // namespace kernel_device_specific
#undef LOCKSTEP_OBJECT
namespace kernel_work_group = kernel_device_specific; // SYCL 1.2.1

#define LOCKSTEP_OBJECT sycl::event
namespace event {
LOCKSTEP_QUERY(command_execution_status, 0, event_command_status);
struct reference_count : detail::reference_count_query {};
} // namespace event
#undef LOCKSTEP_OBJECT

#define LOCKSTEP_OBJECT detail::profile_of_event
namespace event_profiling {
LOCKSTEP_QUERY(command_submit, 0, std::uint64_t);
LOCKSTEP_QUERY(command_start, 1, std::uint64_t);
LOCKSTEP_QUERY(command_end, 2, std::uint64_t);
} // namespace event_profiling
#undef LOCKSTEP_OBJECT

#undef LOCKSTEP_QUERY

} // namespace info

namespace detail {

// Whether the library answers this query about a `Class`. Queries of extensions name no class.
template <class Query, class Class, class = void> inline constexpr bool has_class = true;
template <class Query, class Class>
inline constexpr bool has_class<Query, Class, std::void_t<typename Query::object>> =
    std::is_same_v<typename Query::object, Class>;
template <class Query, class Class, class = void> inline constexpr bool is_query_of = false;
template <class Query, class Class>
inline constexpr bool is_query_of<
    Query, Class, std::void_t<typename Query::return_type, decltype(int(Query::number))>> =
    has_class<Query, Class>;

template <class Query, class Object> typename Query::return_type ask(const Object &object) {
  typename Query::return_type answer{};
  object.get_info(Query::number, &answer);
  return answer;
}

} // namespace detail

} // namespace sycl
