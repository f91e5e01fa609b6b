// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that enqueue commands to a queue or handler (sycl_khr_free_function_commands). None of
// them makes an event.
#pragma once

#include "sycl/queue.hpp"

namespace sycl::khr {

namespace commands {

// The member functions of queue are not const but do not modify the object; the cast avoids a copy.
inline queue &of(const queue &in) {
  return const_cast<queue &>(in);
}

template <class Size, class Kernel, class... Arguments>
void launch(handler &in, const Size &size, const Kernel &what, Arguments &&...arguments) {
  if constexpr (std::is_same_v<Kernel, kernel>) {
    in.set_args(std::forward<Arguments>(arguments)...);
    in.parallel_for(size, what);
  } else {
    in.parallel_for(size, std::forward<Arguments>(arguments)..., what); // reductions
  }
}

} // namespace commands

template <class CommandGroup> void submit(const queue &in, CommandGroup &&fill) {
  commands::of(in).submit(std::forward<CommandGroup>(fill));
}
template <class CommandGroup> event submit_tracked(const queue &in, CommandGroup &&fill) {
  return commands::of(in).submit(std::forward<CommandGroup>(fill));
}

// ---- kernels: functions, or kernel objects with their arguments

#define LOCKSTEP_LAUNCHES(dimensions)                                                              \
  template <class Kernel, class... Arguments>                                                      \
  void launch(handler &in, range<dimensions> size, const Kernel &what, Arguments &&...arguments) { \
    static_assert(sizeof...(Arguments) == 0 || std::is_same_v<Kernel, kernel>,                     \
                  "a kernel that is a function has no arguments; launch_reduce has reductions");   \
    commands::launch(in, size, what, std::forward<Arguments>(arguments)...);                       \
  }                                                                                                \
  template <class Kernel, class... Arguments>                                                      \
  void launch(const queue &in, range<dimensions> size, const Kernel &what,                         \
              Arguments &&...arguments) {                                                          \
    submit(in, [&](handler &group) { launch(group, size, what, arguments...); });                  \
  }                                                                                                \
  template <class Kernel, class... Reductions>                                                     \
  void launch_reduce(handler &in, range<dimensions> size, const Kernel &what,                      \
                     Reductions &&...reductions) {                                                 \
    commands::launch(in, size, what, std::forward<Reductions>(reductions)...);                     \
  }                                                                                                \
  template <class Kernel, class... Reductions>                                                     \
  void launch_reduce(const queue &in, range<dimensions> size, const Kernel &what,                  \
                     Reductions &&...reductions) {                                                 \
    submit(in, [&](handler &group) { launch_reduce(group, size, what, reductions...); });          \
  }                                                                                                \
  template <class Kernel, class... Arguments>                                                      \
  void launch_grouped(handler &in, range<dimensions> size, range<dimensions> of_group,             \
                      const Kernel &what, Arguments &&...arguments) {                              \
    static_assert(sizeof...(Arguments) == 0 || std::is_same_v<Kernel, kernel>,                     \
                  "a kernel that is a function has no arguments; launch_grouped_reduce has "       \
                  "reductions");                                                                   \
    commands::launch(in, nd_range<dimensions>(size, of_group), what,                               \
                     std::forward<Arguments>(arguments)...);                                       \
  }                                                                                                \
  template <class Kernel, class... Arguments>                                                      \
  void launch_grouped(const queue &in, range<dimensions> size, range<dimensions> of_group,         \
                      const Kernel &what, Arguments &&...arguments) {                              \
    submit(in,                                                                                     \
           [&](handler &group) { launch_grouped(group, size, of_group, what, arguments...); });    \
  }                                                                                                \
  template <class Kernel, class... Reductions>                                                     \
  void launch_grouped_reduce(handler &in, range<dimensions> size, range<dimensions> of_group,      \
                             const Kernel &what, Reductions &&...reductions) {                     \
    commands::launch(in, nd_range<dimensions>(size, of_group), what,                               \
                     std::forward<Reductions>(reductions)...);                                     \
  }                                                                                                \
  template <class Kernel, class... Reductions>                                                     \
  void launch_grouped_reduce(const queue &in, range<dimensions> size, range<dimensions> of_group,  \
                             const Kernel &what, Reductions &&...reductions) {                     \
    submit(in, [&](handler &group) {                                                               \
      launch_grouped_reduce(group, size, of_group, what, reductions...);                           \
    });                                                                                            \
  }
LOCKSTEP_LAUNCHES(1)
LOCKSTEP_LAUNCHES(2)
LOCKSTEP_LAUNCHES(3)
#undef LOCKSTEP_LAUNCHES

template <class Kernel, class... Arguments>
void launch_task(handler &in, const Kernel &what, Arguments &&...arguments) {
  if constexpr (std::is_same_v<Kernel, kernel>)
    in.set_args(std::forward<Arguments>(arguments)...);
  else
    static_assert(sizeof...(Arguments) == 0, "a kernel that is a function has no arguments");
  in.single_task(what);
}
template <class Kernel, class... Arguments>
void launch_task(const queue &in, const Kernel &what, Arguments &&...arguments) {
  submit(in, [&](handler &group) { launch_task(group, what, arguments...); });
}

// ---- memory

inline void memcpy(handler &in, void *to, const void *from, std::size_t bytes) {
  in.memcpy(to, from, bytes);
}
inline void memcpy(const queue &in, void *to, const void *from, std::size_t bytes) {
  commands::of(in).memcpy(to, from, bytes);
}
template <class T> void copy(handler &in, const T *from, T *to, std::size_t count) {
  in.copy(from, to, count);
}
template <class T> void copy(const queue &in, const T *from, T *to, std::size_t count) {
  commands::of(in).copy(from, to, count);
}
// One argument is an accessor; with a queue it must be a placeholder.
template <class From, class To> void copy(handler &in, From from, To to) {
  in.copy(from, to);
}
template <class From, class To> void copy(const queue &in, From from, To to) {
  commands::of(in).copy(from, to);
}
inline void memset(handler &in, void *memory, int value, std::size_t bytes) {
  in.memset(memory, value, bytes);
}
inline void memset(const queue &in, void *memory, int value, std::size_t bytes) {
  commands::of(in).memset(memory, value, bytes);
}
template <class T> void fill(handler &in, T *memory, const T &pattern, std::size_t count) {
  in.fill(memory, pattern, count);
}
template <class T> void fill(const queue &in, T *memory, const T &pattern, std::size_t count) {
  commands::of(in).fill(memory, pattern, count);
}
template <class T, int D, access_mode M, target G, access::placeholder P>
void fill(handler &in, accessor<T, D, M, G, P> to, const T &pattern) {
  in.fill(to, pattern);
}
template <class T, int D, access_mode M, target G, access::placeholder P>
void fill(const queue &in, accessor<T, D, M, G, P> to, const T &pattern) {
  commands::of(in).fill(to, pattern);
}
template <class T, int D, access_mode M, target G, access::placeholder P>
void update_host(handler &in, accessor<T, D, M, G, P> of) {
  in.update_host(of);
}
template <class T, int D, access_mode M, target G, access::placeholder P>
void update_host(const queue &in, accessor<T, D, M, G, P> of) {
  commands::of(in).update_host(of);
}
inline void prefetch(handler &in, void *memory, std::size_t bytes) {
  in.prefetch(memory, bytes);
}
inline void prefetch(const queue &in, void *memory, std::size_t bytes) {
  commands::of(in).prefetch(memory, bytes);
}
inline void mem_advise(handler &in, void *memory, std::size_t bytes, int advice) {
  in.mem_advise(memory, bytes, advice);
}
inline void mem_advise(const queue &in, void *memory, std::size_t bytes, int advice) {
  commands::of(in).mem_advise(memory, bytes, advice);
}

// ---- barriers between commands

inline void command_barrier(handler &in) {
  in.ext_oneapi_barrier();
}
inline void command_barrier(const queue &in) {
  commands::of(in).ext_oneapi_submit_barrier();
}
inline void event_barrier(handler &in, const std::vector<event> &all) {
  in.ext_oneapi_barrier(all);
}
inline void event_barrier(const queue &in, const std::vector<event> &all) {
  commands::of(in).ext_oneapi_submit_barrier(all);
}

} // namespace sycl::khr
