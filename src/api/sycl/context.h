// Contexts: a list of devices and an error handler.
//
// The default context has all devices of the platform (sycl_khr_default_context). It lists them when
// a program asks for them, as that loads the drivers of cards: most programs ask for none.
#pragma once

#include "api/sycl/native_object.h"

#include "sycl/detail/library.hpp"

#include <vector>

namespace lockstep::sycl_api {

class Context final : public sycl::detail::context_interface {
public:
  Context(std::vector<sycl::detail::device_pointer> devices,
          sycl::detail::handler_of_errors handler)
      : devices_(std::move(devices)), handler_(std::move(handler)) {}

  // The default context.
  Context() = default;

  std::vector<sycl::detail::device_pointer> devices() const override;
  sycl::detail::device_pointer first() const;
  // False: no device of the context has memory of its own. Loads no driver: true may be wrong.
  bool may_have_cards() const;
  void get_info(int number, void *to) const override;
  const sycl::detail::handler_of_errors &handler() const { return handler_; }
  // this device, or the device that it is a part of
  bool has(const sycl::detail::device_pointer &device) const;
  NativeObject &native() const { return native_; }

private:
  const std::vector<sycl::detail::device_pointer> devices_; // none: the default context
  const sycl::detail::handler_of_errors handler_;
  mutable NativeObject native_;
};

sycl::detail::context_pointer default_context();

} // namespace lockstep::sycl_api
