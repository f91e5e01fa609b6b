// local_accessor (SYCL 2020, section 4.7.6.11): memory of a work-group.
//
// On the host its pointer is a mark, unlike any other number. The launch looks for the marks in the bytes of the kernel's
// function object, and the compiler is told that at this place of it stands the address of a local variable with so many
// bytes, and behind it the size, as constants. So two accessors are two variables to the compiler, as if the kernel had declared them.
#pragma once

#include "sycl/detail/elements.hpp"
#include "sycl/detail/library.hpp"
#include "sycl/multi_ptr.hpp"

namespace sycl {

class handler;

namespace detail {

struct local_memory_access {
  static void *mark(handler &group, std::size_t bytes, std::size_t alignment,
                    std::size_t words); // handler.hpp
};

} // namespace detail

template <class T, int Dimensions = 1>
class local_accessor : public detail::elements<T, Dimensions> {
  using base = detail::elements<T, Dimensions>;
  using typename base::range_type;

public:
  static constexpr int dimensions = Dimensions;

  local_accessor() = default;
  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  local_accessor(handler &group, const property_list & = {}) : local_accessor(1, group, 0) {}
  local_accessor(range_type size, handler &group, const property_list & = {})
      : local_accessor(size, group, 0) {}

  void swap(local_accessor &other) { std::swap(*this, other); }
  local_ptr<T> get_pointer() const noexcept { return this->data_; }
  template <access::decorated Decorated>
  multi_ptr<T, access::address_space::local_space, Decorated> get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::local_space, Decorated>(this->data_);
  }

  friend bool operator==(const local_accessor &a, const local_accessor &b) {
    return a.data_ == b.data_ && a.box_ == b.box_;
  }
  friend bool operator!=(const local_accessor &a, const local_accessor &b) { return !(a == b); }

  using base::operator=;

private:
  local_accessor(const range_type &size, handler &group, int)
      : base(static_cast<T *>(detail::local_memory_access::mark(
                 group, size.size() * sizeof(T), alignof(T),
                 (sizeof(base) - sizeof(T *)) / sizeof(std::size_t))),
             size, size) {
    static_assert(sizeof(local_accessor) == sizeof(base), "its words lie behind the pointer");
  }
};

} // namespace sycl
