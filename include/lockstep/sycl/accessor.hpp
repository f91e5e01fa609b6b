// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// accessor (SYCL 2020, section 4.7.6.9): gives a command access to the elements of a buffer.
#pragma once

#include "sycl/atomic.hpp"
#include "sycl/detail/buffer_elements.hpp"
#include "sycl/host_accessor.hpp"
#include "sycl/local_accessor.hpp"

namespace sycl {

namespace detail {

// The operations that accessor needs from handler, which is still incomplete here.
struct handler_access {
  static void require(handler &group, const buffer_pointer &buffer, access_kind kind,
                      std::size_t offset, std::size_t bytes);
  static void require(handler &group, const image_pointer &image, access_kind kind);
};

// Accessors with mode atomic return atomic objects.
template <class T, access::address_space Space> struct by_atomic {
  using type = atomic<T, Space>;
  static type at(T *place) { return multi_ptr<T, Space, access::decorated::legacy>(place); }
};
template <template <class> class By, class T, access_mode Mode, target Target>
using access_of =
    std::conditional_t<Mode == atomic_mode,
                       by_atomic<T, Target == local_target ? access::address_space::local_space
                                                           : space_of_target<Target>>,
                       By<T>>;

template <class Tag> struct tag_traits;
template <access_mode Mode> struct tag_traits<mode_tag_t<Mode>> {
  static constexpr access_mode mode = Mode;
  static constexpr target place = target::device;
};
template <access_mode Mode, target Target> struct tag_traits<mode_target_tag_t<Mode, Target>> {
  static constexpr access_mode mode = Mode;
  static constexpr target place = Target;
};

} // namespace detail

template <class T, int Dimensions = 1,
          access_mode Mode = std::is_const_v<T> ? access_mode::read : access_mode::read_write,
          target Target = target::device,
          access::placeholder Placeholder = access::placeholder::false_t>
class accessor
    : public detail::buffer_elements<
          detail::accessed_type<T, Mode>, Dimensions,
          detail::access_of<detail::by_reference, detail::accessed_type<T, Mode>, Mode, Target>> {
  using element = detail::accessed_type<T, Mode>;
  using base =
      detail::buffer_elements<element, Dimensions,
                              detail::access_of<detail::by_reference, element, Mode, Target>>;
  using typename base::id_type;
  using typename base::range_type;

public:
  static constexpr int dimensions = Dimensions;
  static constexpr access_mode mode = Mode;
  template <access::decorated Decorated>
  using accessor_ptr = multi_ptr<element, detail::space_of_target<Target>, Decorated>;

  accessor() = default;

  // A placeholder accessor: handler::require binds it to a command.
  template <class U, class A>
  accessor(buffer<U, base::dimensions_, A> &of, const property_list &properties = {})
      : accessor(of, base::memory_range_of(of), id_type(), properties) {}
  template <class U, class A, class Tag, access_mode = detail::tag_traits<Tag>::mode>
  accessor(buffer<U, base::dimensions_, A> &of, Tag, const property_list &properties = {})
      : accessor(of, properties) {}
  template <class U, class A>
  accessor(buffer<U, base::dimensions_, A> &of, range_type box,
           const property_list &properties = {})
      : accessor(of, box, id_type(), properties) {}
  template <class U, class A, class Tag, access_mode = detail::tag_traits<Tag>::mode>
  accessor(buffer<U, base::dimensions_, A> &of, range_type box, Tag,
           const property_list &properties = {})
      : accessor(of, box, id_type(), properties) {}
  template <class U, class A>
  accessor(buffer<U, base::dimensions_, A> &of, range_type box, id_type offset,
           const property_list &properties = {})
      : base(of, detail::kind_of(Mode, properties), box, offset), is_placeholder_(true) {}
  template <class U, class A, class Tag, access_mode = detail::tag_traits<Tag>::mode>
  accessor(buffer<U, base::dimensions_, A> &of, range_type box, id_type offset, Tag,
           const property_list &properties = {})
      : accessor(of, box, offset, properties) {}

  template <class U, class A>
  accessor(buffer<U, base::dimensions_, A> &of, handler &group,
           const property_list &properties = {})
      : accessor(of, group, base::memory_range_of(of), id_type(), properties) {}
  template <class U, class A, class Tag, access_mode = detail::tag_traits<Tag>::mode>
  accessor(buffer<U, base::dimensions_, A> &of, handler &group, Tag,
           const property_list &properties = {})
      : accessor(of, group, properties) {}
  template <class U, class A>
  accessor(buffer<U, base::dimensions_, A> &of, handler &group, range_type box,
           const property_list &properties = {})
      : accessor(of, group, box, id_type(), properties) {}
  template <class U, class A, class Tag, access_mode = detail::tag_traits<Tag>::mode>
  accessor(buffer<U, base::dimensions_, A> &of, handler &group, range_type box, Tag,
           const property_list &properties = {})
      : accessor(of, group, box, id_type(), properties) {}
  template <class U, class A>
  accessor(buffer<U, base::dimensions_, A> &of, handler &group, range_type box, id_type offset,
           const property_list &properties = {})
      : accessor(of, box, offset, properties) {
    is_placeholder_ = false;
    detail::handler_access::require(group, detail::pointer_access::of(of), this->kind_,
                                    this->first_byte(), this->byte_count());
  }
  template <class U, class A, class Tag, access_mode = detail::tag_traits<Tag>::mode>
  accessor(buffer<U, base::dimensions_, A> &of, handler &group, range_type box, id_type offset, Tag,
           const property_list &properties = {})
      : accessor(of, group, box, offset, properties) {}

  template <class U, access_mode OtherMode, detail::if_reads_too<T, Mode, U, OtherMode> = 0>
  accessor(const accessor<U, Dimensions, OtherMode, Target, Placeholder> &other)
      : base(other, other.kind_), is_placeholder_(other.is_placeholder_) {}

  bool is_placeholder() const { return is_placeholder_; }
  // sycl_ext_oneapi_weak_object
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept {
    return detail::ownership_order<Other>::before(*this, other);
  }
  void swap(accessor &other) { std::swap(*this, other); }
  template <target G = Target, std::enable_if_t<G == target::host_task, int> = 0>
  std::add_pointer_t<element> get_pointer() const noexcept {
    return this->origin();
  }
  template <target G = Target,
            std::enable_if_t<G != target::host_task && G != detail::constant_target, int> = 0>
  multi_ptr<element, detail::space_of_target<G>, access::decorated::legacy>
  get_pointer() const noexcept {
    return this->origin();
  }
  template <target G = Target, std::enable_if_t<G == detail::constant_target, int> = 0>
  constant_ptr<T> get_pointer() const noexcept {
    return const_cast<T *>(this->origin());
  }
  template <access::decorated Decorated> accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return address_space_cast<detail::space_of_target<Target>, Decorated>(this->origin());
  }

