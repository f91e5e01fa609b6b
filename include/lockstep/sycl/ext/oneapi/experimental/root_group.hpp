// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// root_group: all work-items of a launch as one group (extension sycl_ext_oneapi_root_group), and
// queries about launches of a kernel in a queue (sycl_ext_oneapi_launch_queries).
//
// The barrier works with any number of work-groups: waiting groups are suspended while others run
// (docs/forward_progress.md).
#pragma once

#include "sycl/detail/kernel_requirements.hpp"
#include "sycl/ext/oneapi/free_function_queries.hpp"
#include "sycl/info.hpp"

#define SYCL_EXT_ONEAPI_ROOT_GROUP 1
#define SYCL_EXT_ONEAPI_LAUNCH_QUERIES 1

namespace sycl {

namespace ext::oneapi::experimental {

template <int Dimensions> class root_group {
  template <execution_scope Scope>
  static constexpr bool of_points =
      Scope == execution_scope::work_item || Scope == execution_scope::work_group;
  template <bool Condition> using only_if = std::enable_if_t<Condition, int>;

public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::device;

  id<Dimensions> get_group_id() const { return id<Dimensions>(); }
  id<Dimensions> get_local_id() const { return item().get_global_id(); }
  range<Dimensions> get_group_range() const {
    if constexpr (Dimensions == 1)
      return range<1>(1);
    else if constexpr (Dimensions == 2)
      return range<2>(1, 1);
    else
      return range<3>(1, 1, 1);
  }
  range<Dimensions> get_local_range() const { return item().get_global_range(); }
  range<Dimensions> get_max_local_range() const { return get_local_range(); }
  std::size_t get_group_linear_id() const { return 0; }
  std::size_t get_local_linear_id() const { return item().get_global_linear_id(); }
  std::size_t get_group_linear_range() const { return 1; }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // Id of the enclosing part of this scope within the root group.
  template <execution_scope Scope, only_if<of_points<Scope>> = 0> id<Dimensions> get_id() const {
    if constexpr (Scope == execution_scope::work_item)
      return get_local_id();
    else
      return item().get_group().get_group_id();
  }
  template <execution_scope Scope, only_if<Scope == execution_scope::sub_group> = 0>
  id<1> get_id() const {
    return item().get_group_linear_id() * item().get_sub_group().get_group_linear_range() +
           item().get_sub_group().get_group_linear_id();
  }
  template <execution_scope Scope, only_if<of_points<Scope>> = 0>
  range<Dimensions> get_range() const {
    if constexpr (Scope == execution_scope::work_item)
      return get_local_range();
    else
      return item().get_group_range();
  }
  template <execution_scope Scope, only_if<Scope == execution_scope::sub_group> = 0>
  range<1> get_range() const {
    return item().get_group_range().size() * item().get_sub_group().get_group_linear_range();
  }
  template <execution_scope Scope> std::size_t get_linear_id() const {
    static_assert(Scope != execution_scope::root_group, "there is one root group");
    if constexpr (Scope == execution_scope::work_item)
      return get_local_linear_id();
    else if constexpr (Scope == execution_scope::work_group)
      return item().get_group_linear_id();
    else
      return get_id<Scope>()[0];
  }
  template <execution_scope Scope> std::size_t get_linear_range() const {
    static_assert(Scope != execution_scope::root_group, "there is one root group");
    return get_range<Scope>().size();
  }

private:
  static nd_item<Dimensions> item() { return this_work_item::get_nd_item<Dimensions>(); }
};

namespace this_work_item {
template <int Dimensions> root_group<Dimensions> get_root_group() {
  return root_group<Dimensions>();
}
} // namespace this_work_item
namespace this_kernel {
template <int Dimensions>
[[deprecated("use this_work_item::get_root_group()")]] root_group<Dimensions> get_root_group() {
  return root_group<Dimensions>();
}
} // namespace this_kernel

namespace info::kernel_queue_specific {

namespace of_kernel = sycl::info::kernel_device_specific;

struct max_work_group_size {
  template <class Kernel, class Queue>
  static std::size_t answer(const Kernel &kernel, const Queue &queue) {
    return kernel.template get_info<of_kernel::work_group_size>(queue.get_device());
  }
};
template <int Dimensions> struct max_work_item_sizes {
  template <class Kernel, class Queue>
  static id<Dimensions> answer(const Kernel &, const Queue &queue) {
    return queue.get_device()
        .template get_info<sycl::info::device::max_work_item_sizes<Dimensions>>();
  }
};
struct max_sub_group_size {
  template <class Kernel, class Queue, int Dimensions>
  static std::uint32_t answer(const Kernel &kernel, const Queue &queue, range<Dimensions>) {
    return kernel.template get_info<of_kernel::max_sub_group_size>(queue.get_device());
  }
};
struct num_sub_groups {
  template <class Kernel, class Queue, int Dimensions>
  static std::uint32_t answer(const Kernel &kernel, const Queue &queue, range<Dimensions> size) {
    const std::size_t lanes = max_sub_group_size::answer(kernel, queue, size);
    return static_cast<std::uint32_t>((size.size() + lanes - 1) / lanes);
  }
};
// There is no limit. Programs use the result as the number of groups that fill the device, so it is
// the number of device threads: then no group has to be suspended.
struct max_num_work_groups {
  template <class Kernel, class Queue, int Dimensions>
  static std::size_t answer(const Kernel &, const Queue &queue, range<Dimensions>,
                            std::size_t = 0) {
    return queue.get_device().template get_info<sycl::info::device::max_compute_units>();
  }
};
struct max_num_work_group_sync : max_num_work_groups { // earlier versions
  using max_num_work_groups::answer;
  template <class Kernel, class Queue>
  static std::size_t answer(const Kernel &kernel, const Queue &queue) {
    return answer(kernel, queue, range<1>(1));
  }
};

} // namespace info::kernel_queue_specific

} // namespace ext::oneapi::experimental

template <int Dimensions>
void group_barrier(ext::oneapi::experimental::root_group<Dimensions>,
                   memory_scope = memory_scope::device) {
  detail::root_barrier();
}

} // namespace sycl
