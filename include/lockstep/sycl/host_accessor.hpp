// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// host_accessor (SYCL 2020, section 4.7.6.10): gives the host access to the elements of a buffer
// while the accessor lives.
#pragma once

#include "sycl/detail/buffer_elements.hpp"

namespace sycl {

template <class T, int Dimensions = 1,
          access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write>
class host_accessor : public detail::buffer_elements<detail::accessed_type<T, Mode>, Dimensions> {
  using element = detail::accessed_type<T, Mode>;
  using base = detail::buffer_elements<element, Dimensions>;
  using typename base::id_type;
  using typename base::range_type;

public:
  static constexpr int dimensions = Dimensions;

  host_accessor() = default;
  template <class U, class A>
  host_accessor(buffer<U, base::dimensions_, A> &of, const property_list &properties = {})
      : host_accessor(of, base::memory_range_of(of), id_type(), properties) {}
  template <class U, class A, access_mode M>
  host_accessor(buffer<U, base::dimensions_, A> &of, mode_tag_t<M>,
                const property_list &properties = {})
      : host_accessor(of, properties) {}
  template <class U, class A>
  host_accessor(buffer<U, base::dimensions_, A> &of, range_type box,
                const property_list &properties = {})
      : host_accessor(of, box, id_type(), properties) {}
  template <class U, class A, access_mode M>
  host_accessor(buffer<U, base::dimensions_, A> &of, range_type box, mode_tag_t<M>,
                const property_list &properties = {})
      : host_accessor(of, box, id_type(), properties) {}
  template <class U, class A>
  host_accessor(buffer<U, base::dimensions_, A> &of, range_type box, id_type offset,
                const property_list &properties = {})
      : base(of, detail::kind_of(Mode, properties), box, offset),
        access_(detail::pointer_access::of(of)->host_access(this->kind_, this->first_byte(),
                                                            this->byte_count())) {
    // Read the address after waiting for the buffer: the wait may decide which memory the buffer
    // uses.
    this->data_ =
        static_cast<element *>(access_->as_host_sees(detail::pointer_access::of(of)->data())) +
        detail::linear_index(offset, this->memory_range_);
  }
  template <class U, class A, access_mode M>
  host_accessor(buffer<U, base::dimensions_, A> &of, range_type box, id_type offset, mode_tag_t<M>,
                const property_list &properties = {})
      : host_accessor(of, box, offset, properties) {}

  template <class U, access_mode OtherMode, detail::if_reads_too<T, Mode, U, OtherMode> = 0>
  host_accessor(const host_accessor<U, Dimensions, OtherMode> &other)
      : base(other, other.kind_), access_(other.access_) {}

  void swap(host_accessor &other) { std::swap(*this, other); }
  std::add_pointer_t<element> get_pointer() const noexcept { return this->origin(); }

  template <class Property> bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> &&
           this->kind_ == detail::access_kind::overwrite;
  }
  template <class Property> Property get_property() const {
    if (!has_property<Property>())
      detail::raise(errc::invalid, "the accessor does not have this property");
    return {};
  }

  // sycl_ext_oneapi_weak_object
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept {
    return detail::ownership_order<Other>::before(*this, other);
  }

  friend bool operator==(const host_accessor &a, const host_accessor &b) {
    return a.access_ == b.access_;
  }
  friend bool operator!=(const host_accessor &a, const host_accessor &b) { return !(a == b); }

  template <int D = Dimensions, std::enable_if_t<D == 0 && !std::is_const_v<element>, int> = 0>
  const host_accessor &operator=(const element &value) const {
    this->set_only_element(value);
    return *this;
  }

private:
  friend detail::ownership;
  template <class, int, access_mode> friend class host_accessor;
  std::shared_ptr<detail::host_access_interface> access_;
};

template <class T, int D, class A>
host_accessor(buffer<T, D, A> &, const property_list & = {}) -> host_accessor<T, D>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A> &, mode_tag_t<M>, const property_list & = {})
    -> host_accessor<T, D, M>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A> &, range<D>, const property_list & = {}) -> host_accessor<T, D>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A> &, range<D>, mode_tag_t<M>, const property_list & = {})
    -> host_accessor<T, D, M>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A> &, range<D>, id<D>, const property_list & = {})
    -> host_accessor<T, D>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A> &, range<D>, id<D>, mode_tag_t<M>, const property_list & = {})
    -> host_accessor<T, D, M>;

} // namespace sycl