  template <class Property> bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> &&
           this->kind_ == detail::access_kind::overwrite;
  }
  template <class Property> Property get_property() const {
    if (!has_property<Property>())
      detail::raise(errc::invalid, "the accessor does not have this property");
    return {};
  }

  friend bool operator==(const accessor &a, const accessor &b) {
    return a.data_ == b.data_ && a.box_ == b.box_ && a.kind_ == b.kind_;
  }
  friend bool operator!=(const accessor &a, const accessor &b) { return !(a == b); }

  template <int D = Dimensions, std::enable_if_t<D == 0 && !std::is_const_v<element>, int> = 0>
  const accessor &operator=(const element &value) const {
    this->set_only_element(value);
    return *this;
  }

private:
  template <class, int, access_mode, target, access::placeholder> friend class accessor;
  friend class handler;
  bool is_placeholder_ = false;
};

template <class T, int D, class A>
accessor(buffer<T, D, A> &, const property_list & = {})
    -> accessor<T, D, access_mode::read_write, target::device, access::placeholder::true_t>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, handler &, const property_list & = {}) -> accessor<T, D>;
template <class T, int D, class A, class Tag, class Traits = detail::tag_traits<Tag>>
accessor(buffer<T, D, A> &, Tag, const property_list & = {})
    -> accessor<T, D, Traits::mode, Traits::place, access::placeholder::true_t>;
