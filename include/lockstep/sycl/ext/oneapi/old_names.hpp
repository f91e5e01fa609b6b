// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The old names of DPC++ extensions that SYCL 2020 has adopted. They are in namespace ext::oneapi,
// and in ONEAPI, which the first edition of the book Data Parallel C++ uses. New programs use the
// names in namespace sycl.
#pragma once

#include "sycl/atomic_ref.hpp"
#include "sycl/ext/oneapi/local_memory.hpp"
#include "sycl/functional.hpp"
#include "sycl/group_functions.hpp"
#include "sycl/multi_ptr.hpp"
#include "sycl/reduction.hpp"

namespace sycl {

namespace ext::oneapi {

using sycl::atomic_fence;
using sycl::atomic_ref;
using sycl::memory_order;
using sycl::memory_scope;
using sycl::reduction;
using sycl::sub_group;

template <class T = void> using plus [[deprecated("sycl::plus")]] = sycl::plus<T>;
template <class T = void> using multiplies [[deprecated("sycl::multiplies")]] = sycl::multiplies<T>;
template <class T = void> using bit_and [[deprecated("sycl::bit_and")]] = sycl::bit_and<T>;
template <class T = void> using bit_or [[deprecated("sycl::bit_or")]] = sycl::bit_or<T>;
template <class T = void> using bit_xor [[deprecated("sycl::bit_xor")]] = sycl::bit_xor<T>;
template <class T = void> using minimum [[deprecated("sycl::minimum")]] = sycl::minimum<T>;
template <class T = void> using maximum [[deprecated("sycl::maximum")]] = sycl::maximum<T>;

template <class T> inline constexpr bool is_memory_of_joint = std::is_pointer_v<T>;
template <class T, access::address_space Space, access::decorated Decorated>
inline constexpr bool is_memory_of_joint<multi_ptr<T, Space, Decorated>> = true;

// The old names covered both kinds of function: the type of the first argument chooses the group
// function (reduce_over_group) or the joint one (joint_reduce).
#define LOCKSTEP_OLD_NAME(name, new_name)                                                          \
  template <class Group, class... Arguments, sycl::detail::if_group<Group> = 0>                    \
  [[deprecated("use sycl::" #new_name "()")]] auto name(Group group, Arguments... arguments) {     \
    return sycl::new_name(group, arguments...);                                                    \
  }
#define LOCKSTEP_OLD_NAMES(name, of_group, joint)                                                  \
  template <class Group, class First, class... Rest, sycl::detail::if_group<Group> = 0>            \
  [[deprecated("use sycl::" #of_group "() or sycl::" #joint "()")]] auto name(                     \
      Group group, First first, Rest... rest) {                                                    \
    if constexpr (is_memory_of_joint<First>)                                                       \
      return sycl::joint(group, first, rest...);                                                   \
    else                                                                                           \
      return sycl::of_group(group, first, rest...);                                                \
  }
LOCKSTEP_OLD_NAME(broadcast, group_broadcast)
LOCKSTEP_OLD_NAMES(any_of, any_of_group, joint_any_of)
LOCKSTEP_OLD_NAMES(all_of, all_of_group, joint_all_of)
LOCKSTEP_OLD_NAMES(none_of, none_of_group, joint_none_of)
LOCKSTEP_OLD_NAMES(reduce, reduce_over_group, joint_reduce)
LOCKSTEP_OLD_NAMES(exclusive_scan, exclusive_scan_over_group, joint_exclusive_scan)
LOCKSTEP_OLD_NAMES(inclusive_scan, inclusive_scan_over_group, joint_inclusive_scan)
#undef LOCKSTEP_OLD_NAMES
#undef LOCKSTEP_OLD_NAME

template <class Group, sycl::detail::if_group<Group> = 0>
[[deprecated("use leader() of the group")]] bool leader(Group group) {
  return group.leader();
}

// Reductions whose variable is given by an accessor. A discarding access mode starts with the
// identity.
template <class Accessor> struct accessed_variable {
  Accessor memory;
  auto get() const { return memory.get_pointer(); }
};
template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder P>
property_list properties_of_reduction(const accessor<T, Dimensions, Mode, Target, P> &) {
  if constexpr (Mode == sycl::detail::discard_write_mode)
    return {sycl::property::reduction::initialize_to_identity()};
  else
    return {};
}
template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder P,
          class Operation>
[[deprecated("give sycl::reduction() the buffer")]] auto
reduction(const accessor<T, Dimensions, Mode, Target, P> &variable, const Operation &combine) {
  return sycl::detail::make_reduction<T, 0, 1>(
      accessed_variable<accessor<T, Dimensions, Mode, Target, P>>{variable}, combine,
      properties_of_reduction(variable));
}
template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder P,
          class Operation>
[[deprecated("give sycl::reduction() the buffer")]] auto
reduction(const accessor<T, Dimensions, Mode, Target, P> &variable,
          const std::remove_const_t<T> &identity, const Operation &combine) {
  return sycl::detail::make_reduction<T, 0, 1>(
      accessed_variable<accessor<T, Dimensions, Mode, Target, P>>{variable}, identity, combine,
      properties_of_reduction(variable));
}

} // namespace ext::oneapi

// Names are listed one by one. With a using-directive, programs that use both namespaces would find
// `info` twice.
namespace ONEAPI {
namespace experimental = ext::oneapi::experimental;
using ext::oneapi::all_of;
using ext::oneapi::any_of;
using ext::oneapi::atomic_fence;
using ext::oneapi::atomic_ref;
using ext::oneapi::bit_and;
using ext::oneapi::bit_or;
using ext::oneapi::bit_xor;
using ext::oneapi::broadcast;
using ext::oneapi::exclusive_scan;
using ext::oneapi::group_local_memory;
using ext::oneapi::group_local_memory_for_overwrite;
using ext::oneapi::inclusive_scan;
using ext::oneapi::leader;
using ext::oneapi::maximum;
using ext::oneapi::memory_order;
using ext::oneapi::memory_scope;
using ext::oneapi::minimum;
using ext::oneapi::multiplies;
using ext::oneapi::none_of;
using ext::oneapi::plus;
using ext::oneapi::reduce;
using ext::oneapi::reduction;
using ext::oneapi::sub_group;
} // namespace ONEAPI

} // namespace sycl
