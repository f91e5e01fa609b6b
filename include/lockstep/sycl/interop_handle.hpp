// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// interop_handle (SYCL 2020, section 4.10.2): gives a host task the native objects of its queue and
// accessors.
#pragma once

#include "sycl/access.hpp"
#include "sycl/backend.hpp"
#include "sycl/detail/library.hpp"

namespace sycl {

template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder Placeholder>
class accessor;
template <class DataT, int Dimensions, access_mode Mode, image_target Target>
class unsampled_image_accessor;
template <class DataT, int Dimensions, image_target Target> class sampled_image_accessor;

class interop_handle {
public:
  interop_handle() = delete;
  backend get_backend() const noexcept { return backend::opencl; }

  // defined in backend_interop.hpp
  template <backend Backend, class T, int D, access_mode M, target G, access::placeholder P>
  auto get_native_mem(const accessor<T, D, M, G, P> &of) const;
  template <backend Backend, class T, int D, access_mode M>
  auto get_native_mem(const unsampled_image_accessor<T, D, M, image_target::device> &of) const;
  template <backend Backend, class T, int D>
  auto get_native_mem(const sampled_image_accessor<T, D, image_target::device> &of) const;
  template <backend Backend> auto get_native_queue() const;
  template <backend Backend> auto get_native_device() const;
  template <backend Backend> auto get_native_context() const;

private:
  friend class handler;
  // Throws unless the memory belongs to one of the task's accessors.
  template <backend Backend> auto native_memory(detail::buffer_interface *memory) const;
  interop_handle(detail::queue_pointer queue,
                 std::vector<const detail::buffer_interface *> required)
      : queue_(std::move(queue)), required_(std::move(required)) {}
  detail::queue_pointer queue_;
  std::vector<const detail::buffer_interface *> required_;
};

} // namespace sycl
