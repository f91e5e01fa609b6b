// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// device_global: device variables that all kernels share, and that the host copies to and from
// (extension sycl_ext_oneapi_device_global).
//
// The host object contains the memory, on which a CPU works directly. On the device the variable
// contains a pointer. Like a specialization constant, the library sets its value before it compiles
// a kernel (specialization_id.hpp). lockstep++ stores the address of the host object of the same
// name in the image (tools/lockstep++/device_globals.h).
#pragma once

#include "sycl/exception.hpp"
#include "sycl/ext/oneapi/properties/properties.hpp"
#include "sycl/multi_ptr.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define SYCL_EXT_ONEAPI_DEVICE_GLOBAL 1

namespace sycl {

namespace ext::oneapi::experimental {

enum class host_access_enum : std::uint16_t { read, write, read_write, none };
struct device_image_scope_key : sycl::detail::property_lists::property_key<20> {
  using value_t = property_value<device_image_scope_key>;
};
struct host_access_key : sycl::detail::property_lists::property_key<21> {
  template <host_access_enum Access>
  using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
// These two properties are for FPGAs and have no effect here.
enum class init_mode_enum : std::uint16_t { reprogram, reset };
struct init_mode_key : sycl::detail::property_lists::property_key<22> {
  template <init_mode_enum Trigger>
  using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Trigger>>;
};
struct implement_in_csr_key : sycl::detail::property_lists::property_key<23> {
  template <bool Enable>
  using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};
inline constexpr device_image_scope_key::value_t device_image_scope;
template <host_access_enum Access> inline constexpr host_access_key::value_t<Access> host_access;
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read;
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write;
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write;
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none;
template <init_mode_enum Trigger> inline constexpr init_mode_key::value_t<Trigger> init_mode;
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram;
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset;
template <bool Enable> inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr;
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on;
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off;

template <class T, class Properties = empty_properties_t> class device_global;

} // namespace ext::oneapi::experimental

namespace detail {

template <class> inline constexpr bool is_device_global = false;
template <class T, class Properties>
inline constexpr bool is_device_global<ext::oneapi::experimental::device_global<T, Properties>> =
    true;

// A variable with device_image_scope cannot be copied from another.
template <bool Copies> struct device_global_copies {};
template <> struct device_global_copies<false> {
  constexpr device_global_copies() = default;
  device_global_copies(const device_global_copies &) = delete;
};
template <class Properties>
inline constexpr bool is_copied =
    !Properties::template has_property<ext::oneapi::experimental::device_image_scope_key>();
template <class Properties> using copies = device_global_copies<is_copied<Properties>>;
template <class Properties, class From, class To>
using if_copied = std::enable_if_t<is_copied<Properties> && std::is_convertible_v<From, To>, int>;

} // namespace detail

namespace ext::oneapi::experimental {

template <class T, class Properties>
class [[clang::annotate("lockstep.device_global")]] device_global : detail::copies<Properties> {
  static_assert(std::is_trivially_destructible_v<T>, "nothing is destroyed on the device");
  using memory_type = std::remove_const_t<T>;

public:
  using element_type = std::remove_extent_t<T>;

#ifdef __SYCL_DEVICE_ONLY__
  template <class... Arguments> constexpr explicit device_global(Arguments &&...) {}
  template <class Other, class OtherProperties, sycl::detail::if_copied<Properties, Other, T> = 0>
  constexpr device_global(const device_global<Other, OtherProperties> &) {}
#else
  constexpr device_global() = default;
  template <
      class... Arguments,
      std::enable_if_t<(sizeof...(Arguments) > 0) &&
                           !(sycl::detail::is_device_global<std::decay_t<Arguments>> || ...) &&
                           std::is_constructible_v<memory_type, Arguments...>,
                       int> = 0>
  constexpr explicit device_global(Arguments &&...arguments)
      : memory_(std::forward<Arguments>(arguments)...) {}
  template <class Other, class OtherProperties, sycl::detail::if_copied<Properties, Other, T> = 0>
  constexpr device_global(const device_global<Other, OtherProperties> &other)
      : memory_(other.memory_) {}
  ~device_global() {} // non-trivial: clang must keep variables that only kernels use
#endif
  // The copy starts with the initial value of the other variable.
  constexpr device_global(const device_global &) = default;
  device_global(const device_global &&) = delete;
  device_global &operator=(const device_global &) = delete;

