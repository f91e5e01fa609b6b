// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// buffer (SYCL 2020, section 4.7.2): memory that host and commands share, with dependencies from
// accessors.
#pragma once

#include "sycl/access.hpp"
#include "sycl/detail/memory_properties.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/range.hpp"

#include <algorithm>

namespace sycl {

class handler;
template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder Placeholder>
class accessor;
template <class T, int Dimensions, access_mode Mode> class host_accessor;

template <class T> using buffer_allocator = std::allocator<T>;

namespace property::buffer {

struct use_host_ptr : detail::property_base {};
struct use_mutex : detail::mutex_property {
  using mutex_property::mutex_property;
};
struct context_bound : detail::context_property {
  using context_property::context_property;
};

} // namespace property::buffer

namespace detail {

template <class Iterator>
using if_iterator =
    std::enable_if_t<std::is_base_of_v<std::input_iterator_tag,
                                       typename std::iterator_traits<Iterator>::iterator_category>,
                     int>;
template <class Container>
using if_contiguous =
    std::enable_if_t<std::is_pointer_v<decltype(std::declval<Container &>().data())>, int>;

} // namespace detail

template <class T, int Dimensions = 1, class Allocator = buffer_allocator<std::remove_const_t<T>>>
class buffer : public detail::object<buffer<T, Dimensions, Allocator>, detail::buffer_interface> {
  using base = detail::object<buffer<T, Dimensions, Allocator>, detail::buffer_interface>;
  using base::shared_;

public:
  using value_type = T;
  using reference = value_type &;
  using const_reference = const value_type &;
  using allocator_type = Allocator;
  static constexpr int dimensions = Dimensions;

