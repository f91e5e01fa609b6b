// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interfaces between the headers and the library (library.hpp) for sycl_ext_oneapi_graph.
#pragma once

#include "sycl/detail/library.hpp"
#include "sycl/ext/oneapi/experimental/graph_names.hpp"

namespace sycl::detail {

class node_interface {
public:
  virtual ~node_interface() = default;
  virtual ext::oneapi::experimental::node_type type() const = 0;
  virtual std::vector<node_pointer> predecessors() const = 0;
  virtual std::vector<node_pointer> successors() const = 0;
  virtual void set_shape(const launch_shape &shape) = 0;
};

struct node_options {
  std::vector<node_pointer> after;
  bool after_all_leaves = false;
};
struct graph_options {
  bool checks_cycles = true, may_use_buffers = false;
};
struct executable_options {
  bool is_updatable = false, has_times = false;
};

// A set of command groups, one of which is active.
class dynamic_group_interface {
public:
  virtual ~dynamic_group_interface() = default;
  virtual std::size_t active() const = 0;
  virtual void set_active(std::size_t index) = 0;
};

// An argument of launches in a graph that can be updated.
class dynamic_parameter_interface {
public:
  virtual ~dynamic_parameter_interface() = default;
  // `buffer` null: `value` is the complete argument.
  virtual void update(const void *value, std::size_t bytes, const buffer_pointer &buffer,
                      std::size_t offset, std::size_t size) = 0;
};

class executable_graph_interface {
public:
  virtual ~executable_graph_interface() = default;
  virtual void update(const std::vector<node_pointer> &nodes) = 0;
  virtual void update(const graph_pointer &source) = 0;
};

class graph_interface {
public:
  virtual ~graph_interface() = default;
  virtual std::unique_ptr<command_group_interface> begin_group() = 0;
  virtual queue_pointer own_queue() const = 0; // the queue used while command groups are filled
  // `group` null: adds an empty node.
  virtual node_pointer add(std::unique_ptr<command_group_interface> group,
                           const node_options &options) = 0;
  virtual dynamic_group_pointer
  make_dynamic(std::vector<std::unique_ptr<command_group_interface>> groups) = 0;
  virtual node_pointer add(const dynamic_group_pointer &group, const node_options &options) = 0;
  virtual void make_edge(const node_pointer &from, const node_pointer &to) = 0;
  virtual void begin_recording(const std::vector<queue_pointer> &queues) = 0;
  virtual void end_recording() = 0;
  virtual void end_recording(const std::vector<queue_pointer> &queues) = 0;
  virtual executable_graph_pointer finalize(const executable_options &options) = 0;
  virtual void print(const std::string &path, bool verbose) const = 0;
  virtual std::vector<node_pointer> nodes() const = 0;
  virtual std::vector<node_pointer> roots() const = 0;
  virtual std::size_t id() const = 0;
};

class graph_functions {
public:
  virtual graph_pointer make_graph(const context_pointer &context, const device_pointer &device,
                                   const graph_options &options) const = 0;
  virtual dynamic_parameter_pointer make_parameter(const graph_pointer &graph) const = 0;
  virtual node_pointer node_of(const event_pointer &event) const = 0;   // throws if there is none
  virtual graph_pointer graph_of(const queue_pointer &queue) const = 0; // null: it executes

protected:
  ~graph_functions() = default;
};

} // namespace sycl::detail
