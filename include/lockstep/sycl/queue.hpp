// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// queue (SYCL 2020, section 4.6.5): submits commands to a device.
#pragma once

#include "sycl/ext/oneapi/queue_priority.hpp"
#include "sycl/handler.hpp"
#include "sycl/usm.hpp"

namespace sycl {

class queue : public detail::object<queue, detail::queue_interface> {
  template <class T> using if_selector = std::enable_if_t<detail::is_device_selector<T>, int>;

public:
  explicit queue(const property_list &properties = {}) : queue(async_handler(), properties) {}
  explicit queue(const async_handler &handler, const property_list &properties = {})
      : queue(default_selector_v, handler, properties) {}
  template <class Selector, if_selector<Selector> = 0>
  explicit queue(const Selector &selector, const property_list &properties = {})
      : queue(selector, async_handler(), properties) {}
  template <class Selector, if_selector<Selector> = 0>
  explicit queue(const Selector &selector, const async_handler &handler,
                 const property_list &properties = {})
      : queue(detail::select(selector), handler, properties) {}
  explicit queue(const device &one, const property_list &properties = {})
      : queue(one, async_handler(), properties) {}
  explicit queue(const device &one, const async_handler &handler,
                 const property_list &properties = {})
      : queue(default_context_of(one), one, handler, properties) {}
  template <class Selector, if_selector<Selector> = 0>
  explicit queue(const context &of, const Selector &selector, const property_list &properties = {})
      : queue(of, selector, async_handler(), properties) {}
  template <class Selector, if_selector<Selector> = 0>
  explicit queue(const context &of, const Selector &selector, const async_handler &handler,
                 const property_list &properties = {})
      : queue(of, detail::select(selector), handler, properties) {}
  explicit queue(const context &of, const device &one, const property_list &properties = {})
      : queue(of, one, async_handler(), properties) {}
  explicit queue(const context &of, const device &one, const async_handler &handler,
                 const property_list &properties = {})
      : object(lockstep_sycl_library().make_queue(
            detail::pointer_access::of(of), detail::pointer_access::of(one), handler,
            {properties.has_property<property::queue::in_order>(),
             properties.has_property<property::queue::enable_profiling>()})),
        properties_(ext::oneapi::property::queue::with_one_priority(properties)) {}

  template <class Handle, detail::if_handle<Handle, _cl_command_queue> = 0>
  [[deprecated("use make_queue()")]] queue(Handle of, const context &in,
                                           const async_handler &handler = {})
      : object(detail::opencl_members<queue, Handle>::made(of, in, handler)) {}
  template <class Of = queue> [[deprecated("use get_native()")]] _cl_command_queue *get() const {
    return detail::opencl_members<Of, _cl_command_queue *>::get(*this);
  }

