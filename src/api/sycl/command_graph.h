// Graphs of commands that are recorded and submitted as one (sycl_ext_oneapi_graph). While a graph
// is built, it has nodes and edges; finalizing makes a recorded graph of the runtime
// (runtime/graph/recorded_graph.h).
//
// A command group of a graph is built by CommandGroup like any other, without a queue. The result
// is a NodeBody. A node refers to a body: several nodes may share one, and a node may get another
// one.
#pragma once

#include "api/sycl/buffer.h"
#include "api/sycl/command_group.h"
#include "api/sycl/of_process.h"
#include "runtime/graph/recorded_graph.h"

#include "sycl/detail/graph_library.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lockstep::sycl_api {

class CommandGraph;
class Queue;

// What a node does. Changes require the mutex of its graph.
struct NodeBody {
  CommandGroup::NodeType type = CommandGroup::NodeType::empty;
  std::shared_ptr<runtime::Operation> operation;
  std::shared_ptr<const runtime::RecordedGraph::Elsewhere> task; // a host task
  std::shared_ptr<ExecutableGraph> sub_graph;
  std::optional<RecordedLaunch> launch;
  std::vector<Requirement> requirements;
  std::vector<std::shared_ptr<const void>> kept;
};

class GraphNode final : public sycl::detail::node_interface,
                        public std::enable_shared_from_this<GraphNode> {
public:
  using Pointers = std::vector<std::shared_ptr<GraphNode>>;
  GraphNode(std::weak_ptr<CommandGraph> graph, std::size_t index, std::shared_ptr<NodeBody> of)
      : body(std::move(of)), graph_(std::move(graph)), index_(index) {}

  CommandGroup::NodeType type() const override { return body->type; }
  std::vector<sycl::detail::node_pointer> predecessors() const override;
  std::vector<sycl::detail::node_pointer> successors() const override;
  void set_shape(const sycl::detail::launch_shape &shape) override;

  std::shared_ptr<CommandGraph> graph() const { return graph_.lock(); }
  bool is_of(const CommandGraph &graph) const;
  std::size_t index() const { return index_; } // in insertion order

  std::shared_ptr<NodeBody> body;
  std::vector<GraphNode *> before, after; // without duplicates

private:
  const std::weak_ptr<CommandGraph> graph_;
  const std::size_t index_;
};

class ExecutableGraph final : public OfProcess, public sycl::detail::executable_graph_interface {
public:
  ExecutableGraph(const CommandGraph &of, const sycl::detail::executable_options &options);

  const sycl::detail::context_pointer &context() const { return context_; }
  const sycl::detail::device_pointer &device() const { return device_; }
  std::vector<std::shared_ptr<const void>> kept() const; // objects that a replay must keep alive
  bool has_times() const { return options_.has_times; }
  void update(const std::vector<sycl::detail::node_pointer> &nodes) override;
  void update(const sycl::detail::graph_pointer &source) override;

  // Calls `function` with exclusive access.
  template <class Function> auto use(Function function) {
    std::lock_guard lock(mutex_);
    return function(graph_, requirements_);
  }
  // Adds the nodes of this graph to `graph`. Returns the node that follows all of them.
  runtime::RecordedGraph::Node
  add_to(runtime::RecordedGraph &graph,
         const std::vector<runtime::RecordedGraph::Dependency> &dependencies,
         std::vector<Requirement> &requirements) const;

private:
  NodeBody take(std::size_t index, const NodeBody &body);
  void find_requirements();
  void check_updatable() const;

  const sycl::detail::context_pointer context_;
  const sycl::detail::device_pointer device_;
  const sycl::detail::executable_options options_;
  const std::size_t graph_id_;
  mutable std::mutex mutex_;
  runtime::RecordedGraph graph_;
  // By index in the graph that this one was made of.
  std::vector<runtime::RecordedGraph::Node> nodes_;
  std::vector<NodeBody> bodies_;
  std::vector<Requirement> requirements_; // of all nodes
};

class DynamicGroup;

