// interop_handle (SYCL 2020, section 4.10.2): what a host task is given to get at the objects beneath.
#pragma once

#include "sycl/context.hpp"
#include "sycl/detail/library.hpp"

namespace sycl {

class queue;

class interop_handle {
public:
  interop_handle() = delete;
  backend get_backend() const noexcept { return backend::lockstep; }

private:
  friend class handler;
  explicit interop_handle(detail::queue_pointer queue) : queue_(std::move(queue)) {}
  detail::queue_pointer queue_;
};

} // namespace sycl
