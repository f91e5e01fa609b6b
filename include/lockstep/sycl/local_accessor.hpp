// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// local_accessor (SYCL 2020, section 4.7.6.11): memory of a work-group.
//
// On the host its pointer is a marker: a number that identifies the local accessor in the program.
// lockstep++ records the offsets of accessors in a kernel's function object
// (tools/lockstep++/accessor_places.h). At launch, the compiler replaces the marker at such an
// offset by the address of a local variable. It replaces the words behind the marker by the size,
// as constants. So the compiler sees each local accessor as a separate variable, as if the kernel
// had declared it.
#pragma once

#include "sycl/detail/elements.hpp"
#include "sycl/detail/library.hpp"
#include "sycl/detail/object.hpp"
#include "sycl/multi_ptr.hpp"

namespace sycl {

class handler;

namespace detail {

struct local_memory_access {
  static void *mark(handler &group, std::size_t bytes, std::size_t alignment,
                    std::size_t words); // defined in handler.hpp
};

template <class T, int Dimensions, class Access>
class [[clang::annotate("lockstep.accessor.local")]] local_elements
    : public elements<T, Dimensions, Access> {
  using base = elements<T, Dimensions, Access>;
  using typename base::range_type;

public:
  static constexpr int dimensions = Dimensions;
  template <access::decorated Decorated>
  using accessor_ptr = multi_ptr<T, access::address_space::local_space, Decorated>;

  local_elements() = default;
  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  local_elements(handler &group, const property_list & = {}) : local_elements(1, group, 0) {}
  local_elements(range_type size, handler &group, const property_list & = {})
      : local_elements(size, group, 0) {}

  template <class U, class OtherAccess, std::enable_if_t<std::is_same_v<const U, T>, int> = 0>
  local_elements(const local_elements<U, Dimensions, OtherAccess> &other) : base(other) {}

  void swap(local_elements &other) { std::swap(*this, other); }
  local_ptr<T> get_pointer() const noexcept { return this->data_; }
  template <access::decorated Decorated> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::local_space, Decorated>(this->data_);
  }

  friend bool operator==(const local_elements &a, const local_elements &b) {
    return a.data_ == b.data_ && a.box_ == b.box_;
  }
  friend bool operator!=(const local_elements &a, const local_elements &b) { return !(a == b); }

private:
  local_elements(const range_type &size, handler &group, int)
      : base(static_cast<T *>(
                 local_memory_access::mark(group, size.size() * sizeof(T), alignof(T),
                                           (sizeof(base) - sizeof(T *)) / sizeof(std::size_t))),
             size, size) {
    static_assert(sizeof(local_elements) == sizeof(base), "its words lie behind the pointer");
  }
};

} // namespace detail

template <class T, int Dimensions = 1>
class local_accessor : public detail::local_elements<T, Dimensions, detail::by_local_reference<T>> {
  using base = detail::local_elements<T, Dimensions, detail::by_local_reference<T>>;

public:
  using base::base;
  // sycl_ext_oneapi_weak_object
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept {
    return detail::ownership_order<Other>::before(*this, other);
  }
  template <int D = Dimensions, std::enable_if_t<D == 0 && !std::is_const_v<T>, int> = 0>
  const local_accessor &operator=(const T &value) const {
    this->set_only_element(value);
    return *this;
  }
};

} // namespace sycl
