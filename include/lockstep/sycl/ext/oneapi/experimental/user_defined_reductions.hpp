// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of a group with any function object (extension
// sycl_ext_oneapi_user_defined_reductions), in scratch memory that the program provides:
// sizeof(T) bytes for each work-item of the group.
//
// Values are combined in the order of the work-items.
#pragma once

#include "sycl/ext/oneapi/experimental/group_with_scratchpad.hpp"
#include "sycl/group_functions.hpp"

#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

#define SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS 1

namespace sycl {
namespace detail {

// One value for each work-item. The memory need not be aligned.
template <class T> class scratch_values {
  std::byte *memory_;

public:
  static_assert(std::is_trivially_copyable_v<T>,
                "values of a reduction in scratch memory must be trivially copyable "
                "(sycl_ext_oneapi_user_defined_reductions)");
  explicit scratch_values(std::byte *memory) : memory_(memory) {}
  // Assigns the value at `index`. T need not have a default constructor.
  void read(std::size_t index, T &into) const {
    std::memcpy(static_cast<void *>(&into), memory_ + index * sizeof(T), sizeof(T));
  }
  void write(std::size_t index, const T &value) const {
    std::memcpy(memory_ + index * sizeof(T), static_cast<const void *>(&value), sizeof(T));
  }
};

// Combines the values of the first `count` work-items of the group; `count` is at least 1. All
// work-items of the group call it.
template <class Group, class T, class Function>
T reduce_in_scratch(const Group &of, std::byte *memory, T own, std::size_t count,
                    Function combine) {
  const scratch_values<T> values(memory);
  const std::size_t index = of.get_local_linear_id();
  if (index < count)
    values.write(index, own);
  T other = own;
  for (std::size_t distance = 1; distance < count; distance *= 2) {
    group_barrier(of);
    if (index % (2 * distance) == 0 && index + distance < count) {
      values.read(index + distance, other);
      own = combine(own, other);
      values.write(index, own);
    }
  }
  group_barrier(of);
  values.read(0, own);
  group_barrier(of); // the program may reuse the memory
  return own;
}

// Reductions that the specification computes without the scratch memory.
template <class T, class Function>
inline constexpr bool is_reduced_by_group =
    std::is_arithmetic_v<T> && has_known_identity_v<Function, T>;

} // namespace detail

namespace ext::oneapi::experimental {

template <class Helper, class T, class Function,
          std::enable_if_t<is_group_helper_v<Helper>, int> = 0>
T reduce_over_group(Helper of, T value, Function combine) {
  const auto group = of.get_group();
  if constexpr (sycl::detail::is_reduced_by_group<T, Function>)
    return sycl::reduce_over_group(group, value, combine);
  else
    return sycl::detail::reduce_in_scratch(group, of.get_memory().data(), value,
                                           group.get_local_linear_range(), combine);
}
template <class Helper, class V, class T, class Function,
          std::enable_if_t<is_group_helper_v<Helper>, int> = 0>
T reduce_over_group(Helper of, V value, T init, Function combine) {
  return combine(init, reduce_over_group(of, T(value), combine));
}

// `first` to `last` must not be empty: the result of an empty range would be unknown.
template <class Helper, class Pointer, class Function,
          std::enable_if_t<is_group_helper_v<Helper>, int> = 0>
typename std::iterator_traits<Pointer>::value_type joint_reduce(Helper of, Pointer first,
                                                                Pointer last, Function combine) {
  using T = typename std::iterator_traits<Pointer>::value_type;
  const auto group = of.get_group();
  if constexpr (sycl::detail::is_reduced_by_group<T, Function>) {
    return sycl::joint_reduce(group, first, last, combine);
  } else {
    // Each work-item combines consecutive elements, so that the order of the elements is kept.
    const std::size_t items = group.get_local_linear_range();
    const std::size_t count = static_cast<std::size_t>(last - first);
    const std::size_t share = (count + items - 1) / items;
    const std::size_t begin = group.get_local_linear_id() * share;
    const std::size_t end = begin + share < count ? begin + share : count;
    T own = first[begin < count ? begin : 0];
    for (std::size_t i = begin + 1; i < end; ++i)
      own = combine(own, first[i]);
    return sycl::detail::reduce_in_scratch(group, of.get_memory().data(), own,
                                           (count + share - 1) / share, combine);
  }
}
template <class Helper, class Pointer, class T, class Function,
          std::enable_if_t<is_group_helper_v<Helper>, int> = 0>
T joint_reduce(Helper of, Pointer first, Pointer last, T init, Function combine) {
  if (first == last)
    return init;
  return combine(init, joint_reduce(of, first, last, combine));
}

} // namespace ext::oneapi::experimental
} // namespace sycl
