// Executable graphs: made of a command graph, replayed by queues, and updated.
#include "api/sycl/command_graph.h"
#include "api/sycl/error.h"

#include <set>
#include <utility>

namespace lockstep::sycl_api {
namespace {

using Type = CommandGroup::NodeType;
using runtime::RecordedGraph;

} // namespace

ExecutableGraph::ExecutableGraph(const CommandGraph &of,
                                 const sycl::detail::executable_options &options)
    : context_(of.context()), device_(of.device()), options_(options), graph_id_(of.id()) {
  graph_.set_one_at_a_time();
  const GraphNode::Pointers &all = of.all_nodes();
  nodes_.resize(all.size());
  bodies_.resize(all.size());
  // Topological order; insertion order where edges permit.
  std::vector<std::size_t> missing(all.size());
  std::set<std::size_t> ready;
  for (const auto &node : all)
    if ((missing[node->index()] = node->before.size()) == 0)
      ready.insert(node->index());
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const std::size_t index = *ready.begin();
    ready.erase(ready.begin());
    const NodeBody &body = *all[index]->body;
    std::vector<RecordedGraph::Dependency> dependencies;
    for (const GraphNode *before : all[index]->before)
      dependencies.push_back({nodes_[before->index()]});
    bodies_[index] = body;
    if (body.sub_graph)
      nodes_[index] = body.sub_graph->add_to(graph_, dependencies, bodies_[index].requirements);
    else if (body.task)
      nodes_[index] = graph_.add(body.task, 0, dependencies);
    else
      nodes_[index] = graph_.add(body.operation, 0, dependencies);
    for (const GraphNode *after : all[index]->after)
      if (--missing[after->index()] == 0)
        ready.insert(after->index());
  }
  if (done != all.size())
    raise_invalid_graph("a graph with a cycle is finalized");
  find_requirements();
}

RecordedGraph::Node
ExecutableGraph::add_to(RecordedGraph &graph,
                        const std::vector<RecordedGraph::Dependency> &dependencies,
                        std::vector<Requirement> &requirements) const {
  std::lock_guard lock(mutex_);
  requirements.insert(requirements.end(), requirements_.begin(), requirements_.end());
  const RecordedGraph::Node begin =
      graph.add(std::shared_ptr<runtime::Operation>(), 0, dependencies);
  std::vector<RecordedGraph::Node> added;
  std::vector<RecordedGraph::Dependency> leaves{{begin}};
  for (RecordedGraph::Node node = 0; node < graph_.size(); ++node) {
    std::vector<RecordedGraph::Dependency> before;
    for (const RecordedGraph::Dependency &one : graph_.dependencies(node))
      before.push_back({added[one.before], one.kind});
    if (before.empty())
      before.push_back({begin});
    added.push_back(graph_.elsewhere(node) ? graph.add(graph_.elsewhere(node), 0, before)
                                           : graph.add(graph_.operation(node), 0, before));
    if (!graph_.has_dependants(node))
      leaves.push_back({added.back()});
  }
  return graph.add(std::shared_ptr<runtime::Operation>(), 0, leaves);
}

std::vector<std::shared_ptr<const void>> ExecutableGraph::kept() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const void>> all;
  for (const NodeBody &body : bodies_) {
    all.insert(all.end(), body.kept.begin(), body.kept.end());
    if (body.sub_graph)
      for (auto &one : body.sub_graph->kept())
        all.push_back(std::move(one));
  }
  return all;
}

void ExecutableGraph::find_requirements() {
  requirements_.clear();
  for (const NodeBody &body : bodies_)
    requirements_.insert(requirements_.end(), body.requirements.begin(), body.requirements.end());
}

void ExecutableGraph::check_updatable() const {
  check_process("this graph");
  if (!options_.is_updatable)
    raise_invalid_graph("a graph is updated that was finalized without the property updatable");
}

// Returns the replaced body. Replays in progress keep the old operation.
NodeBody ExecutableGraph::take(std::size_t index, const NodeBody &body) {
  if (body.task)
    graph_.replace(nodes_[index], body.task);
  else if (body.operation)
    graph_.replace(nodes_[index], body.operation);
  return std::exchange(bodies_[index], body);
}

void ExecutableGraph::update(const std::vector<sycl::detail::node_pointer> &nodes) {
  check_updatable();
  for (const auto &pointer : nodes) {
    const auto &node = static_cast<const GraphNode &>(*pointer);
    const auto graph = node.graph();
    if (!graph || graph->id() != graph_id_ || node.index() >= bodies_.size())
      raise_invalid_graph("a graph is updated with a node that it was not made of");
    if (node.type() != Type::kernel && node.type() != Type::host_task)
      raise_invalid_graph("a node is updated that neither launches a kernel nor is a host task");
  }
  std::vector<NodeBody> replaced; // see AfterUnlock
  replaced.reserve(nodes.size());
  const auto source = nodes.empty() ? nullptr : static_cast<GraphNode &>(*nodes[0]).graph();
  const auto source_lock = locked(source);
  std::lock_guard lock(mutex_);
  for (const auto &pointer : nodes) {
    const auto &node = static_cast<const GraphNode &>(*pointer);
    replaced.push_back(take(node.index(), *node.body));
  }
  find_requirements();
}

void ExecutableGraph::update(const sycl::detail::graph_pointer &source) {
  check_updatable();
  const auto &from = static_cast<const CommandGraph &>(*source);
  if (from.context() != context_ || from.device() != device_)
    raise_invalid_graph("a graph is updated by one of another context or device");
  std::vector<NodeBody> replaced; // see AfterUnlock
  std::scoped_lock lock(mutex_, from.mutex());
  const GraphNode::Pointers &all = from.all_nodes();
  replaced.reserve(all.size());
  bool is_alike = all.size() == bodies_.size();
  for (std::size_t i = 0; is_alike && i < all.size(); ++i) {
    const NodeBody &now = *all[i]->body, &before = bodies_[i];
    is_alike = now.type == before.type &&
               (!now.launch || !before.launch || now.launch->kernel == before.launch->kernel);
    if (now.type != Type::empty && now.type != Type::ext_oneapi_barrier &&
        now.type != Type::kernel && now.type != Type::host_task)
      raise_invalid_graph(
          "a graph is updated by one with nodes that are not kernels, host tasks, barriers or "
          "empty");
  }
  if (!is_alike)
    raise_invalid_graph("a graph is updated by one that has other nodes");
  for (std::size_t i = 0; i < all.size(); ++i)
    replaced.push_back(take(i, *all[i]->body));
  find_requirements();
}

} // namespace lockstep::sycl_api
