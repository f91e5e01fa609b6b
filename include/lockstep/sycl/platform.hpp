// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// platform (SYCL 2020, section 4.6.2): the devices of one OpenCL platform.
#pragma once

#include "sycl/backend.hpp"
#include "sycl/detail/object.hpp"
#include "sycl/exception.hpp"
#include "sycl/info.hpp"

namespace sycl {

class device_selector;
namespace detail {
// A function that returns the score of a device. The operator of a class of SYCL 1.2.1 may be
// private: its base class declares it.
template <class T>
inline constexpr bool is_device_selector =
    std::is_base_of_v<device_selector, T> || std::is_invocable_r_v<int, const T &, const device &>;
} // namespace detail

class platform : public detail::object<platform, detail::platform_interface> {
public:
  platform() : object(lockstep_sycl_library().platforms().front()) {}
  template <class Selector, std::enable_if_t<detail::is_device_selector<Selector>, int> = 0>
  explicit platform(const Selector &selector); // defined in device_selector.hpp

  template <class Handle, detail::if_handle<Handle, _cl_platform_id> = 0>
  [[deprecated("use make_platform()")]] explicit platform(Handle of)
      : object(detail::opencl_members<platform, Handle>::made(of)) {}
  template <class Of = platform> [[deprecated("use get_native()")]] _cl_platform_id *get() const {
    return detail::opencl_members<Of, _cl_platform_id *>::get(*this);
  }

  backend get_backend() const noexcept { return backend::opencl; }
  std::vector<device> get_devices(info::device_type type = info::device_type::all) const;
  template <class Query> auto get_info() const {
    static_assert(
        detail::is_query_of<Query, platform>,
        "get_info() of a platform takes a type of info::platform (SYCL 2020 section 4.6.2.2)");
    return detail::ask<Query>(*shared_);
  }
  // The backend defines no descriptors of its own (appendix C): the ones of get_info serve.
  template <class Query> auto get_backend_info() const { return get_info<Query>(); }
  bool has(aspect what) const; // true if all its devices have it
  [[deprecated("use has()")]] bool has_extension(const std::string &name) const {
    for (const std::string &extension : get_info<info::platform::extensions>())
      if (extension == name)
        return true;
    return false;
  }
  [[deprecated("there is no host device in SYCL 2020")]] bool is_host() const { return false; }
  context khr_get_default_context() const;                      // defined in context.hpp
  context ext_oneapi_get_default_context() const;               // also defined in context.hpp
  std::vector<device> ext_oneapi_get_composite_devices() const; // defined in small_extensions.hpp
  static std::vector<platform> get_platforms() {
    return detail::make_all<platform>(lockstep_sycl_library().platforms());
  }

private:
  friend detail::pointer_access;
  explicit platform(detail::platform_pointer shared) : object(std::move(shared)) {}
};

} // namespace sycl

template <> struct std::hash<sycl::platform> : sycl::detail::hash_of_object<sycl::platform> {};