  T &get() noexcept { return *pointer(); }
  const T &get() const noexcept { return *pointer(); }
  operator T &() noexcept { return get(); }
  operator const T &() const noexcept { return get(); }
  template <class U = T, std::enable_if_t<!std::is_array_v<U> && !std::is_const_v<U>, int> = 0>
  device_global &operator=(const U &value) noexcept {
    get() = value;
    return *this;
  }
  // The operators that T has. A program can test whether they exist.
  template <class U = T>
  auto operator[](std::ptrdiff_t at) noexcept
      -> std::remove_reference_t<decltype(std::declval<U &>()[at])> & {
    return static_cast<U &>(get())[at];
  }
  template <class U = T>
  auto operator[](std::ptrdiff_t at) const noexcept
      -> const std::remove_reference_t<decltype(std::declval<const U &>()[at])> & {
    return static_cast<const U &>(get())[at];
  }
  template <class U = T, std::enable_if_t<std::is_pointer_v<U>, int> = 0>
  U operator->() const noexcept {
    return get();
  }
  template <class U = T> auto operator->() noexcept -> decltype(std::declval<U &>().operator->()) {
    return static_cast<U &>(get()).operator->();
  }
  template <class U = T>
  auto operator->() const noexcept -> decltype(std::declval<const U &>().operator->()) {
    return static_cast<const U &>(get()).operator->();
  }
  template <access::decorated Decorated>
  multi_ptr<T, access::address_space::global_space, Decorated> get_multi_ptr() noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(pointer());
  }
  template <access::decorated Decorated>
  multi_ptr<const T, access::address_space::global_space, Decorated>
  get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(
        static_cast<const T *>(pointer()));
  }

  template <class Key> static constexpr bool has_property() {
    return Properties::template has_property<Key>();
  }
  template <class Key> static constexpr auto get_property() {
    return Properties::template get_property<Key>();
  }

private:
  template <class, class> friend class device_global;
#ifdef __SYCL_DEVICE_ONLY__
  T *pointer() const noexcept { return memory_.address; }
  struct place { // a copy does not copy the address
    constexpr place() = default;
    constexpr place(const place &) {}
    __attribute__((opencl_global)) T *address = nullptr;
  };
  place memory_;
#else
  T *pointer() const noexcept { return &memory_; }
  mutable memory_type memory_{};
#endif
};

template <class T, class Properties>
struct is_property_key_of<device_image_scope_key, device_global<T, Properties>> : std::true_type {};
template <class T, class Properties>
struct is_property_key_of<host_access_key, device_global<T, Properties>> : std::true_type {};
template <class T, class Properties>
struct is_property_key_of<init_mode_key, device_global<T, Properties>> : std::true_type {};
template <class T, class Properties>
struct is_property_key_of<implement_in_csr_key, device_global<T, Properties>> : std::true_type {};

} // namespace ext::oneapi::experimental

namespace detail {

// Returns the address of a byte range in a variable, for copies.
template <class T, class Properties>
unsigned char *part_of(const ext::oneapi::experimental::device_global<T, Properties> &of,
                       std::size_t offset, std::size_t bytes) {
  if (bytes > sizeof(T) || offset > sizeof(T) - bytes)
    sycl::detail::raise(
        errc::invalid,
        "a copy goes beyond the end of a device_global (sycl_ext_oneapi_device_global)");
  return reinterpret_cast<unsigned char *>(const_cast<std::remove_const_t<T> *>(&of.get())) +
         offset;
}

} // namespace detail

} // namespace sycl
