// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// handler (SYCL 2020, section 4.9.4): through it, a command group function describes its command.
#pragma once

#include "sycl/accessor.hpp"
#include "sycl/detail/launch.hpp"
#include "sycl/event.hpp"
#include "sycl/ext/oneapi/experimental/device_global.hpp"
#include "sycl/ext/oneapi/experimental/graph_names.hpp"
#include "sycl/interop_handle.hpp"
#include "sycl/kernel_bundle.hpp"
#include "sycl/local_accessor.hpp"
#include "sycl/reduction.hpp"
#include "sycl/stream.hpp"

namespace sycl {

namespace detail {
struct graph_handler_access;
}

class handler {
  template <class T> using no_pointer = std::enable_if_t<!std::is_pointer_v<T>, int>;

public:
  handler(const handler &) = delete;
  handler &operator=(const handler &) = delete;

  void depends_on(const event &one) { group_.depends_on(detail::pointer_access::of(one)); }
  void depends_on(const std::vector<event> &all) {
    for (const event &one : all)
      depends_on(one);
  }
  template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder P>
  void require(const accessor<T, Dimensions, Mode, Target, P> &of) {
#ifndef __SYCL_DEVICE_ONLY__ // on the device, accessors own nothing
    if (!of.buffer_)
      detail::raise(errc::accessor,
                    "handler::require is given an accessor of no buffer (SYCL 2020 section "
                    "4.9.4.1)");
    group_.require(of.buffer_, of.kind_, of.first_byte(), of.byte_count());
#endif
  }

  // ---- kernels

  template <class Name = detail::unnamed_kernel, class Function>
  void single_task(const Function &function) {
    detail::launch<Name, detail::single_task_form>(group_, function, {});
  }
  template <class Name = detail::unnamed_kernel, class Function>
  void parallel_for(range<1> size, const Function &function) {
    detail::launch<Name, detail::range_form<1>>(group_, function, detail::shape_of(size));
  }
  template <class Name = detail::unnamed_kernel, class Function>
  void parallel_for(range<2> size, const Function &function) {
    detail::launch<Name, detail::range_form<2>>(group_, function, detail::shape_of(size));
  }
  template <class Name = detail::unnamed_kernel, class Function>
  void parallel_for(range<3> size, const Function &function) {
    detail::launch<Name, detail::range_form<3>>(group_, function, detail::shape_of(size));
  }
  template <class Name = detail::unnamed_kernel, class Function, int Dimensions>
  [[deprecated("offsets are deprecated in SYCL 2020")]] void
  parallel_for(range<Dimensions> size, id<Dimensions> offset, const Function &function) {
    detail::launch<Name, detail::range_form<Dimensions>>(group_, function,
                                                         detail::shape_of(size, offset));
  }
  template <class Name = detail::unnamed_kernel, class Function, int Dimensions>
  void parallel_for(nd_range<Dimensions> size, const Function &function) {
    detail::launch<Name, detail::nd_range_form<Dimensions>>(group_, function,
                                                            detail::shape_of(size));
  }

  template <class Name = detail::unnamed_kernel, class Function, int Dimensions>
  void parallel_for_work_group(range<Dimensions> groups, const Function &function) {
    detail::launch<Name, detail::work_group_form<Dimensions, true>>(
        group_, function, detail::shape_of_groups(groups, detail::size_of_groups<Dimensions>()));
  }
  template <class Name = detail::unnamed_kernel, class Function, int Dimensions>
  void parallel_for_work_group(range<Dimensions> groups, range<Dimensions> size,
                               const Function &function) {
    detail::launch<Name, detail::work_group_form<Dimensions, false>>(
        group_, function, detail::shape_of_groups(groups, size));
  }

