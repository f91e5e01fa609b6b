// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_ext_oneapi_group_load_store: the work-items of a group copy a piece of memory to their own
// variables, or back. Each call is a barrier of the group, before and after the accesses.
//
// With N elements per work-item, element i of work-item w is element w * N + i of the memory
// (data_placement_blocked, the default), or w + i * size of the group (data_placement_striped).
#pragma once

#include "sycl/ext/oneapi/properties/properties.hpp"
#include "sycl/group_barrier.hpp"
#include "sycl/group_functions.hpp"
#include "sycl/span.hpp"
#include "sycl/vec.hpp"

#include <cstddef>
#include <iterator>
#include <type_traits>

#define SYCL_EXT_ONEAPI_GROUP_LOAD_STORE 1

namespace sycl::ext::oneapi::experimental {

enum class data_placement_enum { blocked, striped };

struct data_placement_key : sycl::detail::property_lists::property_key<32> {
  template <data_placement_enum Placement>
  using value_t =
      property_value<data_placement_key, std::integral_constant<data_placement_enum, Placement>>;
};
template <data_placement_enum Placement>
inline constexpr data_placement_key::value_t<Placement> data_placement;
inline constexpr auto data_placement_blocked = data_placement<data_placement_enum::blocked>;
inline constexpr auto data_placement_striped = data_placement<data_placement_enum::striped>;

// Promises of the program that this implementation does not need.
struct contiguous_memory_key : sycl::detail::property_lists::property_key<33> {
  using value_t = property_value<contiguous_memory_key>;
};
inline constexpr contiguous_memory_key::value_t contiguous_memory;
struct full_group_key : sycl::detail::property_lists::property_key<34> {
  using value_t = property_value<full_group_key>;
};
inline constexpr full_group_key::value_t full_group;

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

template <class From, class To>
inline constexpr bool is_group_copy =
    std::is_convertible_v<From, To> && std::is_trivially_copyable_v<From> &&
    std::is_default_constructible_v<From> && std::is_trivially_copyable_v<To> &&
    std::is_default_constructible_v<To>;

template <class Iterator>
using element_of_iterator =
    std::remove_const_t<typename std::iterator_traits<Iterator>::value_type>;

template <class Group, class Iterator, class Properties>
using if_group_copy = std::enable_if_t<
    is_group_v<Group> && ext::oneapi::experimental::is_property_list_v<Properties> &&
        std::is_base_of_v<std::random_access_iterator_tag,
                          typename std::iterator_traits<Iterator>::iterator_category>,
    int>;

template <class Properties> constexpr bool is_striped() {
  namespace oneapi = ext::oneapi::experimental;
  if constexpr (Properties::template has_property<oneapi::data_placement_key>())
    return Properties::template get_property<oneapi::data_placement_key>() ==
           oneapi::data_placement_striped;
  else
    return false;
}

// Calls copy(i, j) for each element i of this work-item, which is element j of the memory.
template <class Properties, class Group, class Copy>
void for_each_group_element(const Group &group, std::size_t count, Copy copy) {
  const std::size_t number = group.get_local_linear_id(), size = group.get_local_linear_range();
  group_barrier(group);
  for (std::size_t i = 0; i < count; ++i)
    copy(i, is_striped<Properties>() ? number + i * size : number * count + i);
  group_barrier(group);
}

} // namespace sycl::detail

namespace sycl::ext::oneapi::experimental {

// ---- loads

template <class Group, class InputIteratorT, class OutputT, std::size_t ElementsPerWorkItem,
          class Properties = empty_properties_t,
          sycl::detail::if_group_copy<Group, InputIteratorT, Properties> = 0>
void group_load(Group group, InputIteratorT in, span<OutputT, ElementsPerWorkItem> out,
                Properties = {}) {
  static_assert(
      sycl::detail::is_group_copy<sycl::detail::element_of_iterator<InputIteratorT>, OutputT>,
      "elements must be trivially copyable, default constructible and convertible");
  sycl::detail::for_each_group_element<Properties>(
      group, ElementsPerWorkItem, [&](std::size_t i, std::size_t j) { out[i] = in[j]; });
}

template <class Group, class InputIteratorT, class OutputT, int Size,
          class Properties = empty_properties_t,
          sycl::detail::if_group_copy<Group, InputIteratorT, Properties> = 0>
void group_load(Group group, InputIteratorT in, vec<OutputT, Size> &out, Properties = {}) {
  static_assert(
      sycl::detail::is_group_copy<sycl::detail::element_of_iterator<InputIteratorT>, OutputT>,
      "elements must be trivially copyable, default constructible and convertible");
  sycl::detail::for_each_group_element<Properties>(
      group, Size, [&](std::size_t i, std::size_t j) { out[int(i)] = in[j]; });
}

template <class Group, class InputIteratorT, class OutputT, class Properties = empty_properties_t,
          sycl::detail::if_group_copy<Group, InputIteratorT, Properties> = 0>
std::enable_if_t<
    sycl::detail::is_group_copy<sycl::detail::element_of_iterator<InputIteratorT>, OutputT>>
group_load(Group group, InputIteratorT in, OutputT &out, Properties properties = {}) {
  group_load(group, in, span<OutputT, 1>(&out, 1), properties);
}

// ---- stores

template <class Group, class InputT, std::size_t ElementsPerWorkItem, class OutputIteratorT,
          class Properties = empty_properties_t,
          sycl::detail::if_group_copy<Group, OutputIteratorT, Properties> = 0>
void group_store(Group group, span<InputT, ElementsPerWorkItem> in, OutputIteratorT out,
                 Properties = {}) {
  static_assert(sycl::detail::is_group_copy<std::remove_const_t<InputT>,
                                            sycl::detail::element_of_iterator<OutputIteratorT>>,
                "elements must be trivially copyable, default constructible and convertible");
  sycl::detail::for_each_group_element<Properties>(
      group, ElementsPerWorkItem, [&](std::size_t i, std::size_t j) { out[j] = in[i]; });
}

template <class Group, class InputT, int Size, class OutputIteratorT,
          class Properties = empty_properties_t,
          sycl::detail::if_group_copy<Group, OutputIteratorT, Properties> = 0>
void group_store(Group group, const vec<InputT, Size> &in, OutputIteratorT out, Properties = {}) {
  static_assert(
      sycl::detail::is_group_copy<InputT, sycl::detail::element_of_iterator<OutputIteratorT>>,
      "elements must be trivially copyable, default constructible and convertible");
  sycl::detail::for_each_group_element<Properties>(
      group, Size, [&](std::size_t i, std::size_t j) { out[j] = InputT(in[int(i)]); });
}

template <class Group, class InputT, class OutputIteratorT, class Properties = empty_properties_t,
          sycl::detail::if_group_copy<Group, OutputIteratorT, Properties> = 0>
std::enable_if_t<
    sycl::detail::is_group_copy<InputT, sycl::detail::element_of_iterator<OutputIteratorT>>>
group_store(Group group, const InputT &in, OutputIteratorT out, Properties properties = {}) {
  group_store(group, span<const InputT, 1>(&in, 1), out, properties);
}

} // namespace sycl::ext::oneapi::experimental
