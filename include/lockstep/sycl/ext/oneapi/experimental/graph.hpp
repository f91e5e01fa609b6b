// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_ext_oneapi_graph: graphs of commands, built explicitly or recorded from queues, which can be
// submitted repeatedly. The library implements them with recorded graphs of the runtime
// (src/api/sycl/command_graph.h).
#pragma once

#include "sycl/detail/graph_library.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/queue.hpp"

#define SYCL_EXT_ONEAPI_GRAPH 1

namespace sycl::ext::oneapi::experimental {

class node : public detail::object<node, detail::node_interface> {
public:
  node() = delete;
  node_type get_type() const { return shared_->type(); }
  std::vector<node> get_predecessors() const {
    return detail::make_all<node>(shared_->predecessors());
  }
  std::vector<node> get_successors() const { return detail::make_all<node>(shared_->successors()); }
  static node get_node_from_event(event of) {
    return detail::pointer_access::make<node>(
        lockstep_sycl_library().graphs().node_of(detail::pointer_access::of(of)));
  }
  template <int Dimensions> void update_nd_range(nd_range<Dimensions> size) {
    shared_->set_shape(detail::shape_of(size));
  }
  template <int Dimensions> void update_range(range<Dimensions> size) {
    shared_->set_shape(detail::shape_of(size));
  }

private:
  friend detail::pointer_access;
  explicit node(detail::node_pointer shared) : object(std::move(shared)) {}
};

namespace property::graph {
struct no_cycle_check : detail::property_base {};
struct assume_buffer_outlives_graph : detail::property_base {};
struct updatable : detail::property_base {};
struct enable_profiling : detail::property_base {};
struct enable_native_recording : detail::property_base {};
} // namespace property::graph

namespace property::node {
class depends_on : public detail::property_base {
public:
  template <class... Nodes> depends_on(Nodes... nodes) : nodes_{nodes...} {}
  const std::vector<experimental::node> &get_dependencies() const { return nodes_; }

private:
  std::vector<experimental::node> nodes_;
};
struct depends_on_all_leaves : detail::property_base {};
} // namespace property::node

class dynamic_command_group;

template <>
class command_graph<graph_state::executable>
    : public detail::object<command_graph<graph_state::executable>,
                            detail::executable_graph_interface> {
public:
  command_graph() = delete;
  void update(node &changed) { shared_->update({detail::pointer_access::of(changed)}); }
  void update(const std::vector<node> &changed) { shared_->update(detail::pointers_of(changed)); }
  void update(const command_graph<graph_state::modifiable> &source);
  std::size_t get_required_mem_size() const noexcept { return 0; } // no graph owns memory

private:
  friend detail::pointer_access;
  explicit command_graph(detail::executable_graph_pointer shared) : object(std::move(shared)) {}
};

template <>
class command_graph<graph_state::modifiable>
    : public detail::object<command_graph<graph_state::modifiable>, detail::graph_interface> {
public:
  command_graph(const context &of, const device &on, const property_list &properties = {})
      : object(make(of, on, properties)) {}
  command_graph(const queue &like, const property_list &properties = {})
      : command_graph(like.get_context(), like.get_device(), properties) {}
  command_graph(const device &on, const property_list &properties = {})
      : command_graph(detail::pointer_access::make<context>(lockstep_sycl_library().default_context(
                          detail::pointer_access::of(on.get_platform()))),
                      on, properties) {}

  command_graph<graph_state::executable> finalize(const property_list &properties = {}) const {
    return detail::pointer_access::make<command_graph<graph_state::executable>>(
        shared_->finalize({properties.has_property<property::graph::updatable>(),
                           properties.has_property<property::graph::enable_profiling>()}));
  }

  void begin_recording(queue &one, const property_list &properties = {}) {
    begin_recording(std::vector<queue>{one}, properties);
  }
  void begin_recording(const std::vector<queue> &all, const property_list & = {}) {
    shared_->begin_recording(detail::pointers_of(all));
  }
  void end_recording() { shared_->end_recording(); }
  void end_recording(queue &one) { shared_->end_recording({detail::pointer_access::of(one)}); }
  void end_recording(const std::vector<queue> &all) {
    shared_->end_recording(detail::pointers_of(all));
  }

  node add(const property_list &properties = {}) {
    return made(
        shared_->add(std::unique_ptr<detail::command_group_interface>(), options_of(properties)));
  }
  template <class CommandGroup,
            std::enable_if_t<std::is_invocable_v<CommandGroup &, handler &>, int> = 0>
  node add(CommandGroup fill, const property_list &properties = {}) {
    return made(shared_->add(filled(fill), options_of(properties)));
  }
  node add(dynamic_command_group &group, const property_list &properties = {});
  void make_edge(node &from, node &to) {
    shared_->make_edge(detail::pointer_access::of(from), detail::pointer_access::of(to));
  }

  void print_graph(std::string path, bool verbose = false) const { shared_->print(path, verbose); }
  std::vector<node> get_nodes() const { return detail::make_all<node>(shared_->nodes()); }
  std::vector<node> get_root_nodes() const { return detail::make_all<node>(shared_->roots()); }
  bool empty() const { return shared_->nodes().empty(); }
  std::size_t get_id() const noexcept { return shared_->id(); }

private:
  friend class dynamic_command_group;
  friend detail::pointer_access;
  explicit command_graph(detail::graph_pointer shared) : object(std::move(shared)) {}

  static detail::graph_pointer make(const context &of, const device &on,
                                    const property_list &properties) {
    if (properties.has_property<property::graph::enable_native_recording>())
      sycl::detail::raise(
          errc::feature_not_supported,
          "graphs are recorded by the runtime; there is no other recording beneath it "
          "(sycl_ext_oneapi_graph)");
    return lockstep_sycl_library().graphs().make_graph(
        detail::pointer_access::of(of), detail::pointer_access::of(on),
        {!properties.has_property<property::graph::no_cycle_check>(),
         properties.has_property<property::graph::assume_buffer_outlives_graph>()});
  }
  static node made(detail::node_pointer pointer) {
    return detail::pointer_access::make<node>(std::move(pointer));
  }
  static detail::node_options options_of(const property_list &properties) {
    detail::node_options options;
    if (properties.has_property<property::node::depends_on>())
      options.after = detail::pointers_of(
          properties.get_property<property::node::depends_on>().get_dependencies());
    options.after_all_leaves = properties.has_property<property::node::depends_on_all_leaves>();
    return options;
  }
  template <class CommandGroup>
  std::unique_ptr<detail::command_group_interface> filled(CommandGroup &fill) const {
    std::unique_ptr<detail::command_group_interface> group = shared_->begin_group();
    detail::graph_handler_access::fill(*group, shared_->own_queue(), fill);
    return group;
  }
};

command_graph(const context &, const device &, const property_list &)
    -> command_graph<graph_state::modifiable>;
command_graph(const context &, const device &) -> command_graph<graph_state::modifiable>;
command_graph(const queue &, const property_list &) -> command_graph<graph_state::modifiable>;
command_graph(const queue &) -> command_graph<graph_state::modifiable>;
command_graph(const device &, const property_list &) -> command_graph<graph_state::modifiable>;
command_graph(const device &) -> command_graph<graph_state::modifiable>;

class dynamic_command_group
    : public detail::object<dynamic_command_group, detail::dynamic_group_interface> {
public:
  dynamic_command_group(command_graph<graph_state::modifiable> &graph,
                        const std::vector<std::function<void(handler &)>> &groups)
      : object(make(graph, groups)) {}
  std::size_t get_active_index() const { return shared_->active(); }
  void set_active_index(std::size_t index) { shared_->set_active(index); }

private:
  static detail::dynamic_group_pointer
  make(const command_graph<graph_state::modifiable> &graph,
       const std::vector<std::function<void(handler &)>> &groups) {
    std::vector<std::unique_ptr<detail::command_group_interface>> all;
    for (const auto &fill : groups)
      all.push_back(graph.filled(fill));
    return detail::pointer_access::of(graph)->make_dynamic(std::move(all));
  }
};

// A kernel argument that can be updated: a pointer, a value, or an accessor.
template <class T>
class dynamic_parameter
    : public detail::object<dynamic_parameter<T>, detail::dynamic_parameter_interface> {
public:
  dynamic_parameter(command_graph<graph_state::modifiable> graph, const T &initial)
      : dynamic_parameter::object(
            lockstep_sycl_library().graphs().make_parameter(detail::pointer_access::of(graph))),
        value_(std::make_shared<T>(initial)) {}
  void update(const T &value) {
    *value_ = value;
    detail::graph_handler_access::update(*this->shared_, value);
  }

private:
  friend class sycl::handler;
  std::shared_ptr<T> value_;
};

inline void command_graph<graph_state::executable>::update(
    const command_graph<graph_state::modifiable> &source) {
  shared_->update(detail::pointer_access::of(source));
}

inline node command_graph<graph_state::modifiable>::add(dynamic_command_group &group,
                                                        const property_list &properties) {
  return made(shared_->add(detail::pointer_access::of(group), options_of(properties)));
}

} // namespace sycl::ext::oneapi::experimental