  // With properties (sycl_ext_oneapi_kernel_properties).
  template <class Name = detail::unnamed_kernel, class Values, class Function>
  void single_task(ext::oneapi::experimental::properties<Values> given, const Function &function) {
    detail::launch<Name, detail::single_task_form, decltype(given)>(group_, function, {});
  }
#define LOCKSTEP_PROPERTIES(dimensions)                                                            \
  template <class Name = detail::unnamed_kernel, class Values, class First, class... Rest>         \
  void parallel_for(range<dimensions> size, ext::oneapi::experimental::properties<Values> given,   \
                    const First &first, const Rest &...rest) {                                     \
    launch_with<Name, detail::range_form<dimensions>>(size, given, first, rest...);                \
  }
  LOCKSTEP_PROPERTIES(1)
  LOCKSTEP_PROPERTIES(2)
  LOCKSTEP_PROPERTIES(3)
#undef LOCKSTEP_PROPERTIES
  template <class Name = detail::unnamed_kernel, int Dimensions, class Values, class First,
            class... Rest>
  void parallel_for(nd_range<Dimensions> size, ext::oneapi::experimental::properties<Values> given,
                    const First &first, const Rest &...rest) {
    launch_with<Name, detail::nd_range_form<Dimensions>>(size, given, first, rest...);
  }

  // With reductions, the last argument is the kernel function.
#define LOCKSTEP_REDUCTIONS(dimensions)                                                            \
  template <class Name = detail::unnamed_kernel, class Reduction, class... Rest,                   \
            detail::if_reduction<Reduction> = 0>                                                   \
  void parallel_for(range<dimensions> size, const Reduction &first, const Rest &...rest) {         \
    detail::reduce<Name, ext::oneapi::experimental::empty_properties_t>(                           \
        *this, group_, size, std::tie(first, rest...),                                             \
        std::make_index_sequence<sizeof...(Rest)>());                                              \
  }
  LOCKSTEP_REDUCTIONS(1)
  LOCKSTEP_REDUCTIONS(2)
  LOCKSTEP_REDUCTIONS(3)
#undef LOCKSTEP_REDUCTIONS
  template <class Name = detail::unnamed_kernel, int Dimensions, class Reduction, class... Rest,
            detail::if_reduction<Reduction> = 0>
  void parallel_for(nd_range<Dimensions> size, const Reduction &first, const Rest &...rest) {
    detail::reduce<Name, ext::oneapi::experimental::empty_properties_t>(
        *this, group_, size, std::tie(first, rest...), std::make_index_sequence<sizeof...(Rest)>());
  }

  // Launches of kernel objects, with arguments from set_arg (section 4.9.4.2.3).
  void single_task(const kernel &of) { launch(of, {}); }
  void parallel_for(range<1> size, const kernel &of) { launch(of, detail::shape_of(size)); }
  void parallel_for(range<2> size, const kernel &of) { launch(of, detail::shape_of(size)); }
  void parallel_for(range<3> size, const kernel &of) { launch(of, detail::shape_of(size)); }
  template <int Dimensions> void parallel_for(nd_range<Dimensions> size, const kernel &of) {
    launch(of, detail::shape_of(size));
  }
  template <int Dimensions>
  [[deprecated("offsets are deprecated in SYCL 2020")]] void
  parallel_for(range<Dimensions> size, id<Dimensions> offset, const kernel &of) {
    launch(of, detail::shape_of(size, offset));
  }
  // SYCL 1.2.1: a kernel function together with the kernel object built from it.
  template <class Name = detail::unnamed_kernel, class Function>
  [[deprecated("use use_kernel_bundle()")]] void single_task(const kernel &,
                                                             const Function &function) {
    single_task<Name>(function);
  }
  template <class Name = detail::unnamed_kernel, class Size, class... Rest>
  [[deprecated("use use_kernel_bundle()")]] void parallel_for(const kernel &, const Size &size,
                                                              const Rest &...rest) {
    parallel_for<Name>(size, rest...);
  }
  template <class Name = detail::unnamed_kernel, class... Arguments>
  [[deprecated("use use_kernel_bundle()")]] void
  parallel_for_work_group(const kernel &, const Arguments &...arguments) {
    parallel_for_work_group<Name>(arguments...);
  }
  template <class T> void set_arg(int index, T &&argument) { set_argument(index, argument); }
  template <class... Arguments> void set_args(Arguments &&...arguments) {
    int index = 0;
    (set_argument(index++, arguments), ...);
  }

  // ---- kernel bundles and specialization constants

