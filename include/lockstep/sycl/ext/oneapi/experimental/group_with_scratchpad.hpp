// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// group_with_scratchpad (extension sycl_ext_oneapi_group_sort): a group, and memory that the
// program provides for a group algorithm.
#pragma once

#include "sycl/span.hpp"

#include <cstddef>
#include <type_traits>

namespace sycl::ext::oneapi::experimental {

template <class Group, std::size_t Extent> class group_with_scratchpad {
public:
  group_with_scratchpad(Group group, sycl::span<std::byte, Extent> scratch)
      : group_(group), scratch_(scratch) {}
  Group get_group() const { return group_; }
  sycl::span<std::byte, Extent> get_memory() const { return scratch_; }

private:
  Group group_;
  sycl::span<std::byte, Extent> scratch_;
};
template <class Group, std::size_t Extent>
group_with_scratchpad(Group, sycl::span<std::byte, Extent>) -> group_with_scratchpad<Group, Extent>;

template <class T> struct is_group_helper : std::false_type {};
template <class Group, std::size_t Extent>
struct is_group_helper<group_with_scratchpad<Group, Extent>> : std::true_type {};
template <class T> inline constexpr bool is_group_helper_v = is_group_helper<T>::value;

} // namespace sycl::ext::oneapi::experimental