template <class T, int D, class A, class Tag, class Traits = detail::tag_traits<Tag>>
accessor(buffer<T, D, A> &, handler &, Tag, const property_list & = {})
    -> accessor<T, D, Traits::mode, Traits::place>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, range<D>, const property_list & = {})
    -> accessor<T, D, access_mode::read_write, target::device, access::placeholder::true_t>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, handler &, range<D>, const property_list & = {}) -> accessor<T, D>;
template <class T, int D, class A, class Tag, class Traits = detail::tag_traits<Tag>>
accessor(buffer<T, D, A> &, range<D>, Tag, const property_list & = {})
    -> accessor<T, D, Traits::mode, Traits::place, access::placeholder::true_t>;
template <class T, int D, class A, class Tag, class Traits = detail::tag_traits<Tag>>
accessor(buffer<T, D, A> &, handler &, range<D>, Tag, const property_list & = {})
    -> accessor<T, D, Traits::mode, Traits::place>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, range<D>, id<D>, const property_list & = {})
    -> accessor<T, D, access_mode::read_write, target::device, access::placeholder::true_t>;
template <class T, int D, class A>
accessor(buffer<T, D, A> &, handler &, range<D>, id<D>, const property_list & = {})
    -> accessor<T, D>;
template <class T, int D, class A, class Tag, class Traits = detail::tag_traits<Tag>>
accessor(buffer<T, D, A> &, range<D>, id<D>, Tag, const property_list & = {})
    -> accessor<T, D, Traits::mode, Traits::place, access::placeholder::true_t>;
template <class T, int D, class A, class Tag, class Traits = detail::tag_traits<Tag>>
accessor(buffer<T, D, A> &, handler &, range<D>, id<D>, Tag, const property_list & = {})
    -> accessor<T, D, Traits::mode, Traits::place>;
template <class T, int D, access_mode Mode>
accessor(host_accessor<T, D, Mode>) -> accessor<T, D, Mode, detail::host_target>;

// The local accessor of SYCL 1.2.1.
template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
class accessor<T, Dimensions, Mode, detail::local_target, Placeholder>
    : public detail::local_elements<
          T, Dimensions,
          detail::access_of<detail::by_local_reference, T, Mode, detail::local_target>> {
  using base = detail::local_elements<
      T, Dimensions, detail::access_of<detail::by_local_reference, T, Mode, detail::local_target>>;

public:
  using base::base;
  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  const accessor &operator=(const T &value) const {
    this->set_only_element(value);
    return *this;
  }
};

// The host accessor of SYCL 1.2.1.
template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
class accessor<T, Dimensions, Mode, detail::host_target, Placeholder>
    : public host_accessor<T, Dimensions, Mode> {
  using base = host_accessor<T, Dimensions, Mode>;

public:
  using base::base;
  // In DPC++ a host_accessor converts to an accessor.
  accessor(const base &other) : base(other) {}
  template <int D = Dimensions, std::enable_if_t<D == 0 && !detail::only_reads(Mode), int> = 0>
  const accessor &operator=(const T &value) const {
    this->set_only_element(value);
    return *this;
  }
  bool is_placeholder() const { return false; }
  T *get_pointer() const noexcept { return const_cast<T *>(base::get_pointer()); }
};

} // namespace sycl

template <class T, int D, sycl::access_mode M, sycl::target G, sycl::access::placeholder P>
struct std::hash<sycl::accessor<T, D, M, G, P>> {
  std::size_t operator()(const sycl::accessor<T, D, M, G, P> &one) const noexcept {
    return std::hash<const void *>()(sycl::detail::place_of::first(one));
  }
};
template <class T, int D> struct std::hash<sycl::local_accessor<T, D>> {
  std::size_t operator()(const sycl::local_accessor<T, D> &one) const noexcept {
    return std::hash<const void *>()(sycl::detail::place_of::first(one));
  }
};
template <class T, int D, sycl::access_mode M> struct std::hash<sycl::host_accessor<T, D, M>> {
  std::size_t operator()(const sycl::host_accessor<T, D, M> &one) const noexcept {
    return std::hash<const void *>()(sycl::detail::place_of::first(one));
  }
};