class CommandGraph final : public OfProcess,
                           public sycl::detail::graph_interface,
                           public std::enable_shared_from_this<CommandGraph> {
public:
  CommandGraph(sycl::detail::context_pointer context, sycl::detail::device_pointer device,
               const sycl::detail::graph_options &options);
  ~CommandGraph() override;

  std::unique_ptr<sycl::detail::command_group_interface> begin_group() override;
  sycl::detail::queue_pointer own_queue() const override;
  sycl::detail::node_pointer add(std::unique_ptr<sycl::detail::command_group_interface> group,
                                 const sycl::detail::node_options &options) override;
  sycl::detail::dynamic_group_pointer
  make_dynamic(std::vector<std::unique_ptr<sycl::detail::command_group_interface>> groups) override;
  sycl::detail::node_pointer add(const sycl::detail::dynamic_group_pointer &group,
                                 const sycl::detail::node_options &options) override;
  void make_edge(const sycl::detail::node_pointer &from,
                 const sycl::detail::node_pointer &to) override;
  void begin_recording(const std::vector<sycl::detail::queue_pointer> &queues) override;
  void end_recording() override;
  void end_recording(const std::vector<sycl::detail::queue_pointer> &queues) override;
  sycl::detail::executable_graph_pointer
  finalize(const sycl::detail::executable_options &options) override;
  void print(const std::string &path, bool verbose) const override;
  std::vector<sycl::detail::node_pointer> nodes() const override;
  std::vector<sycl::detail::node_pointer> roots() const override;
  std::size_t id() const override { return id_; }

  const sycl::detail::context_pointer &context() const { return context_; }
  const sycl::detail::device_pointer &device() const { return device_; }
  // Adds a group that was submitted to a recording queue.
  std::shared_ptr<GraphNode> record(Queue &queue, CommandGroup &group);
  bool records() const;
  void join_recording(Queue &queue); // the queue submits a group that depends on a recorded command
  // For executable graphs; requires the mutex.
  const GraphNode::Pointers &all_nodes() const { return nodes_; }
  std::mutex &mutex() const { return mutex_; }

private:
  friend class DynamicGroup;
  struct Recording {
    std::weak_ptr<Queue> queue;
    std::vector<GraphNode *> leaves; // nodes that this queue recorded and that have no successor
    GraphNode *last = nullptr;       // the last node of an in-order queue, or its last barrier
  };
  struct Use {
    GraphNode *node;
    runtime::AccessMode mode;
    std::size_t begin, end;
  };

  void fill_body(const std::shared_ptr<NodeBody> &body, CommandGroup &group) const;
  void check_no_recording() const;
  void check_buffers(const NodeBody &body) const;
  GraphNode *own(const sycl::detail::node_pointer &node, const char *what) const;
  std::shared_ptr<GraphNode> append(std::shared_ptr<NodeBody> body,
                                    const std::vector<GraphNode *> &after);
  std::shared_ptr<GraphNode> append(std::shared_ptr<NodeBody> body,
                                    const GraphNode::Pointers &nodes,
                                    const sycl::detail::node_options &options);
  static void connect(GraphNode &from, GraphNode &to);
  void add_uses(GraphNode &node, std::vector<GraphNode *> &after);
  static std::shared_ptr<Queue> stop(Recording &recording);
  Recording *recording_of(const Queue &queue);

  const sycl::detail::context_pointer context_;
  const sycl::detail::device_pointer device_;
  const sycl::detail::graph_options options_;
  const std::size_t id_;
  const std::shared_ptr<Queue> queue_; // only for the queue interface; nothing is enqueued there
  mutable std::mutex mutex_;
  GraphNode::Pointers nodes_;
  std::map<BufferState *, std::vector<Use>> uses_;
  std::set<std::shared_ptr<BufferState>> recorded_buffers_; // buffers used while a queue records
  std::vector<Recording> recordings_;
};

// A set of command groups, of which a node has one at a time.
class DynamicGroup final : public sycl::detail::dynamic_group_interface {
public:
  DynamicGroup(std::weak_ptr<CommandGraph> graph, std::vector<std::shared_ptr<NodeBody>> bodies,
               GraphNode::Pointers after)
      : graph(std::move(graph)), bodies(std::move(bodies)), after(std::move(after)) {}
  std::size_t active() const override { return active_; }
  void set_active(std::size_t index) override;

  const std::weak_ptr<CommandGraph> graph;
  const std::vector<std::shared_ptr<NodeBody>> bodies;
  const GraphNode::Pointers after; // predecessors, from events
  std::vector<std::weak_ptr<GraphNode>> nodes;

private:
  std::size_t active_ = 0;
};

// The graph that records a group submitted to the queue. Null: the group is executed.
std::shared_ptr<CommandGraph> graph_for(Queue &queue, const CommandGroup &group);

const sycl::detail::graph_functions &graph_functions();
[[noreturn]] void raise_invalid_graph(const std::string &sentence);
// Locks the mutex of the graph. A node without graph cannot be changed and needs no lock.
std::unique_lock<std::mutex> locked(const std::shared_ptr<CommandGraph> &graph);
// Compares without a reference, whose end could destroy the object under the mutex.
template <class A, class B> bool is_same(const std::weak_ptr<A> &a, const std::weak_ptr<B> &b) {
  return !a.owner_before(b) && !b.owner_before(a);
}
// What an operation of a graph drops. Its destructors may call the program, which may use the graph:
// declare it before the lock of the graph's mutex.
using AfterUnlock = std::vector<std::shared_ptr<const void>>;

// Returns the graph in the language of the tool `dot`.
std::string dot_of(const GraphNode::Pointers &nodes, bool verbose);

} // namespace lockstep::sycl_api
