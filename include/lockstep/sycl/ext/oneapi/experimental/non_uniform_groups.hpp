// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of sub-groups as groups (extension sycl_ext_oneapi_non_uniform_groups): selected by a
// predicate, by a fixed size, or as the active work-items.
#pragma once

#include "sycl/detail/part_of_sub_group.hpp"
#include "sycl/ext/oneapi/experimental/root_group.hpp"
#include "sycl/group_functions.hpp"

#define SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS 1

namespace sycl::ext::oneapi::experimental {

template <class T> struct is_fixed_topology_group : std::false_type {};
template <int Dimensions> struct is_fixed_topology_group<group<Dimensions>> : std::true_type {};
template <int Dimensions>
struct is_fixed_topology_group<root_group<Dimensions>> : std::true_type {};
template <> struct is_fixed_topology_group<sub_group> : std::true_type {};
template <class T>
inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<T>::value;

template <class T>
struct is_user_constructed_group : std::is_base_of<sycl::detail::part_of_sub_group, T> {};
template <class T>
inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<T>::value;

template <class Parent> class ballot_group;
template <std::size_t Size, class Parent> class fixed_size_group;
template <class Parent> class tangle_group;

namespace detail {
template <class Parent, class Result>
using of_sub_group = std::enable_if_t<std::is_same_v<Parent, sub_group>, Result>;
} // namespace detail

template <class Parent>
detail::of_sub_group<Parent, ballot_group<Parent>> get_ballot_group(Parent, bool predicate);
template <std::size_t Size, class Parent>
detail::of_sub_group<Parent, fixed_size_group<Size, Parent>> get_fixed_size_group(Parent);
template <class Parent> detail::of_sub_group<Parent, tangle_group<Parent>> get_tangle_group(Parent);

// Group 1 contains the work-items for which a predicate holds, group 0 the others.
template <class Parent> class ballot_group : public sycl::detail::part_of_sub_group {
  friend ballot_group get_ballot_group<Parent>(Parent, bool);
  explicit ballot_group(bool predicate)
      : ballot_group(predicate, lanes_with(predicate), lanes_with(!predicate)) {}
  ballot_group(bool predicate, std::uint64_t with, std::uint64_t without)
      : part_of_sub_group(predicate ? with : without, predicate ? 1 : 0, 2) {}
};

// Neighboring work-items.
template <std::size_t Size, class Parent>
class fixed_size_group : public sycl::detail::part_of_sub_group {
  static_assert(Size && (Size & (Size - 1)) == 0 && Size <= 64,
                "the size of a fixed_size_group is a power of two, and at most a sub-group's");
  friend fixed_size_group get_fixed_size_group<Size, Parent>(Parent);
  static constexpr std::uint64_t all_of_one = Size == 64 ? ~0ull : (1ull << Size % 64) - 1;
  explicit fixed_size_group(Parent parent)
      : part_of_sub_group(all_of_one << parent.get_local_linear_id() / Size * Size,
                          parent.get_local_linear_id() / Size,
                          parent.get_local_linear_range() / Size) {}
};

// The work-items that reach the call together.
template <class Parent> class tangle_group : public sycl::detail::part_of_sub_group {
  friend tangle_group get_tangle_group<Parent>(Parent);
  tangle_group() : part_of_sub_group(tangled_lanes(), 0, 1) {}
};

// The work-items that are active at the call. On the CPU, a tangle_group has the same. On a card,
// some of those that take the same path may not be active.
class opportunistic_group;
namespace this_kernel {
opportunistic_group get_opportunistic_group();
}
class opportunistic_group : public sycl::detail::part_of_sub_group {
  friend opportunistic_group this_kernel::get_opportunistic_group();
  opportunistic_group() : part_of_sub_group(active_lanes(), 0, 1) {}
};

template <class Parent>
detail::of_sub_group<Parent, ballot_group<Parent>> get_ballot_group(Parent, bool predicate) {
  return ballot_group<Parent>(predicate);
}
template <std::size_t Size, class Parent>
detail::of_sub_group<Parent, fixed_size_group<Size, Parent>> get_fixed_size_group(Parent parent) {
  return fixed_size_group<Size, Parent>(parent);
}
template <class Parent>
detail::of_sub_group<Parent, tangle_group<Parent>> get_tangle_group(Parent) {
  return tangle_group<Parent>();
}
namespace this_kernel {
inline opportunistic_group get_opportunistic_group() {
  return opportunistic_group();
}
} // namespace this_kernel

} // namespace sycl::ext::oneapi::experimental
