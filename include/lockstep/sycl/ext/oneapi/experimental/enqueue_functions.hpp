// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that enqueue commands to a queue or handler (extension
// sycl_ext_oneapi_enqueue_functions). Each kind of launch has its own name, and only
// submit_with_event makes an event.
#pragma once

#include "sycl/ext/oneapi/experimental/graph.hpp"
#include "sycl/queue.hpp"

#define SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS 1

namespace sycl::ext::oneapi::experimental {

// A range or nd_range, together with launch properties.
template <class Range, class Properties = empty_properties_t> class launch_config {
  static_assert(is_property_list_v<Properties>, "the properties are a list");

public:
  launch_config(Range range, Properties properties = {}) : range_(range), properties_(properties) {}

  // Not in the specification, which has no functions to read them.
  const Range &lockstep_range() const { return range_; }
  const Properties &lockstep_properties() const { return properties_; }

private:
  Range range_;
  Properties properties_;
};
template <class Range> launch_config(Range) -> launch_config<Range>;
template <class Range, class Properties>
launch_config(Range, Properties) -> launch_config<Range, Properties>;

// ---- command groups

template <class CommandGroup> void submit(queue in, CommandGroup &&fill) {
  in.submit(std::forward<CommandGroup>(fill));
}
template <class Values, class CommandGroup>
void submit(queue in, properties<Values>, CommandGroup &&fill) {
  in.submit(std::forward<CommandGroup>(fill));
}
template <class CommandGroup> event submit_with_event(queue in, CommandGroup &&fill) {
  return in.submit(std::forward<CommandGroup>(fill));
}
template <class Values, class CommandGroup>
event submit_with_event(queue in, properties<Values>, CommandGroup &&fill) {
  return in.submit(std::forward<CommandGroup>(fill));
}

// ---- kernels

template <class Name = sycl::detail::unnamed_kernel, class Kernel, class... Arguments>
void single_task(handler &in, const Kernel &what, Arguments &&...arguments) {
  if constexpr (std::is_same_v<Kernel, kernel>) {
    in.set_args(std::forward<Arguments>(arguments)...);
    in.single_task(what);
  } else {
    static_assert(sizeof...(Arguments) == 0, "a kernel that is a function has no arguments");
    in.single_task<Name>(what);
  }
}
template <class Name = sycl::detail::unnamed_kernel, class Kernel, class... Arguments>
void single_task(queue in, const Kernel &what, Arguments &&...arguments) {
  in.submit([&](handler &group) { single_task<Name>(group, what, arguments...); });
}

// Arguments after a function are its reductions; arguments after a kernel object are the kernel's
// arguments.
#define LOCKSTEP_LAUNCHES(name, Range)                                                             \
  template <class Name = sycl::detail::unnamed_kernel, int Dimensions, class Kernel,               \
            class... More>                                                                         \
  void name(handler &in, Range<Dimensions> size, const Kernel &what, More &&...more) {             \
    if constexpr (std::is_same_v<Kernel, kernel>) {                                                \
      in.set_args(std::forward<More>(more)...);                                                    \
      in.parallel_for(size, what);                                                                 \
    } else {                                                                                       \
      in.parallel_for<Name>(size, more..., what);                                                  \
    }                                                                                              \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed_kernel, int Dimensions, class Kernel,               \
            class... More>                                                                         \
  void name(queue in, Range<Dimensions> size, const Kernel &what, More &&...more) {                \
    in.submit([&](handler &group) { name<Name>(group, size, what, more...); });                    \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed_kernel, int Dimensions, class Properties,           \
            class Kernel, class... More>                                                           \
  void name(handler &in, launch_config<Range<Dimensions>, Properties> how, const Kernel &what,     \
            More &&...more) {                                                                      \
    if constexpr (std::is_same_v<Kernel, kernel>)                                                  \
      name(in, how.lockstep_range(), what, more...);                                               \
    else                                                                                           \
      in.parallel_for<Name>(how.lockstep_range(), how.lockstep_properties(), more..., what);       \
  }                                                                                                \
  template <class Name = sycl::detail::unnamed_kernel, int Dimensions, class Properties,           \
            class Kernel, class... More>                                                           \
  void name(queue in, launch_config<Range<Dimensions>, Properties> how, const Kernel &what,        \
            More &&...more) {                                                                      \
    in.submit([&](handler &group) { name<Name>(group, how, what, more...); });                     \
  }
LOCKSTEP_LAUNCHES(parallel_for, range)
LOCKSTEP_LAUNCHES(nd_launch, nd_range)
#undef LOCKSTEP_LAUNCHES

// ---- memory

enum class prefetch_type { device, host }; // both use the same memory

#define LOCKSTEP_COMMAND(name, parameters, call)                                                   \
  inline void name(LOCKSTEP_LIST(handler &in, LOCKSTEP_LIST parameters)) {                         \
    in.call;                                                                                       \
  }                                                                                                \
  inline void name(LOCKSTEP_LIST(queue in, LOCKSTEP_LIST parameters)) {                            \
    in.call;                                                                                       \
  }
#define LOCKSTEP_LIST(...) __VA_ARGS__
LOCKSTEP_COMMAND(memcpy, (void *to, const void *from, std::size_t bytes), memcpy(to, from, bytes))
LOCKSTEP_COMMAND(memset, (void *memory, int value, std::size_t bytes), memset(memory, value, bytes))
LOCKSTEP_COMMAND(prefetch, (void *memory, std::size_t bytes, prefetch_type = prefetch_type::device),
                 prefetch(memory, bytes))
LOCKSTEP_COMMAND(mem_advise, (void *memory, std::size_t bytes, int advice),
                 mem_advise(memory, bytes, advice))
#undef LOCKSTEP_LIST
#undef LOCKSTEP_COMMAND
template <class T> void copy(handler &in, const T *from, T *to, std::size_t count) {
  in.copy(from, to, count);
}
template <class T> void copy(queue in, const T *from, T *to, std::size_t count) {
  in.copy(from, to, count);
}
template <class T> void fill(handler &in, T *memory, const T &pattern, std::size_t count) {
  in.fill(memory, pattern, count);
}
template <class T> void fill(queue in, T *memory, const T &pattern, std::size_t count) {
  in.fill(memory, pattern, count);
}

// ---- barriers and graphs

inline void barrier(handler &in) {
  in.ext_oneapi_barrier();
}
inline void barrier(queue in) {
  in.ext_oneapi_submit_barrier();
}
inline void partial_barrier(handler &in, const std::vector<event> &all) {
  in.ext_oneapi_barrier(all);
}
inline void partial_barrier(queue in, const std::vector<event> &all) {
  in.ext_oneapi_submit_barrier(all);
}
inline void execute_graph(handler &in, command_graph<graph_state::executable> graph) {
  in.ext_oneapi_graph(graph);
}
inline void execute_graph(queue in, command_graph<graph_state::executable> graph) {
  in.ext_oneapi_graph(graph);
}

} // namespace sycl::ext::oneapi::experimental