  void use_kernel_bundle(const kernel_bundle<bundle_state::executable> &bundle) {
    group_.use_bundle(detail::pointer_access::of(bundle));
  }
  template <auto &Id> void set_specialization_constant(detail::specialization_type<Id> value) {
    group_.set_constant(detail::name_of_constant<Id>(), &value, sizeof value);
  }
  template <auto &Id> detail::specialization_type<Id> get_specialization_constant() {
    detail::specialization_type<Id> value = detail::default_of::id(Id);
    group_.get_constant(detail::name_of_constant<Id>(), &value, sizeof value);
    return value;
  }

  // ---- host tasks

  template <class Task> void host_task(Task &&task) {
    if constexpr (std::is_invocable_v<Task &, interop_handle>)
      group_.host_task([task, queue = queue_, required = group_.required()]() mutable {
        task(interop_handle(queue, required));
      });
    else
      group_.host_task(std::forward<Task>(task));
  }

  template <class Task> [[deprecated("use host_task()")]] void codeplay_host_task(Task &&task) {
    host_task(std::forward<Task>(task));
  }

  // ---- memory: pointers (USM)

  void memcpy(void *to, const void *from, std::size_t bytes) { group_.copy(to, from, bytes); }
  template <class T> void copy(const T *from, T *to, std::size_t count) {
    group_.copy(to, from, count * sizeof(T));
  }
  // sycl_ext_oneapi_device_global. Offsets are in bytes for memcpy, in elements otherwise.
  template <class T, class P>
  void memcpy(ext::oneapi::experimental::device_global<T, P> &to, const void *from,
              std::size_t bytes = sizeof(T), std::size_t offset = 0) {
    group_.copy(detail::part_of(to, offset, bytes), from, bytes);
  }
  template <class T, class P>
  void memcpy(void *to, const ext::oneapi::experimental::device_global<T, P> &from,
              std::size_t bytes = sizeof(T), std::size_t offset = 0) {
    group_.copy(to, detail::part_of(from, offset, bytes), bytes);
  }
  template <class T, class P>
  void copy(const std::remove_all_extents_t<T> *from,
            ext::oneapi::experimental::device_global<T, P> &to,
            std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>),
            std::size_t start = 0) {
    constexpr std::size_t element = sizeof(std::remove_all_extents_t<T>);
    memcpy(to, from, count * element, start * element);
  }
  template <class T, class P>
  void copy(const ext::oneapi::experimental::device_global<T, P> &from,
            std::remove_all_extents_t<T> *to,
            std::size_t count = sizeof(T) / sizeof(std::remove_all_extents_t<T>),
            std::size_t start = 0) {
    constexpr std::size_t element = sizeof(std::remove_all_extents_t<T>);
    memcpy(to, from, count * element, start * element);
  }
  void memset(void *to, int value, std::size_t bytes) {
    const auto byte = static_cast<unsigned char>(value);
    group_.fill(to, &byte, 1, bytes);
  }
  template <class T> void fill(void *to, const T &pattern, std::size_t count) {
    group_.fill(to, &pattern, sizeof(T), count);
  }
  void prefetch(const void *memory, std::size_t bytes) { group_.hint(memory, bytes); }
  void mem_advise(const void *memory, std::size_t bytes, int) { group_.hint(memory, bytes); }

  // sycl_ext_oneapi_memcpy2d: copies and fills of rows. Pitches and widths are in bytes or in
  // elements.
  void ext_oneapi_memcpy2d(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                           std::size_t width, std::size_t height) {
    const auto *source = static_cast<const unsigned char *>(from);
    ext_oneapi_copy2d(source, from_pitch, static_cast<unsigned char *>(to), to_pitch, width,
                      height);
  }
  template <class T>
  void ext_oneapi_copy2d(const T *from, std::size_t from_pitch, T *to, std::size_t to_pitch,
                         std::size_t width, std::size_t height) {
    const detail::memory_box source = rows_at(const_cast<T *>(from), from_pitch, width, height);
    group_.copy(rows_at(to, to_pitch, width, height), source);
  }
  void ext_oneapi_memset2d(void *to, std::size_t pitch, int value, std::size_t width,
                           std::size_t height) {
    ext_oneapi_fill2d(to, pitch, static_cast<unsigned char>(value), width, height);
  }
  template <class T>
  void ext_oneapi_fill2d(void *to, std::size_t pitch, const T &pattern, std::size_t width,
                         std::size_t height) {
    group_.fill(rows_at(static_cast<T *>(to), pitch, width, height), &pattern);
  }

