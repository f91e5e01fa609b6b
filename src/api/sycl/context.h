// Contexts. Devices share the host's memory, so a context is just a list of devices and an error
// handler.
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

  std::vector<sycl::detail::device_pointer> devices() const override { return devices_; }
  void get_info(int number, void *to) const override;
  const sycl::detail::handler_of_errors &handler() const { return handler_; }
  // this device, or the device that it is a part of
  bool has(const sycl::detail::device_pointer &device) const;
  NativeObject &native() const { return native_; }

private:
  const std::vector<sycl::detail::device_pointer> devices_;
  const sycl::detail::handler_of_errors handler_;
  mutable NativeObject native_;
};

sycl::detail::context_pointer default_context();

} // namespace lockstep::sycl_api