  buffer(const range<Dimensions> &size, const property_list &properties = {})
      : buffer(size, properties, nullptr, false, nullptr) {}
  buffer(const range<Dimensions> &size, Allocator allocator, const property_list &properties = {})
      : buffer(size, properties) {
    allocator_ = allocator;
  }
  buffer(T *host, const range<Dimensions> &size, const property_list &properties = {})
      : buffer(size, properties, const_cast<std::remove_const_t<T> *>(host), std::is_const_v<T>,
               nullptr) {}
  buffer(T *host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(host, size, properties) {
    allocator_ = allocator;
  }
  template <class U = T, std::enable_if_t<!std::is_const_v<U>, int> = 0>
  buffer(const T *host, const range<Dimensions> &size, const property_list &properties = {})
      : buffer(size, properties, const_cast<T *>(host), true, nullptr) {}
  template <class U = T, std::enable_if_t<!std::is_const_v<U>, int> = 0>
  buffer(const T *host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(host, size, properties) {
    allocator_ = allocator;
  }
  buffer(const std::shared_ptr<T> &host, const range<Dimensions> &size,
         const property_list &properties = {})
      : buffer(size, properties, const_cast<std::remove_const_t<T> *>(host.get()),
               std::is_const_v<T>, std::const_pointer_cast<std::remove_const_t<T>>(host)) {}
  buffer(const std::shared_ptr<T> &host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(host, size, properties) {
    allocator_ = allocator;
  }
  buffer(const std::shared_ptr<T[]> &host, const range<Dimensions> &size,
         const property_list &properties = {})
      : buffer(std::shared_ptr<T>(host, host.get()), size, properties) {}
  buffer(const std::shared_ptr<T[]> &host, const range<Dimensions> &size, Allocator allocator,
         const property_list &properties = {})
      : buffer(host, size, properties) {
    allocator_ = allocator;
  }
  template <class Iterator, int D = Dimensions, std::enable_if_t<D == 1, int> = 0,
            detail::if_iterator<Iterator> = 0>
  buffer(Iterator first, Iterator last, const property_list &properties = {})
      : buffer(range<1>(std::distance(first, last)), properties) {
    // Takes host access, so that the buffer records the write.
    const auto access = shared_->host_access(detail::access_kind::overwrite, 0, byte_size());
    std::copy(first, last,
              static_cast<std::remove_const_t<T> *>(access->as_host_sees(shared_->data())));
  }
  template <class Iterator, int D = Dimensions, std::enable_if_t<D == 1, int> = 0,
            detail::if_iterator<Iterator> = 0>
  buffer(Iterator first, Iterator last, Allocator allocator, const property_list &properties = {})
      : buffer(first, last, properties) {
    allocator_ = allocator;
  }
  template <class Container, int D = Dimensions, std::enable_if_t<D == 1, int> = 0,
            detail::if_contiguous<Container> = 0>
  buffer(Container &container, const property_list &properties = {})
      : buffer(container.data(), range<1>(container.size()), properties) {}
  template <class Container, int D = Dimensions, std::enable_if_t<D == 1, int> = 0,
            detail::if_contiguous<Container> = 0>
  buffer(Container &container, Allocator allocator, const property_list &properties = {})
      : buffer(container, properties) {
    allocator_ = allocator;
  }
  template <class Handle, class... Event, int D = Dimensions, std::enable_if_t<D == 1, int> = 0,
            detail::if_handle<Handle, _cl_mem> = 0>
  [[deprecated("use make_buffer()")]] buffer(Handle of, const context &in,
                                             const Event &...available)
      : buffer(detail::opencl_members<buffer, Handle>::made(of, in, available...)) {}
  buffer(buffer &parent, const id<Dimensions> &first, const range<Dimensions> &size)
      : base(parent.part(first, size)), range_(size), allocator_(parent.allocator_),
        properties_(parent.properties_), is_sub_buffer_(true) {}

  range<Dimensions> get_range() const { return range_; }
  std::size_t size() const noexcept { return range_.size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  [[deprecated("use size()")]] std::size_t get_count() const { return size(); }
  [[deprecated("use byte_size()")]] std::size_t get_size() const { return byte_size(); }
  Allocator get_allocator() const { return allocator_; }
  bool is_sub_buffer() const { return is_sub_buffer_; }

  template <class... Arguments> auto get_access(Arguments &&...arguments) {
    return sycl::accessor(*this, std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments> auto get_host_access(Arguments &&...arguments) {
    return sycl::host_accessor(*this, std::forward<Arguments>(arguments)...);
  }
  // The form of SYCL 1.2.1: the mode is a template argument.
  template <access_mode Mode, target Target = target::device> auto get_access(handler &group) {
    return accessor<T, Dimensions, Mode, Target, access::placeholder::false_t>(*this, group);
  }
  template <access_mode Mode, target Target = target::device>
  auto get_access(handler &group, range<Dimensions> size, id<Dimensions> offset = {}) {
    return accessor<T, Dimensions, Mode, Target, access::placeholder::false_t>(*this, group, size,
                                                                               offset);
  }
  template <access_mode Mode> [[deprecated("use get_host_access")]] auto get_access() {
    return accessor<T, Dimensions, Mode, detail::host_target, access::placeholder::false_t>(*this);
  }
  template <access_mode Mode>
  [[deprecated("use get_host_access")]] auto get_access(range<Dimensions> size,
                                                        id<Dimensions> offset = {}) {
    return accessor<T, Dimensions, Mode, detail::host_target, access::placeholder::false_t>(
        *this, size, offset);
  }

  template <class Destination = std::nullptr_t> void set_final_data(Destination to = nullptr) {
    detail::note_left_host_memory<buffer>();
    shared_->set_final_data(
        detail::final_data(to, [count = size()](const void *data, const auto &first) {
          std::copy_n(static_cast<const T *>(data), count, first);
        }));
  }
  void set_write_back(bool on = true) {
    detail::note_left_host_memory<buffer>();
    shared_->set_write_back(on);
  }

  template <class Property> bool has_property() const noexcept {
    return properties_.template has_property<Property>();
  }
  template <class Property> Property get_property() const {
    return properties_.template get_property<Property>();
  }

  template <class Other, int OtherDimensions = Dimensions>
  auto reinterpret(range<OtherDimensions> size) const {
    if (size.size() * sizeof(Other) != byte_size())
      detail::raise(errc::invalid,
                    "a buffer is reinterpreted with a range that has another number of bytes "
                    "(SYCL 2020 section 4.7.2.1)");
    using Rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<
        std::remove_const_t<Other>>;
    return buffer<Other, OtherDimensions, Rebound>(shared_, size, properties_, is_sub_buffer_);
  }
  template <class Other, int OtherDimensions = Dimensions,
            std::enable_if_t<OtherDimensions == 1 ||
                                 (OtherDimensions == Dimensions && sizeof(Other) == sizeof(T)),
                             int> = 0>
  auto reinterpret() const {
    if constexpr (OtherDimensions == 1)
      return reinterpret<Other, 1>(range<1>(byte_size() / sizeof(Other)));
    else
      return reinterpret<Other, Dimensions>(range_);
  }

private:
  template <class, int, class> friend class buffer;
  friend detail::pointer_access;
  buffer(const range<Dimensions> &size, const property_list &properties, void *host,
         bool is_constant, std::shared_ptr<void> keep)
      : base(lockstep_sycl_library().make_buffer(
            origin_of(size.size() * sizeof(T), properties, host, is_constant, std::move(keep)))),
        range_(size), properties_(properties) {}
  // For buffers made by another API. A template, because the 0 in buffer<int>{0} must not convert
  // to a null pointer.
  template <class Pointer,
            std::enable_if_t<std::is_same_v<Pointer, detail::buffer_pointer>, int> = 0>
  explicit buffer(Pointer shared) : base(std::move(shared)), range_(shared_->bytes() / sizeof(T)) {}
  buffer(detail::buffer_pointer shared, const range<Dimensions> &size,
         const property_list &properties, bool is_sub_buffer)
      : base(std::move(shared)), range_(size), properties_(properties),
        is_sub_buffer_(is_sub_buffer) {}

  static detail::buffer_origin origin_of(std::size_t bytes, const property_list &properties,
                                         void *host, bool is_constant, std::shared_ptr<void> keep) {
    namespace given = property::buffer;
    detail::buffer_origin origin;
    origin.bytes = bytes;
    origin.host = host;
    origin.is_constant = is_constant;
    origin.keep = std::move(keep);
    detail::read_properties<given::use_host_ptr, given::use_mutex, given::context_bound>(
        origin, properties);
    return origin;
  }

  detail::buffer_pointer part(const id<Dimensions> &first, const range<Dimensions> &size) const {
    if (is_sub_buffer_)
      detail::raise(errc::invalid,
                    "a sub-buffer is made of a sub-buffer (SYCL 2020 section 4.7.2.1)");
    for (int d = 0; d < Dimensions; ++d) {
      if (size[d] == 0 || first[d] > range_[d] || size[d] > range_[d] - first[d])
        detail::raise(errc::invalid,
                      "a sub-buffer is empty or not inside its buffer (SYCL 2020 section 4.7.2.1)");
      if (d > 0 && size[d] != range_[d] && !all_ones(size, d))
        detail::raise(
            errc::invalid,
            "the elements of a sub-buffer are not contiguous (SYCL 2020 section 4.7.2.1)");
    }
    return shared_->sub_buffer(detail::linear_index(first, range_) * sizeof(T),
                               size.size() * sizeof(T));
  }
  static bool all_ones(const range<Dimensions> &size, int before) {
    for (int d = 0; d < before; ++d)
      if (size[d] != 1)
        return false;
    return true;
  }

  range<Dimensions> range_;
  Allocator allocator_{};
  property_list properties_;
  bool is_sub_buffer_ = false;
};

template <class Iterator, class Allocator, detail::if_iterator<Iterator> = 0>
buffer(Iterator, Iterator, Allocator, const property_list & = {})
    -> buffer<typename std::iterator_traits<Iterator>::value_type, 1, Allocator>;
template <class Iterator, detail::if_iterator<Iterator> = 0>
buffer(Iterator, Iterator, const property_list & = {})
    -> buffer<typename std::iterator_traits<Iterator>::value_type, 1>;
template <class T, int Dimensions>
buffer(const T *, const range<Dimensions> &, const property_list & = {}) -> buffer<T, Dimensions>;
template <class T, int Dimensions, class Allocator>
buffer(const T *, const range<Dimensions> &, Allocator, const property_list & = {})
    -> buffer<T, Dimensions, Allocator>;
template <class Container, detail::if_contiguous<Container> = 0>
buffer(Container &, const property_list & = {}) -> buffer<typename Container::value_type, 1>;
template <class Container, class Allocator, detail::if_contiguous<Container> = 0>
buffer(Container &, Allocator, const property_list & = {})
    -> buffer<typename Container::value_type, 1, Allocator>;

} // namespace sycl

template <class T, int Dimensions, class Allocator>
struct std::hash<sycl::buffer<T, Dimensions, Allocator>>
    : sycl::detail::hash_of_object<sycl::buffer<T, Dimensions, Allocator>> {};
