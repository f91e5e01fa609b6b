// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interoperability with OpenCL (SYCL 2020, section 4.5.1 and appendix C): converts SYCL objects to
// OpenCL handles and back, without copies. Programs that use it include CL/cl.h themselves; this
// header only declares its types.
#pragma once

#include "sycl/buffer.hpp"
#include "sycl/image_accessor.hpp"
#include "sycl/kernel_bundle.hpp"
#include "sycl/queue.hpp"

namespace sycl {

namespace detail {

template <class T> struct opencl_type; // the type that make_* takes and get_native returns
template <class In, class Out = In> struct opencl_types {
  using input = In;
  using output = Out;
};
template <> struct opencl_type<platform> : opencl_types<_cl_platform_id *> {};
template <> struct opencl_type<device> : opencl_types<_cl_device_id *> {};
template <> struct opencl_type<context> : opencl_types<_cl_context *> {};
template <> struct opencl_type<queue> : opencl_types<_cl_command_queue *> {};
template <> struct opencl_type<kernel> : opencl_types<_cl_kernel *> {};
template <> struct opencl_type<event> : opencl_types<std::vector<_cl_event *>> {};
template <bundle_state State>
struct opencl_type<kernel_bundle<State>> : opencl_types<_cl_program *, std::vector<_cl_program *>> {
};
template <class T, int D, class A>
struct opencl_type<buffer<T, D, A>> : opencl_types<_cl_mem *, std::vector<_cl_mem *>> {};
template <int D, class A>
struct opencl_type<unsampled_image<D, A>> : opencl_types<_cl_mem *, std::vector<_cl_mem *>> {};
template <int D, class A>
struct opencl_type<sampled_image<D, A>> : opencl_types<_cl_mem *, std::vector<_cl_mem *>> {};

inline const opencl_interop &opencl() {
  return lockstep_sycl_library().opencl();
}
template <class Handle> Handle *retained(Handle *one) {
  opencl().retain(one);
  return one;
}
// Uses the context that the object was made with or is bound to, otherwise the default context.
template <class Bound, class Object>
std::vector<_cl_mem *> native_memory(const Object &of, buffer_interface &memory) {
  context_pointer in;
  if (of.template has_property<Bound>())
    in = pointer_access::of(of.template get_property<Bound>().get_context());
  return {retained(opencl().native(memory, in))};
}

} // namespace detail

template <> class backend_traits<backend::opencl> {
public:
  template <class T> using input_type = typename detail::opencl_type<T>::input;
  template <class T> using return_type = typename detail::opencl_type<T>::output;
};
template <backend Backend, class T>
using backend_return_t = typename backend_traits<Backend>::template return_type<T>;
template <backend Backend, class T>
using backend_input_t = typename backend_traits<Backend>::template input_type<T>;
// ---- get_native: each handle is retained for the caller, who must release it

template <backend Backend> backend_return_t<Backend, platform> get_native(const platform &of) {
  return detail::opencl().native(detail::pointer_access::of(of));
}
template <backend Backend> backend_return_t<Backend, device> get_native(const device &of) {
  return detail::retained(detail::opencl().native(detail::pointer_access::of(of)));
}
template <backend Backend> backend_return_t<Backend, context> get_native(const context &of) {
  return detail::retained(detail::opencl().native(detail::pointer_access::of(of)));
}
template <backend Backend> backend_return_t<Backend, queue> get_native(const queue &of) {
  return detail::retained(detail::opencl().native(detail::pointer_access::of(of)));
}
template <backend Backend> backend_return_t<Backend, event> get_native(const event &of) {
  return detail::opencl().make_natives(detail::pointer_access::of(of));
}
template <backend Backend> backend_return_t<Backend, kernel> get_native(const kernel &of) {
  return detail::retained(detail::opencl().native(detail::pointer_access::of(of)));
}
template <backend Backend, bundle_state State>
backend_return_t<Backend, kernel_bundle<State>> get_native(const kernel_bundle<State> &of) {
  auto programs = detail::opencl().natives(detail::pointer_access::of(of));
  for (_cl_program *one : programs)
    detail::opencl().retain(one);
  return programs;
}
template <backend Backend, class T, int D, class A>
backend_return_t<Backend, buffer<T, D, A>> get_native(const buffer<T, D, A> &of) {
  return detail::native_memory<property::buffer::context_bound>(of,
                                                                *detail::pointer_access::of(of));
}
template <backend Backend, int D, class A>
backend_return_t<Backend, unsampled_image<D, A>> get_native(const unsampled_image<D, A> &of) {
  return detail::native_memory<property::image::context_bound>(
      of, *detail::pointer_access::of(of)->memory());
}
template <backend Backend, int D, class A>
backend_return_t<Backend, sampled_image<D, A>> get_native(const sampled_image<D, A> &of) {
  return detail::native_memory<property::image::context_bound>(
      of, *detail::pointer_access::of(of)->memory());
}

// ---- make_*: the SYCL object retains the handle

template <backend Backend> platform make_platform(const backend_input_t<Backend, platform> &of) {
  return detail::pointer_access::make<platform>(detail::opencl().make(of));
}
template <backend Backend> device make_device(const backend_input_t<Backend, device> &of) {
  return detail::pointer_access::make<device>(detail::opencl().make(of));
}
template <backend Backend>
context make_context(const backend_input_t<Backend, context> &of,
                     const async_handler handler = {}) {
  return detail::pointer_access::make<context>(detail::opencl().make(of, handler));
}
template <backend Backend>
queue make_queue(const backend_input_t<Backend, queue> &of, const context &in,
                 const async_handler handler = {}) {
  return detail::pointer_access::make<queue>(
      detail::opencl().make(of, detail::pointer_access::of(in), handler));
}
template <backend Backend>
event make_event(const backend_input_t<Backend, event> &of, const context &in) {
  return detail::pointer_access::make<event>(
      detail::opencl().make(of, detail::pointer_access::of(in)));
}
template <backend Backend, class T, int Dimensions = 1,
          class Allocator = buffer_allocator<std::remove_const_t<T>>>
buffer<T, Dimensions, Allocator>
make_buffer(const backend_input_t<Backend, buffer<T, Dimensions, Allocator>> &of, const context &in,
            event available = {}) {
  static_assert(Dimensions == 1, "a cl_mem is a row of bytes");
  detail::buffer_pointer made = detail::opencl().make(of, detail::pointer_access::of(in),
                                                      detail::pointer_access::of(available));
  return detail::pointer_access::make<buffer<T, Dimensions, Allocator>>(std::move(made));
}
template <backend Backend, int Dimensions = 1, class Allocator = image_allocator>
unsampled_image<Dimensions, Allocator>
make_unsampled_image(const backend_input_t<Backend, unsampled_image<Dimensions, Allocator>> &of,
                     const context &in, event available = {}) {
  return detail::pointer_access::make<unsampled_image<Dimensions, Allocator>>(
      detail::opencl().make_image(of, Dimensions, nullptr, detail::pointer_access::of(in),
                                  detail::pointer_access::of(available)));
}
template <backend Backend, int Dimensions = 1, class Allocator = image_allocator>
sampled_image<Dimensions, Allocator>
make_sampled_image(const backend_input_t<Backend, sampled_image<Dimensions, Allocator>> &of,
                   const context &in, image_sampler sampler, event available = {}) {
  return detail::pointer_access::make<sampled_image<Dimensions, Allocator>>(
      detail::opencl().make_image(of, Dimensions, &sampler, detail::pointer_access::of(in),
                                  detail::pointer_access::of(available)));
}
template <backend Backend, bundle_state State>
kernel_bundle<State> make_kernel_bundle(const backend_input_t<Backend, kernel_bundle<State>> &of,
                                        const context &in) {
  return detail::pointer_access::make<kernel_bundle<State>>(
      detail::opencl().make(of, detail::pointer_access::of(in), State));
}
template <backend Backend>
kernel make_kernel(const backend_input_t<Backend, kernel> &of, const context &in) {
  return detail::pointer_access::make<kernel>(
      detail::opencl().make(of, detail::pointer_access::of(in)));
}

// ---- SYCL 1.2.1: member functions for the same conversions (SYCL 1.2.1, section 4.3.1)

namespace detail {

template <class Class, class Handle> struct opencl_members {
  static Handle get(const Class &of) { return get_native<backend::opencl>(of); }
  template <class... Where> static auto made(Handle of, const Where &...where) {
    return opencl().make(of, object_or_handler(where)...);
  }

private:
  static const context_pointer &object_or_handler(const context &in) {
    return pointer_access::of(in);
  }
  static const async_handler &object_or_handler(const async_handler &handler) { return handler; }
};
template <class Buffer> struct opencl_members<Buffer, _cl_mem *> {
  static buffer_pointer made(_cl_mem *of, const context &in, const event &available = {}) {
    return opencl().make(of, pointer_access::of(in), pointer_access::of(available));
  }
};
template <> struct opencl_members<event, _cl_event *> {
  static _cl_event *get(const event &of) {
    return opencl().make_natives(pointer_access::of(of)).front();
  }
  static event_pointer made(_cl_event *of, const context &in) {
    return opencl().make({of}, pointer_access::of(in));
  }
};

} // namespace detail

// ---- further functions of appendix C

namespace detail {

template <bundle_state State>
kernel_bundle<State> bundle_of(const std::vector<kernel_bundle_pointer> &parts,
                               const std::vector<device> &devices) {
  return pointer_access::make<kernel_bundle<State>>(lockstep_sycl_library().derive_bundle(
      parts, pointers_of(devices), true, State == bundle_state::executable));
}

} // namespace detail

namespace opencl {

inline bool has_extension(const platform &of, const std::string &extension) {
  const std::vector<std::string> all = of.get_info<info::platform::extensions>();
  return std::find(all.begin(), all.end(), extension) != all.end();
}
inline bool has_extension(const device &of, const std::string &extension) {
  const std::vector<std::string> all = of.get_info<info::device::extensions>();
  return std::find(all.begin(), all.end(), extension) != all.end();
}

template <class Handle> cl_uint get_reference_count(Handle of) {
  return detail::opencl().references(of);
}

// SYCL objects do not run through OpenCL, so no exception has an OpenCL error: always CL_SUCCESS.
inline cl_int get_error_code(exception &) {
  return 0;
}

template <bundle_state State>
kernel_bundle<State> create_bundle(const context &in, const std::vector<device> &devices,
                                   const std::vector<_cl_program *> &programs) {
  std::vector<detail::kernel_bundle_pointer> parts;
  for (_cl_program *one : programs)
    parts.push_back(detail::opencl().make(one, detail::pointer_access::of(in), State));
  return detail::bundle_of<State>(parts, devices);
}
inline kernel_bundle<bundle_state::executable>
create_bundle(const context &in, const std::vector<device> &devices,
              const std::vector<_cl_kernel *> &kernels) {
  std::vector<detail::kernel_bundle_pointer> parts;
  for (_cl_kernel *one : kernels)
    parts.push_back(detail::opencl().make(one, detail::pointer_access::of(in))->bundle());
  return detail::bundle_of<bundle_state::executable>(parts, devices);
}

} // namespace opencl

// ---- host tasks: handles are valid until the task returns

template <backend Backend>
auto interop_handle::native_memory(detail::buffer_interface *memory) const {
  if (!memory || std::find(required_.begin(), required_.end(), memory) == required_.end())
    detail::raise(errc::invalid,
                  "get_native_mem is given an accessor that is not one of the host task's (SYCL "
                  "2020 section 4.10.2)");
  return backend_return_t<Backend, buffer<std::byte>>{
      detail::opencl().native(*memory, queue_->context())};
}
template <backend Backend, class T, int D, access_mode M, target G, access::placeholder P>
auto interop_handle::get_native_mem(const accessor<T, D, M, G, P> &of) const {
  return native_memory<Backend>(detail::box_of::accessor(of).buffer);
}
template <backend Backend, class T, int D, access_mode M>
auto interop_handle::get_native_mem(
    const unsampled_image_accessor<T, D, M, image_target::device> &of) const {
  return native_memory<Backend>(detail::image_of::accessor(of));
}
template <backend Backend, class T, int D>
auto interop_handle::get_native_mem(
    const sampled_image_accessor<T, D, image_target::device> &of) const {
  return native_memory<Backend>(detail::image_of::accessor(of));
}
template <backend Backend> auto interop_handle::get_native_queue() const {
  return backend_return_t<Backend, queue>(detail::opencl().native(queue_));
}
template <backend Backend> auto interop_handle::get_native_device() const {
  return backend_return_t<Backend, device>(detail::opencl().native(queue_->device()));
}
template <backend Backend> auto interop_handle::get_native_context() const {
  return backend_return_t<Backend, context>(detail::opencl().native(queue_->context()));
}

} // namespace sycl
