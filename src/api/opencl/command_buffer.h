// Command buffers (cl_khr_command_buffer) and their launches, which the program can change between
// two runs (cl_khr_command_buffer_mutable_dispatch).
//
// A command buffer is a recorded graph of the runtime, plus the data for queries, for updates and
// for copies to other queues (cl_khr_command_buffer_multi_device). Recording a command validates it
// and makes its operation with the same request types as an immediate command (record.h). The graph
// holds everything that a run needs, so a run in progress does not access the objects of this file.
#pragma once

#include "api/opencl/command_buffer_types.h"
#include "api/opencl/context.h"
#include "api/opencl/error.h"
#include "api/opencl/kernel.h"
#include "api/opencl/launch_request.h"
#include "api/opencl/object.h"
#include "api/opencl/queue.h"
#include "runtime/graph/recorded_graph.h"

#include <CL/cl.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::opencl {

// A launch as recorded or last updated. A size is absent if the program passed null.
struct Dispatch {
  using Size = std::array<size_t, 3>;
  std::shared_ptr<_cl_kernel> arguments; // a private copy of the kernel
  cl_uint work_dim = 0;
  std::optional<Size> offset, global, local;
  // Set if the kernel enqueues other kernels: the checked request, from which each run makes its
  // own launch.
  std::shared_ptr<const LaunchRequest> of_each_run{};

  LaunchRequest request() const; // points into this object
  // Makes the operation of the node. The operation is null if arguments are missing and
  // `may_lack_arguments` is true.
  Check make(const Place &place, bool may_lack_arguments, MadeOperation &operation);
};

std::optional<Dispatch::Size> size_of(const size_t *given, cl_uint work_dim);

// Messages name this section by its title, because section numbers differ between editions.
inline constexpr const char *command_buffer_section =
    "section \"Command-Buffers\" of cl_khr_command_buffer";

} // namespace lockstep::opencl

struct _cl_mutable_command_khr : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::mutable_command;

  const cl_command_buffer_khr buffer; // owns this command
  const lockstep::runtime::RecordedGraph::Node node;
  const lockstep::opencl::Ref<_cl_kernel> kernel;                    // as the program gave it
  const std::vector<lockstep::opencl::CommandProperties> properties; // as given; empty if null
  const cl_mutable_dispatch_fields_khr updatable;
  lockstep::opencl::Dispatch dispatch; // guarded by the buffer's mutex

  _cl_mutable_command_khr(cl_command_buffer_khr command_buffer,
                          lockstep::runtime::RecordedGraph::Node graph_node,
                          cl_kernel command_kernel,
                          std::vector<lockstep::opencl::CommandProperties> given_properties,
                          cl_mutable_dispatch_fields_khr updatable_fields,
                          lockstep::opencl::Dispatch recorded)
      : buffer(command_buffer), node(graph_node), kernel(command_kernel),
        properties(std::move(given_properties)), updatable(updatable_fields),
        dispatch(std::move(recorded)) {}
};

struct _cl_command_buffer_khr : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::command_buffer;
  static constexpr bool ends_with_release = true;
  using Graph = lockstep::runtime::RecordedGraph;
  using Node = Graph::Node;
  struct Properties {
    cl_command_buffer_flags_khr flags = 0;
    cl_bitfield asserts = 0;
    std::vector<cl_command_buffer_properties_khr> list; // as given; empty if null
  };
  using Queues = std::vector<lockstep::opencl::Ref<_cl_command_queue>>;

  _cl_command_buffer_khr(cl_context buffer_context, Queues buffer_queues,
                         Properties given_properties);
  ~_cl_command_buffer_khr();

  // ---- These functions require that the caller holds the mutex.

  // Adds the implied dependencies of a command on that queue: the last command of an in-order
  // queue, and the last barrier.
  void add_implied(std::vector<Graph::Dependency> &dependencies, uint32_t queue) const;
  // Returns the dependencies of a barrier that has no wait list.
  std::vector<Graph::Dependency> all_so_far() const;
  Node add(std::shared_ptr<lockstep::runtime::Operation> operation, uint32_t queue,
           std::span<const Graph::Dependency> dependencies, bool is_barrier);
  bool is_last_barrier(Node node) const { return barrier_ == node; }
  cl_command_buffer_state_khr state() const;
  bool is_mutable() const { return properties.flags & CL_COMMAND_BUFFER_MUTABLE_KHR; }

  const lockstep::opencl::Ref<_cl_context> context;
  const Queues queues;
  const Properties properties;

  mutable lockstep::runtime::DeferringMutex mutex; // for everything below
  Graph graph;
  bool is_finalized = false;
  size_t incomplete = 0; // launches that lack arguments
  bool has_launches_of_each_run = false;
  std::vector<cl_mutable_command_khr> dispatches;

private:
  std::vector<std::optional<Node>> last_of_queue_;
  std::optional<Node> barrier_;
};

namespace lockstep::opencl {

// Also directs the failures of `api` to the notify callback of the buffer's context.
Check check_command_buffer(EntryPoint &api, cl_command_buffer_khr buffer);
// Checks that all are valid host queues of one context: of `of`, or if that is null, of the first
// queue's context.
Check check_queues(std::span<const cl_command_queue> queues, cl_context of);

} // namespace lockstep::opencl