  // ---- memory: accessors

  template <class T, int D, access_mode M, target G, access::placeholder P, class U>
  void copy(accessor<T, D, M, G, P> from, std::shared_ptr<U> to) {
    copy(from, to.get());
    group_.keep(to);
  }
  template <class T, int D, access_mode M, target G, access::placeholder P, class U>
  void copy(std::shared_ptr<U> from, accessor<T, D, M, G, P> to) {
    copy(from.get(), to);
    group_.keep(from);
  }
  template <class T, int D, access_mode M, target G, access::placeholder P, class U>
  void copy(accessor<T, D, M, G, P> from, U *to) {
    const detail::memory_box source = detail::box_of::accessor(from);
    group_.copy(dense_box(source, to), source);
  }
  template <class T, int D, access_mode M, target G, access::placeholder P, class U>
  void copy(const U *from, accessor<T, D, M, G, P> to) {
    const detail::memory_box destination = detail::box_of::accessor(to);
    group_.copy(destination, dense_box(destination, const_cast<U *>(from)));
  }
  template <class T, int D, access_mode M, target G, access::placeholder P, class U, int E,
            access_mode N, target H, access::placeholder Q>
  void copy(accessor<T, D, M, G, P> from, accessor<U, E, N, H, Q> to) {
    detail::memory_box source = detail::box_of::accessor(from),
                       destination = detail::box_of::accessor(to);
    if (destination.range[0] * destination.range[1] * destination.range[2] * sizeof(U) <
        source.range[0] * source.range[1] * source.range[2] * sizeof(T))
      detail::raise(errc::invalid,
                    "handler::copy is given a destination that is smaller than the source (SYCL "
                    "2020 section 4.9.4.3)");
    group_.copy(destination, source);
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  void update_host(accessor<T, D, M, G, P> of) {
    group_.update_host(detail::box_of::accessor(of));
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  void fill(accessor<T, D, M, G, P> to, const T &pattern) {
    group_.fill(detail::box_of::accessor(to), &pattern);
  }

  // sycl_ext_oneapi_graph (ext/oneapi/experimental/graph.hpp)
  void ext_oneapi_graph(
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
          graph);
  template <class T, int D, access_mode M, target G, access::placeholder P>
  void require(ext::oneapi::experimental::dynamic_parameter<accessor<T, D, M, G, P>> of);

  void ext_oneapi_barrier() { group_.barrier(); }
  void ext_oneapi_barrier(const std::vector<event> &all) {
    depends_on(all);
    group_.barrier();
  }
  [[deprecated("use ext_oneapi_barrier()")]] void barrier() { ext_oneapi_barrier(); }
  [[deprecated("use ext_oneapi_barrier()")]] void barrier(const std::vector<event> &all) {
    ext_oneapi_barrier(all);
  }

private:
  friend class queue;
  friend struct detail::graph_handler_access;
  friend struct detail::handler_access;
  friend struct detail::local_memory_access;
  friend struct detail::stream_memory_access;
  handler(detail::command_group_interface &group, detail::queue_pointer queue)
      : group_(group), queue_(std::move(queue)) {}

  template <class Parameter, class T, int D, access_mode M, target G, access::placeholder P>
  static void update(Parameter &parameter, const accessor<T, D, M, G, P> &of) {
#ifndef __SYCL_DEVICE_ONLY__ // on the device, accessors own nothing
    const void *memory = of.get_pointer();
    parameter.update(&memory, sizeof memory, of.buffer_, of.first_byte(), of.byte_count());
#endif
  }

  template <class Name, class Form, class Size, class Given, class First, class... Rest>
  void launch_with(const Size &size, Given, const First &first, const Rest &...rest) {
    if constexpr (sizeof...(Rest) == 0)
      detail::launch<Name, Form, Given>(group_, first, detail::shape_of(size));
    else
      detail::reduce<Name, Given>(*this, group_, size, std::tie(first, rest...),
                                  std::make_index_sequence<sizeof...(Rest)>());
  }

  void launch(const kernel &of, const detail::launch_shape &shape) {
    group_.launch(detail::pointer_access::of(of), shape);
  }

  template <class T, int D, access_mode M, target G, access::placeholder P>
  void set_argument(int index, const accessor<T, D, M, G, P> &of) {
    if constexpr (G == detail::local_target) {
      group_.set_local_argument(index, of.byte_size(), &of, sizeof of);
    } else {
      const void *memory = of.get_pointer();
      group_.set_argument(index, &memory, sizeof memory, &of, sizeof of);
    }
  }
  template <class T, int D> void set_argument(int index, const local_accessor<T, D> &of) {
    group_.set_local_argument(index, of.byte_size(), &of, sizeof of);
  }
  template <class T, int D, access_mode M, image_target G> // defined in image_accessor.hpp
  void set_argument(int index, const unsampled_image_accessor<T, D, M, G> &of);
  template <class T, int D, image_target G>
  void set_argument(int index, const sampled_image_accessor<T, D, G> &of);
  template <class T>
  void set_argument(int index, const ext::oneapi::experimental::dynamic_parameter<T> &of);
  // Sets a cl_mem argument; OpenCL memory objects create no dependencies between SYCL commands.
  void set_argument(int index, _cl_mem *of) {
    if (!queue_)
      detail::raise(errc::invalid, "a kernel of a graph is given a cl_mem, which it cannot keep");
    const detail::buffer_pointer buffer = lockstep_sycl_library().opencl().make(
        of, queue_->context(), lockstep_sycl_library().make_event());
    group_.keep_memory(buffer);
    const void *memory = buffer->data();
    group_.set_argument(index, &memory, sizeof memory, &of, sizeof of);
  }
  template <class T> void set_argument(int index, const T &value) {
    static_assert(std::is_trivially_copyable_v<T>, "the argument of a kernel is given as bytes");
    group_.set_argument(index, &value, sizeof value, &value, sizeof value);
  }

  // Program memory that holds the elements of a box contiguously.
  template <class U> static detail::memory_box dense_box(const detail::memory_box &like, U *data) {
    detail::memory_box box = like;
    box.buffer = nullptr;
    box.data = const_cast<std::remove_const_t<U> *>(data);
    for (int d = 0; d < 3; ++d)
      box.memory[d] = like.range[d], box.offset[d] = 0;
    return box;
  }

  template <class T>
  static detail::memory_box rows_at(T *data, std::size_t pitch, std::size_t width,
                                    std::size_t height) {
    if (width > pitch)
      detail::raise(errc::invalid, "the width of rows is larger than their distance "
                                   "(sycl_ext_oneapi_memcpy2d)");
    detail::memory_box box;
    box.data = data;
    box.element = sizeof(T);
    box.memory[1] = box.range[1] = height;
    box.memory[2] = pitch;
    box.range[2] = width;
    return box;
  }

  detail::command_group_interface &group_;
  const detail::queue_pointer queue_;
};

namespace detail {

// Access for graphs: fills command groups that belong to no queue, and registers parameters that
// can be updated.
struct graph_handler_access {
  template <class CommandGroup>
  static void fill(command_group_interface &group, queue_pointer queue, CommandGroup &fill) {
    handler face(group, std::move(queue));
    fill(face);
  }
  template <class Parameter, class T> static void update(Parameter &parameter, const T &value) {
    parameter.update(&value, sizeof value, nullptr, 0, 0);
  }
  template <class Parameter, class T, int D, access_mode M, target G, access::placeholder P>
  static void update(Parameter &parameter, const accessor<T, D, M, G, P> &of) {
    handler::update(parameter, of);
  }
};

inline void handler_access::require(handler &group, const buffer_pointer &buffer, access_kind kind,
                                    std::size_t offset, std::size_t bytes) {
  group.group_.require(buffer, kind, offset, bytes);
}

inline void handler_access::require(handler &group, const image_pointer &image, access_kind kind) {
  group.group_.require(image, kind);
}

inline stream_log *stream_memory_access::log(handler &group, std::size_t total,
                                             std::size_t of_item) {
  return group.group_.stream_memory(total, of_item);
}

inline void *local_memory_access::mark(handler &group, std::size_t bytes, std::size_t alignment,
                                       std::size_t words) {
  return group.group_.local_memory(bytes, alignment, words);
}

} // namespace detail

} // namespace sycl
