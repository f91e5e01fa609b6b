// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Forward progress guarantees of work-items and groups (extension
// sycl_ext_oneapi_forward_progress). All of them make progress concurrently
// (docs/forward_progress.md explains how). So the device meets every requested guarantee, with one
// exception: if a kernel requires a sub-group size, its work-items are lanes that execute in
// lockstep.
#pragma once

#include "sycl/ext/oneapi/kernel_properties/properties.hpp"

#include <vector>

#define SYCL_EXT_ONEAPI_FORWARD_PROGRESS 1

namespace sycl::ext::oneapi::experimental {

enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };
enum class execution_scope { work_item, sub_group, work_group, root_group };

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

struct progress_query { // device::get_info answers it
  using forward_progress_guarantee = ext::oneapi::experimental::forward_progress_guarantee;
  using return_type = std::vector<forward_progress_guarantee>;
  template <class Device> static return_type answer(const Device &) {
    return {forward_progress_guarantee::concurrent, forward_progress_guarantee::parallel,
            forward_progress_guarantee::weakly_parallel};
  }
};

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

#define LOCKSTEP_PROGRESS(of, number)                                                              \
  namespace info::device {                                                                         \
  template <execution_scope Coordination>                                                          \
  struct of##_progress_capabilities : sycl::detail::progress_query {                               \
    static_assert(Coordination > execution_scope::of, "the scope is that of a larger group");      \
  };                                                                                               \
  }                                                                                                \
  struct of##_progress_key : sycl::detail::property_lists::property_key<number> {                  \
    template <forward_progress_guarantee Guarantee, execution_scope Coordination>                  \
    using value_t = property_value<of##_progress_key,                                              \
                                   std::integral_constant<forward_progress_guarantee, Guarantee>,  \
                                   std::integral_constant<execution_scope, Coordination>>;         \
  };                                                                                               \
  template <forward_progress_guarantee Guarantee, execution_scope Coordination>                    \
  struct property_value<of##_progress_key,                                                         \
                        std::integral_constant<forward_progress_guarantee, Guarantee>,             \
                        std::integral_constant<execution_scope, Coordination>> {                   \
    using key_t = of##_progress_key;                                                               \
    static_assert(Coordination > execution_scope::of, "the scope is that of a larger group");      \
    static constexpr forward_progress_guarantee guarantee = Guarantee;                             \
    static constexpr execution_scope coordinationScope = Coordination;                             \
  };                                                                                               \
  template <forward_progress_guarantee Guarantee, execution_scope Coordination>                    \
  inline constexpr of##_progress_key::value_t<Guarantee, Coordination> of##_progress;
LOCKSTEP_PROGRESS(work_group, 20)
LOCKSTEP_PROGRESS(sub_group, 21)
LOCKSTEP_PROGRESS(work_item, 22)
#undef LOCKSTEP_PROGRESS

} // namespace sycl::ext::oneapi::experimental
