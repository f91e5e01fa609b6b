#include "api/sycl/command_graph.h"

#include "api/sycl/buffer.h"
#include "api/sycl/device.h"
#include "api/sycl/dynamic_parameter.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/host_tasks.h"
#include "api/sycl/of_process.h"
#include "api/sycl/queue.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <unordered_set>

namespace lockstep::sycl_api {
namespace {

using Type = CommandGroup::NodeType;
using runtime::RecordedGraph;

std::size_t next_id() {
  static constinit std::atomic<std::size_t> last{0};
  return ++last;
}

} // namespace

void raise_invalid_graph(const std::string &sentence) {
  raise(sycl::errc::invalid, sentence + " (sycl_ext_oneapi_graph)");
}

std::unique_lock<std::mutex> locked(const std::shared_ptr<CommandGraph> &graph) {
  return graph ? std::unique_lock(graph->mutex()) : std::unique_lock<std::mutex>();
}

// ---- nodes

namespace {

std::vector<sycl::detail::node_pointer> shared(const std::shared_ptr<CommandGraph> &graph,
                                               const std::vector<GraphNode *> &nodes) {
  std::vector<sycl::detail::node_pointer> all;
  if (!graph) // the graph owns its nodes
    return all;
  const auto lock = locked(graph);
  for (GraphNode *node : nodes)
    all.push_back(node->shared_from_this());
  return all;
}

} // namespace

std::vector<sycl::detail::node_pointer> GraphNode::predecessors() const {
  return shared(graph(), before);
}

std::vector<sycl::detail::node_pointer> GraphNode::successors() const {
  return shared(graph(), after);
}

bool GraphNode::is_of(const CommandGraph &graph) const {
  return is_same(graph_, graph.weak_from_this());
}

void GraphNode::set_shape(const sycl::detail::launch_shape &shape) {
  const auto owner = graph();
  const auto lock = locked(owner);
  if (body->type != Type::kernel || !body->launch)
    raise_invalid_graph("the range of a node is updated that launches no kernel");
  if (body->launch->shape.dimensions != shape.dimensions)
    raise_invalid_graph(
        fmt::format("the range of a launch is updated by one of {} dimensions instead of {}",
                    shape.dimensions, body->launch->shape.dimensions));
  RecordedLaunch changed = *body->launch;
  changed.shape = shape;
  body->operation = changed.make(body->requirements);
  body->launch = std::move(changed);
}

void DynamicGroup::set_active(std::size_t index) {
  if (index >= bodies.size())
    raise_invalid_graph(fmt::format("the command group of index {} is set active, and there are {}",
                                    index, bodies.size()));
  const auto owner = graph.lock();
  const auto lock = locked(owner);
  active_ = index;
  for (const auto &one : nodes)
    if (const auto node = one.lock())
      node->body = bodies[index];
}

// ---- making a graph

CommandGraph::CommandGraph(sycl::detail::context_pointer context,
                           sycl::detail::device_pointer device,
                           const sycl::detail::graph_options &options)
    : context_(std::move(context)), device_(std::move(device)), options_(options), id_(next_id()),
      queue_(std::static_pointer_cast<Queue>(make_queue(context_, device_, nullptr, {}))) {}

CommandGraph::~CommandGraph() {
  for (Recording &recording : recordings_)
    stop(recording);
  for (const auto &state : recorded_buffers_)
    --state->recordings();
}

std::unique_ptr<sycl::detail::command_group_interface> CommandGraph::begin_group() {
  check_process("this graph");
  return std::make_unique<CommandGroup>(*queue_, true);
}

sycl::detail::queue_pointer CommandGraph::own_queue() const {
  return queue_;
}

void CommandGraph::check_no_recording() const {
  check_process("this graph");
  if (!recordings_.empty())
    raise_invalid_graph("a graph is changed explicitly while a queue records to it");
}

void CommandGraph::check_buffers(const NodeBody &body) const {
  for (const Requirement &one : body.requirements) {
    if (!options_.may_use_buffers)
      raise_invalid_graph(
          "a command of a graph uses a buffer, and the graph was made without the property "
          "assume_buffer_outlives_graph");
    if (one.buffer->state().writes_back())
      raise_invalid_graph(
          "a command of a graph uses a buffer that writes back to the program's memory at "
          "its end; set_write_back(false) or set_final_data(nullptr) leaves that out");
  }
}

void CommandGraph::fill_body(const std::shared_ptr<NodeBody> &body, CommandGroup &group) const {
  body->type = group.type();
  body->requirements = group.requirements();
  body->kept = group.kept();
  body->sub_graph = group.graph();
  body->launch = group.take_launch();
  if (!group.streams().empty())
    raise(sycl::errc::feature_not_supported, "a command of a graph writes to a stream");
  if (group.has_host_task())
    body->task = std::make_shared<const RecordedGraph::Elsewhere>(
        [task = std::make_shared<const std::function<void()>>(group.take_host_task())](
            runtime::CommandRef until, const std::shared_ptr<void> &whom) {
          if (auto started = start_host_tasks(); !started)
            raise(started.error());
          return std::make_unique<SubmittedTask>(
              // A replay copies no object of the program: it holds the mutex of the graph.
              guarded([task] { (*task)(); }, std::static_pointer_cast<ErrorList>(whom)),
              std::move(until));
        });
  else if (!body->sub_graph)
    body->operation = group.make_operation();
  check_buffers(*body);
  for (const CommandGroup::Parameter &one : group.parameters()) {
    if (body->type != Type::kernel || !body->launch)
      raise_invalid_graph("a dynamic parameter is set in a command group that launches no kernel");
    auto &parameter = static_cast<DynamicParameter &>(*one.parameter);
    if (!parameter.is_of(*this))
      raise_invalid_graph("a dynamic parameter of another graph is set");
    parameter.add(body, one.index);
  }
}

GraphNode *CommandGraph::own(const sycl::detail::node_pointer &node, const char *what) const {
  auto *own = static_cast<GraphNode *>(node.get());
  if (!own->is_of(*this))
    raise_invalid_graph(std::string(what) + " is not a node of the graph");
  return own;
}

void CommandGraph::connect(GraphNode &from, GraphNode &to) {
  if (std::ranges::find(to.before, &from) != to.before.end())
    return;
  to.before.push_back(&from);
  from.after.push_back(&to);
}

// Adds dependencies from accessors: a read follows the last writes of the same bytes, and a write
// follows all earlier accesses to them.
void CommandGraph::add_uses(GraphNode &node, std::vector<GraphNode *> &after) {
  for (const Requirement &one : node.body->requirements) {
    std::vector<Use> &uses = uses_[&one.buffer->state()];
    std::erase_if(uses, [&](const Use &use) {
      const bool overlaps = use.begin < one.end && one.begin < use.end;
      if (!overlaps || use.node == &node)
        return false;
      if (!writes(use.mode) && !writes(one.mode))
        return false;
      after.push_back(use.node);
      // later nodes depend on the new use instead
      return writes(one.mode) && one.begin <= use.begin && use.end <= one.end;
    });
    uses.push_back({&node, one.mode, one.begin, one.end});
  }
}

std::shared_ptr<GraphNode> CommandGraph::append(std::shared_ptr<NodeBody> body,
                                                const std::vector<GraphNode *> &after) {
  auto node = make_of_process<GraphNode>(weak_from_this(), nodes_.size(), std::move(body));
  std::vector<GraphNode *> all = after;
  add_uses(*node, all);
  nodes_.push_back(node);
  for (GraphNode *one : all)
    connect(*one, *node);
  return node;
}

std::shared_ptr<GraphNode> CommandGraph::append(std::shared_ptr<NodeBody> body,
                                                const GraphNode::Pointers &nodes,
                                                const sycl::detail::node_options &options) {
  if (body->type == Type::ext_oneapi_barrier)
    raise_invalid_graph(
        "a barrier is added to a graph explicitly; an empty node that depends on all leaves "
        "does the same");
  std::vector<GraphNode *> after;
  for (const auto &node : options.after)
    after.push_back(own(node, "what a new node depends on"));
  for (const auto &node : nodes)
    after.push_back(own(node, "the event that a new node depends on"));
  if (options.after_all_leaves)
    for (const auto &node : nodes_)
      if (node->after.empty())
        after.push_back(node.get());
  return append(std::move(body), after);
}

sycl::detail::node_pointer
CommandGraph::add(std::unique_ptr<sycl::detail::command_group_interface> group,
                  const sycl::detail::node_options &options) {
  const auto body = std::make_shared<NodeBody>(); // destroyed after unlocking if this fails
  std::lock_guard lock(mutex_);
  check_no_recording();
  if (!group)
    return append(body, {}, options);
  auto &filled = static_cast<CommandGroup &>(*group);
  if (!filled.dependencies().empty())
    raise_invalid_graph(
        "a command group of a graph depends on an event of no command of the graph");
  fill_body(body, filled);
  return append(body, filled.nodes(), options);
}

sycl::detail::dynamic_group_pointer CommandGraph::make_dynamic(
    std::vector<std::unique_ptr<sycl::detail::command_group_interface>> groups) {
  std::vector<std::shared_ptr<NodeBody>> bodies; // destroyed after unlocking if this fails
  std::lock_guard lock(mutex_);
  if (groups.empty())
    raise_invalid_graph("a dynamic command group is made of no command groups");
  GraphNode::Pointers after;
  for (const auto &group : groups) {
    auto &filled = static_cast<CommandGroup &>(*group);
    fill_body(bodies.emplace_back(std::make_shared<NodeBody>()), filled);
    if (bodies.back()->type != Type::kernel && bodies.back()->type != Type::host_task)
      raise_invalid_graph(
          "a dynamic command group has one that neither launches a kernel nor is a host task");
    if (bodies.back()->type != bodies.front()->type)
      raise_invalid_graph("a dynamic command group mixes kernels and host tasks");
    if (bodies.size() > 1 && filled.nodes() != after)
      raise_invalid_graph("the groups of a dynamic command group depend on different events");
    after = filled.nodes();
  }
  return make_of_process<DynamicGroup>(weak_from_this(), bodies, std::move(after));
}

sycl::detail::node_pointer CommandGraph::add(const sycl::detail::dynamic_group_pointer &group,
                                             const sycl::detail::node_options &options) {
  std::lock_guard lock(mutex_);
  check_no_recording();
  auto &own_group = static_cast<DynamicGroup &>(*group);
  if (!is_same(own_group.graph, weak_from_this()))
    raise_invalid_graph("a dynamic command group is added to another graph than it was made for");
  const auto uses = [](const NodeBody &body) {
    std::set<std::tuple<BufferState *, std::size_t, std::size_t, runtime::AccessMode>> all;
    for (const Requirement &one : body.requirements)
      all.insert({&one.buffer->state(), one.begin, one.end, one.mode});
    return all;
  };
  for (const auto &body : own_group.bodies)
    if (uses(*body) != uses(*own_group.bodies.front()))
      raise_invalid_graph("the groups of a dynamic command group use different buffers");
  auto node = append(own_group.bodies[own_group.active()], own_group.after, options);
  own_group.nodes.push_back(node);
  return node;
}

static bool comes_after(const GraphNode &node, const GraphNode &of) {
  std::unordered_set<const GraphNode *> known;
  std::vector<const GraphNode *> open{&of};
  while (!open.empty()) {
    const GraphNode *one = open.back();
    open.pop_back();
    if (one == &node)
      return true;
    for (const GraphNode *next : one->after)
      if (known.insert(next).second)
        open.push_back(next);
  }
  return false;
}

void CommandGraph::make_edge(const sycl::detail::node_pointer &from,
                             const sycl::detail::node_pointer &to) {
  std::lock_guard lock(mutex_);
  check_no_recording();
  GraphNode *first = own(from, "the source of an edge"), *second = own(to, "the end of an edge");
  if (first == second)
    raise_invalid_graph("an edge is made from a node to itself");
  if (options_.checks_cycles && comes_after(*first, *second))
    raise_invalid_graph("an edge is made that closes a cycle");
  connect(*first, *second);
}

std::vector<sycl::detail::node_pointer> CommandGraph::nodes() const {
  check_process("this graph");
  std::lock_guard lock(mutex_);
  return {nodes_.begin(), nodes_.end()};
}

std::vector<sycl::detail::node_pointer> CommandGraph::roots() const {
  check_process("this graph");
  std::lock_guard lock(mutex_);
  std::vector<sycl::detail::node_pointer> all;
  for (const auto &node : nodes_)
    if (node->before.empty())
      all.push_back(node);
  return all;
}

void CommandGraph::print(const std::string &path, bool verbose) const {
  check_process("this graph");
  std::lock_guard lock(mutex_);
  if (!path.ends_with(".dot"))
    raise_invalid_graph("print_graph is given the path " + path + ", which does not end with .dot");
  std::ofstream file(path);
  file << dot_of(nodes_, verbose);
  if (!file.flush())
    raise_invalid_graph("print_graph cannot write " + path);
}

// ---- recording

CommandGraph::Recording *CommandGraph::recording_of(const Queue &queue) {
  for (Recording &one : recordings_)
    if (is_same(one.queue, queue.weak_from_this()))
      return &one;
  return nullptr;
}

bool CommandGraph::records() const {
  std::lock_guard lock(mutex_);
  return !recordings_.empty();
}

void CommandGraph::join_recording(Queue &queue) {
  std::lock_guard lock(mutex_);
  recordings_.push_back({queue.shared_from_this(), {}});
  queue.set_recording(shared_from_this());
}

void CommandGraph::begin_recording(const std::vector<sycl::detail::queue_pointer> &queues) {
  check_process("this graph");
  std::lock_guard lock(mutex_);
  for (const auto &pointer : queues) {
    auto &queue = static_cast<Queue &>(*pointer);
    if (queue.recording())
      raise_invalid_graph("begin_recording is given a queue that records already");
    if (queue.context() != context_ || queue.device() != device_)
      raise_invalid_graph(
          "begin_recording is given a queue of another context or device than the graph's");
  }
  for (const auto &pointer : queues) {
    auto own = std::static_pointer_cast<Queue>(pointer);
    if (recording_of(*own)) // already listed
      continue;
    recordings_.push_back({own, {}});
    own->set_recording(shared_from_this());
  }
}

std::shared_ptr<Queue> CommandGraph::stop(Recording &recording) {
  auto queue = recording.queue.lock();
  if (queue)
    queue->set_recording(nullptr);
  return queue;
}

void CommandGraph::end_recording() {
  check_process("this graph");
  AfterUnlock stopped;
  std::lock_guard lock(mutex_);
  for (Recording &one : recordings_)
    stopped.push_back(stop(one));
  recordings_.clear();
  for (const auto &state : recorded_buffers_)
    --state->recordings();
  recorded_buffers_.clear();
}

void CommandGraph::end_recording(const std::vector<sycl::detail::queue_pointer> &queues) {
  check_process("this graph");
  bool is_last = false;
  {
    AfterUnlock stopped;
    std::lock_guard lock(mutex_);
    for (const auto &pointer : queues) {
      const auto graph = static_cast<Queue &>(*pointer).recording();
      if (graph && graph.get() != this)
        raise_invalid_graph("end_recording is given a queue that records to another graph");
    }
    for (const auto &pointer : queues)
      if (Recording *one = recording_of(static_cast<Queue &>(*pointer))) {
        stopped.push_back(stop(*one));
        recordings_.erase(recordings_.begin() + (one - recordings_.data()));
      }
    is_last = recordings_.empty();
  }
  if (is_last)
    end_recording();
}

std::shared_ptr<GraphNode> CommandGraph::record(Queue &queue, CommandGroup &group) {
  const auto body = std::make_shared<NodeBody>(); // destroyed after unlocking if this fails
  std::lock_guard lock(mutex_);
  Recording *recording = recording_of(queue);
  if (!recording)
    raise_invalid_graph("another thread has ended the recording of a queue");
  if (!group.dependencies().empty())
    raise_invalid_graph(
        "a command that is recorded depends on an event of a command that was not recorded");
  if (!group.parameters().empty())
    raise_invalid_graph(
        "a dynamic parameter is set in a command group that is submitted to a queue");
  std::vector<GraphNode *> after;
  for (const auto &node : group.nodes())
    after.push_back(own(node, "the event that a recorded command depends on"));
  const bool is_barrier = group.type() == Type::ext_oneapi_barrier;
  if (is_barrier && after.empty())
    after = recording->leaves;
  if (recording->last)
    after.push_back(recording->last);
  fill_body(body, group);
  const auto node = append(body, after);
  std::erase_if(recording->leaves, [](const GraphNode *leaf) { return !leaf->after.empty(); });
  recording->leaves.push_back(node.get());
  if (is_barrier || queue.is_in_order())
    recording->last = node.get();
  for (const Requirement &one : node->body->requirements)
    if (auto state = one.buffer->shared_state(); recorded_buffers_.insert(state).second)
      ++state->recordings();
  return node;
}

std::shared_ptr<CommandGraph> graph_for(Queue &queue, const CommandGroup &group) {
  if (auto recording = queue.recording())
    return recording;
  if (!group.parameters().empty())
    raise_invalid_graph(
        "a dynamic parameter is set in a command group that is submitted to a queue");
  if (group.nodes().empty())
    return nullptr;
  // The group depends on a recorded command, so it is recorded too.
  auto graph = group.nodes().front()->graph();
  if (!graph || !graph->records())
    raise_invalid_graph("an event of a recorded command is used when its recording has ended");
  graph->join_recording(queue);
  return graph;
}

sycl::detail::executable_graph_pointer
CommandGraph::finalize(const sycl::detail::executable_options &options) {
  check_process("this graph");
  std::lock_guard lock(mutex_);
  return make_of_process<ExecutableGraph>(*this, options);
}

// ---- for the headers

namespace {

class GraphFunctions final : public sycl::detail::graph_functions {
public:
  sycl::detail::graph_pointer
  make_graph(const sycl::detail::context_pointer &context,
             const sycl::detail::device_pointer &device,
             const sycl::detail::graph_options &options) const override {
    if (!static_cast<const Context &>(*context).has(device))
      raise_invalid_graph("a graph is made for a device that is not in its context");
    return make_of_process<CommandGraph>(context, device, options);
  }
  sycl::detail::dynamic_parameter_pointer
  make_parameter(const sycl::detail::graph_pointer &graph) const override {
    return make_of_process<DynamicParameter>(std::static_pointer_cast<CommandGraph>(graph));
  }
  sycl::detail::node_pointer node_of(const sycl::detail::event_pointer &event) const override {
    const auto &node = static_cast<const Event &>(*event).node();
    if (!node)
      raise_invalid_graph("get_node_from_event is given an event of no recorded command");
    return node;
  }
  sycl::detail::graph_pointer graph_of(const sycl::detail::queue_pointer &queue) const override {
    return static_cast<const Queue &>(*queue).recording();
  }
};

} // namespace

const sycl::detail::graph_functions &graph_functions() {
  return leaked([] { return new GraphFunctions; });
}

} // namespace lockstep::sycl_api