namespace sycl {

inline void handler::ext_oneapi_graph(
    ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
        graph) {
  group_.replay(detail::pointer_access::of(graph));
}

template <class T>
void handler::set_argument(int index, const ext::oneapi::experimental::dynamic_parameter<T> &of) {
  set_argument(index, *of.value_);
  group_.register_parameter(detail::pointer_access::of(of), index);
}

template <class T, int D, access_mode M, target G, access::placeholder P>
void handler::require(ext::oneapi::experimental::dynamic_parameter<accessor<T, D, M, G, P>> of) {
  require(*of.value_);
}

inline ext::oneapi::experimental::queue_state queue::ext_oneapi_get_state() const {
  return lockstep_sycl_library().graphs().graph_of(shared_)
             ? ext::oneapi::experimental::queue_state::recording
             : ext::oneapi::experimental::queue_state::executing;
}

inline ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable>
queue::ext_oneapi_get_graph() const {
  auto graph = lockstep_sycl_library().graphs().graph_of(shared_);
  if (!graph)
    sycl::detail::raise(errc::invalid,
                        "ext_oneapi_get_graph is called of a queue that does not record "
                        "(sycl_ext_oneapi_graph)");
  return detail::pointer_access::make<
      ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable>>(
      std::move(graph));
}

inline event queue::ext_oneapi_graph(
    ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
        graph) {
  return ext_oneapi_graph(graph, std::vector<event>());
}
inline event queue::ext_oneapi_graph(
    ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
        graph,
    event dependency) {
  return ext_oneapi_graph(graph, std::vector<event>{std::move(dependency)});
}
inline event queue::ext_oneapi_graph(
    ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>
        graph,
    const std::vector<event> &dependencies) {
  return submit([&](handler &group) {
    group.depends_on(dependencies);
    group.ext_oneapi_graph(graph);
  });
}

} // namespace sycl

template <>
struct std::hash<sycl::ext::oneapi::experimental::node>
    : sycl::detail::hash_of_object<sycl::ext::oneapi::experimental::node> {};
template <sycl::ext::oneapi::experimental::graph_state State>
struct std::hash<sycl::ext::oneapi::experimental::command_graph<State>>
    : sycl::detail::hash_of_object<sycl::ext::oneapi::experimental::command_graph<State>> {};