  backend get_backend() const noexcept { return backend::opencl; }
  context get_context() const { return detail::pointer_access::make<context>(shared_->context()); }
  device get_device() const { return detail::pointer_access::make<device>(shared_->device()); }
  bool is_in_order() const { return shared_->is_in_order(); }
  bool khr_empty() const { return shared_->is_empty(); }
  bool ext_oneapi_empty() const { return khr_empty(); } // sycl_ext_oneapi_queue_empty
  void khr_flush() const {}                             // commands start when they are submitted
  template <class Query> auto get_info() const {
    if constexpr (std::is_same_v<Query, info::queue::context>)
      return get_context();
    else if constexpr (detail::answers_itself<Query, const queue &>)
      return Query::answer(*this);
    else {
      static_assert(std::is_same_v<Query, info::queue::device>,
                    "get_info() of a queue takes a type of info::queue (SYCL 2020 section 4.6.5)");
      return get_device();
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

  template <class CommandGroup> event submit(CommandGroup &&fill) {
    std::unique_ptr<detail::command_group_interface> group = shared_->begin_group();
    handler face(*group, shared_);
    fill(face);
    return detail::pointer_access::make<event>(shared_->submit(std::move(group)));
  }
  // SYCL 1.2.1 used the second queue if the device failed; a CPU does not fail.
  template <class CommandGroup>
  [[deprecated("secondary queues are deprecated in SYCL 2020")]] event submit(CommandGroup &&fill,
                                                                              queue &) {
    return submit(std::forward<CommandGroup>(fill));
  }

  void wait() { shared_->wait(); }
  void wait_and_throw() {
    wait();
    throw_asynchronous();
  }
  void throw_asynchronous() { shared_->throw_asynchronous(); }

  // ---- shortcuts (SYCL 2020, section 4.6.5.2)

#define LOCKSTEP_SHORTCUT(name, parameters, call)                                                  \
  event name(LOCKSTEP_LIST parameters) {                                                           \
    return submit([&](handler &group) { group.call; });                                            \
  }                                                                                                \
  event name(LOCKSTEP_LIST parameters, event dependency) {                                         \
    return submit([&](handler &group) {                                                            \
      group.depends_on(dependency);                                                                \
      group.call;                                                                                  \
    });                                                                                            \
  }                                                                                                \
  event name(LOCKSTEP_LIST parameters, const std::vector<event> &dependencies) {                   \
    return submit([&](handler &group) {                                                            \
      group.depends_on(dependencies);                                                              \
      group.call;                                                                                  \
    });                                                                                            \
  }
#define LOCKSTEP_LIST(...) __VA_ARGS__
  LOCKSTEP_SHORTCUT(memcpy, (void *to, const void *from, std::size_t bytes),
                    memcpy(to, from, bytes))
  LOCKSTEP_SHORTCUT(memset, (void *to, int value, std::size_t bytes), memset(to, value, bytes))
  LOCKSTEP_SHORTCUT(prefetch, (const void *memory, std::size_t bytes), prefetch(memory, bytes))
  LOCKSTEP_SHORTCUT(mem_advise, (const void *memory, std::size_t bytes, int advice),
                    mem_advise(memory, bytes, advice))
  LOCKSTEP_SHORTCUT(ext_oneapi_memcpy2d,
                    (void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                     std::size_t width, std::size_t height),
                    ext_oneapi_memcpy2d(to, to_pitch, from, from_pitch, width, height))
  LOCKSTEP_SHORTCUT(ext_oneapi_memset2d,
                    (void *to, std::size_t pitch, int value, std::size_t width, std::size_t height),
                    ext_oneapi_memset2d(to, pitch, value, width, height))
#undef LOCKSTEP_LIST
#undef LOCKSTEP_SHORTCUT

  template <class T> event fill(void *to, const T &pattern, std::size_t count) {
    return fill(to, pattern, count, std::vector<event>());
  }
  template <class T> event fill(void *to, const T &pattern, std::size_t count, event dependency) {
    return fill(to, pattern, count, std::vector<event>{std::move(dependency)});
  }
  template <class T>
  event fill(void *to, const T &pattern, std::size_t count,
             const std::vector<event> &dependencies) {
    return submit([&](handler &group) {
      group.depends_on(dependencies);
      group.fill(to, pattern, count);
    });
  }
  template <class T> event copy(const T *from, T *to, std::size_t count) {
    return memcpy(to, from, count * sizeof(T));
  }
  template <class T> event copy(const T *from, T *to, std::size_t count, event dependency) {
    return memcpy(to, from, count * sizeof(T), std::move(dependency));
  }
  template <class T>
  event copy(const T *from, T *to, std::size_t count, const std::vector<event> &dependencies) {
    return memcpy(to, from, count * sizeof(T), dependencies);
  }

  // sycl_ext_oneapi_device_global: the member functions of handler, with optional events to wait
  // for as the last argument.
  template <class T, class P, class... Where>
  event memcpy(ext::oneapi::experimental::device_global<T, P> &to, const void *from,
               Where... where) {
    return copy_global([&](handler &group, auto... place) { group.memcpy(to, from, place...); },
                       where...);
  }
  template <class T, class P, class... Where>
  event memcpy(void *to, const ext::oneapi::experimental::device_global<T, P> &from,
               Where... where) {
    return copy_global([&](handler &group, auto... place) { group.memcpy(to, from, place...); },
                       where...);
  }
  template <class T, class P, class... Where>
  event copy(const std::remove_all_extents_t<T> *from,
             ext::oneapi::experimental::device_global<T, P> &to, Where... where) {
    return copy_global([&](handler &group, auto... place) { group.copy(from, to, place...); },
                       where...);
  }
  template <class T, class P, class... Where>
  event copy(const ext::oneapi::experimental::device_global<T, P> &from,
             std::remove_all_extents_t<T> *to, Where... where) {
    return copy_global([&](handler &group, auto... place) { group.copy(from, to, place...); },
                       where...);
  }

#define LOCKSTEP_ROWS(parameter, after)                                                            \
  template <class T>                                                                               \
  event ext_oneapi_copy2d(const T *from, std::size_t from_pitch, T *to, std::size_t to_pitch,      \
                          std::size_t width, std::size_t height parameter) {                       \
    return submit([&](handler &group) {                                                            \
      after;                                                                                       \
      group.ext_oneapi_copy2d(from, from_pitch, to, to_pitch, width, height);                      \
    });                                                                                            \
  }                                                                                                \
  template <class T>                                                                               \
  event ext_oneapi_fill2d(void *to, std::size_t pitch, const T &pattern, std::size_t width,        \
                          std::size_t height parameter) {                                          \
    return submit([&](handler &group) {                                                            \
      after;                                                                                       \
      group.ext_oneapi_fill2d(to, pitch, pattern, width, height);                                  \
    });                                                                                            \
  }
#define LOCKSTEP_COMMA ,
  LOCKSTEP_ROWS(, )
  LOCKSTEP_ROWS(LOCKSTEP_COMMA event dependency, group.depends_on(dependency))
  LOCKSTEP_ROWS(LOCKSTEP_COMMA const std::vector<event> &all, group.depends_on(all))
#undef LOCKSTEP_COMMA
#undef LOCKSTEP_ROWS

  template <class Name = detail::unnamed_kernel, class Function>
  event single_task(const Function &function) {
    return submit([&](handler &group) { group.single_task<Name>(function); });
  }
  template <class Name = detail::unnamed_kernel, class Values, class Function>
  event single_task(ext::oneapi::experimental::properties<Values> given, const Function &function) {
    return submit([&](handler &group) { group.single_task<Name>(given, function); });
  }
  template <class Name = detail::unnamed_kernel, class Function>
  event single_task(event dependency, const Function &function) {
    return submit([&](handler &group) {
      group.depends_on(dependency);
      group.single_task<Name>(function);
    });
  }
  template <class Name = detail::unnamed_kernel, class Function>
  event single_task(const std::vector<event> &dependencies, const Function &function) {
    return submit([&](handler &group) {
      group.depends_on(dependencies);
      group.single_task<Name>(function);
    });
  }

  template <class Name = detail::unnamed_kernel, class... Rest>
  event parallel_for(range<1> size, const Rest &...rest) {
    return submit_parallel<Name>(size, rest...);
  }
  template <class Name = detail::unnamed_kernel, class... Rest>
  event parallel_for(range<2> size, const Rest &...rest) {
    return submit_parallel<Name>(size, rest...);
  }
  template <class Name = detail::unnamed_kernel, class... Rest>
  event parallel_for(range<3> size, const Rest &...rest) {
    return submit_parallel<Name>(size, rest...);
  }
  template <class Name = detail::unnamed_kernel, int Dimensions, class... Rest>
  event parallel_for(nd_range<Dimensions> size, const Rest &...rest) {
    return submit_parallel<Name>(size, rest...);
  }

  // Overloads that accept braced lists.
#define LOCKSTEP_AFTER_ALL(dimensions)                                                             \
  template <class Name = detail::unnamed_kernel, class... Rest>                                    \
  event parallel_for(range<dimensions> size, const std::vector<event> &dependencies,               \
                     const Rest &...rest) {                                                        \
    return submit_parallel<Name>(size, dependencies, rest...);                                     \
  }
  LOCKSTEP_AFTER_ALL(1)
  LOCKSTEP_AFTER_ALL(2)
  LOCKSTEP_AFTER_ALL(3)
#undef LOCKSTEP_AFTER_ALL
  template <class Name = detail::unnamed_kernel, int Dimensions, class... Rest>
  event parallel_for(nd_range<Dimensions> size, const std::vector<event> &dependencies,
                     const Rest &...rest) {
    return submit_parallel<Name>(size, dependencies, rest...);
  }

  // Copies with accessors, which must be placeholders.
  template <class T, int D, access_mode M, target G, access::placeholder P, class To>
  event copy(accessor<T, D, M, G, P> from, To to) {
    return submit([&](handler &group) {
      require(group, from);
      require(group, to);
      group.copy(from, to);
    });
  }
  template <class From, class T, int D, access_mode M, target G, access::placeholder P>
  event copy(const From *from, accessor<T, D, M, G, P> to) {
    return submit([&](handler &group) {
      group.require(to);
      group.copy(from, to);
    });
  }
  template <class From, class T, int D, access_mode M, target G, access::placeholder P>
  event copy(std::shared_ptr<From> from, accessor<T, D, M, G, P> to) {
    return submit([&](handler &group) {
      group.require(to);
      group.copy(from, to);
    });
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  event update_host(accessor<T, D, M, G, P> of) {
    return submit([&](handler &group) {
      group.require(of);
      group.update_host(of);
    });
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  event fill(accessor<T, D, M, G, P> to, const T &pattern) {
    return submit([&](handler &group) {
      group.require(to);
      group.fill(to, pattern);
    });
  }

  // sycl_ext_oneapi_graph (ext/oneapi/experimental/graph.hpp)
  ext::oneapi::experimental::queue_state ext_oneapi_get_state() const;
  ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable>
  ext_oneapi_get_graph() const;
  event ext_oneapi_graph(
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
          graph);
  event ext_oneapi_graph(
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
          graph,
      event dependency);
  event ext_oneapi_graph(
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
          graph,
      const std::vector<event> &dependencies);

  event ext_oneapi_submit_barrier() {
    return submit([&](handler &group) { group.ext_oneapi_barrier(); });
  }
  event ext_oneapi_submit_barrier(const std::vector<event> &all) {
    return submit([&](handler &group) { group.ext_oneapi_barrier(all); });
  }
  [[deprecated("use ext_oneapi_submit_barrier()")]] event submit_barrier() {
    return ext_oneapi_submit_barrier();
  }
  [[deprecated("use ext_oneapi_submit_barrier()")]] event
  submit_barrier(const std::vector<event> &all) {
    return ext_oneapi_submit_barrier(all);
  }

private:
  // `where`: the number of elements or bytes, and the first one; both are optional.
  template <class Copy> event copy_global(Copy copy, std::size_t count, std::size_t first) {
    return submit([&](handler &group) { copy(group, count, first); });
  }
  template <class Copy> event copy_global(Copy copy, std::size_t count) {
    return submit([&](handler &group) { copy(group, count); });
  }
  template <class Copy> event copy_global(Copy copy) {
    return submit([&](handler &group) { copy(group); });
  }
  template <class Copy, class Events>
  event copy_global(Copy copy, std::size_t count, std::size_t first, const Events &after) {
    return submit([&](handler &group) {
      group.depends_on(after);
      copy(group, count, first);
    });
  }
  friend detail::pointer_access;
  explicit queue(detail::queue_pointer shared) : object(std::move(shared)) {}

  static context default_context_of(const device &one) {
    return detail::pointer_access::make<context>(
        lockstep_sycl_library().default_context(detail::pointer_access::of(one.get_platform())));
  }

  template <class Name, class Size, class... Rest>
  event submit_parallel(const Size &size, const Rest &...rest) {
    return submit([&](handler &group) { group.parallel_for<Name>(size, rest...); });
  }
  template <class Name, class Size, class... Rest>
  event submit_parallel(const Size &size, const event &dependency, const Rest &...rest) {
    return submit([&](handler &group) {
      group.depends_on(dependency);
      group.parallel_for<Name>(size, rest...);
    });
  }
  template <class Name, class Size, class... Rest>
  event submit_parallel(const Size &size, const std::vector<event> &dependencies,
                        const Rest &...rest) {
    return submit([&](handler &group) {
      group.depends_on(dependencies);
      group.parallel_for<Name>(size, rest...);
    });
  }

  template <class T> static void require(handler &, const T &) {}
  template <class T, int D, access_mode M, target G, access::placeholder P>
  static void require(handler &group, const accessor<T, D, M, G, P> &of) {
    group.require(of);
  }

  property_list properties_;
};

} // namespace sycl

template <> struct std::hash<sycl::queue> : sycl::detail::hash_of_object<sycl::queue> {};
