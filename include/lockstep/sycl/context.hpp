// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// context (SYCL 2020, section 4.6.3): a set of devices of one platform.
#pragma once

#include "sycl/device.hpp"
#include "sycl/device_selector.hpp"
#include "sycl/property_list.hpp"

namespace sycl {

class context : public detail::object<context, detail::context_interface> {
public:
  explicit context(const property_list & = {}) : context(device()) {}
  explicit context(async_handler handler, const property_list &properties = {})
      : context(device(), std::move(handler), properties) {}
  explicit context(const device &one, const property_list &properties = {})
      : context(one, async_handler(), properties) {}
  explicit context(const device &one, async_handler handler, const property_list &properties = {})
      : context(std::vector<device>{one}, std::move(handler), properties) {}
  explicit context(const platform &all_of, const property_list &properties = {})
      : context(all_of.get_devices(), properties) {}
  explicit context(const platform &all_of, async_handler handler,
                   const property_list &properties = {})
      : context(all_of.get_devices(), std::move(handler), properties) {}
  explicit context(const std::vector<device> &devices, const property_list &properties = {})
      : context(devices, async_handler(), properties) {}
  explicit context(const std::vector<device> &devices, async_handler handler,
                   const property_list &properties = {})
      : object(
            lockstep_sycl_library().make_context(detail::pointers_of(devices), std::move(handler))),
        properties_(properties) {}

  template <class Handle, detail::if_handle<Handle, _cl_context> = 0>
  [[deprecated("use make_context()")]] context(Handle of, async_handler handler = {})
      : object(detail::opencl_members<context, Handle>::made(of, std::move(handler))) {}
  template <class Of = context> [[deprecated("use get_native()")]] _cl_context *get() const {
    return detail::opencl_members<Of, _cl_context *>::get(*this);
  }

  backend get_backend() const noexcept { return backend::opencl; }
  platform get_platform() const { return get_devices().front().get_platform(); }
  std::vector<device> get_devices() const { return detail::make_all<device>(shared_->devices()); }
  template <class Query> auto get_info() const {
    if constexpr (std::is_same_v<Query, info::context::platform>)
      return get_platform();
    else if constexpr (std::is_same_v<Query, info::context::devices>)
      return get_devices();
    else if constexpr (detail::answers_itself<Query, const context &>)
      return Query::answer(*this);
    else {
      static_assert(
          detail::is_query_of<Query, context>,
          "get_info() of a context takes a type of info::context (SYCL 2020 section 4.6.3.2)");
      return detail::ask<Query>(*shared_);
    }
  }
  // The backend defines no descriptors of its own (appendix C): the ones of get_info serve.
  template <class Query> auto get_backend_info() const { return get_info<Query>(); }
  template <class Property> bool has_property() const noexcept {
    return properties_.has_property<Property>();
  }
  template <class Property> Property get_property() const {
    return properties_.get_property<Property>();
  }
  [[deprecated("there is no host device in SYCL 2020")]] bool is_host() const { return false; }

private:
  friend class exception;
  friend detail::pointer_access;
  explicit context(detail::context_pointer shared) : object(std::move(shared)) {}

  property_list properties_;
};

inline context platform::ext_oneapi_get_default_context() const {
  return khr_get_default_context();
}
inline context platform::khr_get_default_context() const {
  return detail::pointer_access::make<context>(lockstep_sycl_library().default_context(shared_));
}

inline exception::exception(const context &where, std::error_code code, const std::string &what)
    : exception(code, what) {
  context_ = detail::pointer_access::of(where);
}
inline exception::exception(const context &where, std::error_code code, const char *what)
    : exception(where, code, std::string(what)) {}
inline exception::exception(const context &where, std::error_code code)
    : exception(where, code, code.message()) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const std::string &what)
    : exception(where, std::error_code(value, category), what) {}
inline exception::exception(const context &where, int value, const std::error_category &category,
                            const char *what)
    : exception(where, std::error_code(value, category), what) {}
inline exception::exception(const context &where, int value, const std::error_category &category)
    : exception(where, std::error_code(value, category)) {}

inline context exception::get_context() const {
  if (!context_)
    detail::raise(errc::invalid, "the exception has no context");
  return context(std::static_pointer_cast<detail::context_interface>(context_));
}

} // namespace sycl

template <> struct std::hash<sycl::context> : sycl::detail::hash_of_object<sycl::context> {};
