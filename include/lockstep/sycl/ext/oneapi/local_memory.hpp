// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Local memory that a kernel's code requests (extension sycl_ext_oneapi_local_memory): each call
// has its own variable of the group.
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/group.hpp"
#include "sycl/group_barrier.hpp"
#include "sycl/multi_ptr.hpp"

#include <new>
#include <type_traits>
#include <utility>

#define SYCL_EXT_ONEAPI_LOCAL_MEMORY 2

namespace sycl {
namespace detail {

template <class T> struct alignas(T) group_variable {
  unsigned char bytes[sizeof(T)];
};
// Wrapping the type in a struct permits aggregate initialization of arrays.
template <class T> struct initialized_object {
  T value;
};

template <class Group> inline constexpr bool has_group_variables = false;
template <int Dimensions> inline constexpr bool has_group_variables<group<Dimensions>> = true;

template <class T, class Group> constexpr bool check_group_variable() {
  static_assert(has_group_variables<Group>,
                "local memory belongs to a work-group (sycl_ext_oneapi_local_memory)");
  static_assert(std::is_trivially_destructible_v<T>,
                "local memory ends without a destructor (sycl_ext_oneapi_local_memory)");
  return true;
}

} // namespace detail

namespace ext::oneapi {

// In device code, the driver gives each call its own copy of this function, and thus of its
// variable (tools/lockstep++/own_local_memory.h).
#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_OWN_VARIABLE(T)                                                                   \
  static __attribute__((opencl_local)) detail::group_variable<T> variable;                         \
  void *const place = (void *)&variable
#define LOCKSTEP_EACH_CALL [[clang::annotate("lockstep.own_local_memory")]]
#else
#define LOCKSTEP_OWN_VARIABLE(T) void *const place = nullptr
#define LOCKSTEP_EACH_CALL
#endif

template <class T, class Group, class... Args>
LOCKSTEP_EACH_CALL multi_ptr<T, access::address_space::local_space>
group_local_memory(Group g, Args &&...args) {
  static_assert(detail::check_group_variable<T, Group>());
  LOCKSTEP_OWN_VARIABLE(T);
  if (g.leader()) {
    if constexpr (std::is_array_v<T>)
      ::new (place) detail::initialized_object<T>{{std::forward<Args>(args)...}};
    else if constexpr (std::is_constructible_v<T, Args...>)
      ::new (place) T(std::forward<Args>(args)...);
    else
      ::new (place) T{std::forward<Args>(args)...};
  }
  group_barrier(g);
  return multi_ptr<T, access::address_space::local_space>(static_cast<T *>(place));
}

template <class T, class Group>
LOCKSTEP_EACH_CALL multi_ptr<T, access::address_space::local_space>
group_local_memory_for_overwrite(Group g) {
  static_assert(detail::check_group_variable<T, Group>());
  LOCKSTEP_OWN_VARIABLE(T);
  if constexpr (!std::is_trivially_default_constructible_v<T>) {
    if (g.leader()) {
      if constexpr (std::is_array_v<T>)
        for (auto &element : *static_cast<T *>(place))
          ::new (static_cast<void *>(&element)) std::remove_reference_t<decltype(element)>;
      else
        ::new (place) T;
    }
    group_barrier(g);
  }
  return multi_ptr<T, access::address_space::local_space>(static_cast<T *>(place));
}

#undef LOCKSTEP_EACH_CALL
#undef LOCKSTEP_OWN_VARIABLE

} // namespace ext::oneapi
} // namespace sycl
