// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Variables in the local memory of a work-group (extension sycl_ext_oneapi_work_group_static): at
// namespace scope, at block scope, or static members of classes.
#pragma once

#include <type_traits>

#define SYCL_EXT_ONEAPI_WORK_GROUP_STATIC 1

namespace sycl::ext::oneapi::experimental {

// In device code, the driver moves variables of this class to local memory, and knows the class by
// its name (tools/lockstep++/static_local_memory.h).
template <class T> class [[clang::annotate("lockstep.group_variable")]] work_group_static final {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                "variables in local memory begin and end without constructor and destructor "
                "(sycl_ext_oneapi_work_group_static)");

public:
  work_group_static() = default;
  work_group_static(const work_group_static &) = delete;
  work_group_static &operator=(const work_group_static &) = delete;

  operator T &() const noexcept { return *&*this; }
  template <class U = T, std::enable_if_t<!std::is_array_v<U>, int> = 0>
  const work_group_static &operator=(const T &value) const noexcept {
    *&*this = value;
    return *this;
  }
  T *operator&() const noexcept { return const_cast<T *>(__builtin_addressof(storage_)); }

private:
  T storage_;
};

} // namespace sycl::ext::oneapi::experimental
