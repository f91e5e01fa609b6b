#include "api/sycl/command_graph.h"

#include "api/sycl/buffer.h"
#include "api/sycl/device.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/host_tasks.h"
#include "api/sycl/of_process.h"
#include "api/sycl/queue.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <unordered_set>

namespace lockstep::sycl_api {
namespace {

using Type = CommandGroup::NodeType;
using runtime::RecordedGraph;

// What an operation of a graph drops. Its destructors may call the program, which may use the graph:
// declare it before the lock of the graph's mutex.
using AfterUnlock = std::vector<std::shared_ptr<const void>>;

// Compares without a reference, whose end could destroy the object under the mutex.
template <class A, class B> bool is_same(const std::weak_ptr<A> &a, const std::weak_ptr<B> &b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

[[noreturn]] void raise_invalid(const std::string &sentence) {
  raise(sycl::errc::invalid, sentence + " (sycl_ext_oneapi_graph)");
}

std::size_t next_id() {
  static constinit std::atomic<std::size_t> last{0};
  return ++last;
}

// A dynamic parameter of a graph: lists the node bodies that use it.
class DynamicParameter final : public sycl::detail::dynamic_parameter_interface {
public:
  explicit DynamicParameter(std::weak_ptr<CommandGraph> graph) : graph_(std::move(graph)) {}
  bool is_of(const CommandGraph &graph) const { return is_same(graph_, graph.weak_from_this()); }
  void add(const std::shared_ptr<NodeBody> &body, int index) { // requires the graph's mutex
    uses_.push_back({body, index});
  }
  void update(const void *value, std::size_t bytes, const sycl::detail::buffer_pointer &buffer,
              std::size_t offset, std::size_t size) override {
    const auto graph = graph_.lock();
    if (!graph)
      return;
    AfterUnlock dropped;
    std::lock_guard lock(graph->mutex());
    for (const Use &use : uses_)
      if (auto body = use.body.lock()) {
        update(*body, use.index, value, bytes, std::static_pointer_cast<Buffer>(buffer), offset,
               size, dropped);
        dropped.push_back(std::move(body));
      }
  }

private:
  struct Use {
    std::weak_ptr<NodeBody> body;
    int index;
  };
  static void update(NodeBody &body, int index, const void *value, std::size_t bytes,
                     const std::shared_ptr<Buffer> &buffer, std::size_t offset, std::size_t size,
                     AfterUnlock &dropped) {
    RecordedLaunch &launch = *body.launch;
    std::size_t at, size_at;
    if (launch.parameters) {
      if (buffer)
        raise(sycl::errc::feature_not_supported,
              "a dynamic parameter changes an accessor of a kernel that is a function of C++");
      at = launch.parameters->at(std::size_t(index)).offset;
      size_at = launch.parameters->at(std::size_t(index)).bytes;
    } else {
      const compiler::KernelArg &argument = launch.kernel->info().args[std::size_t(index)];
      at = argument.offset;
      size_at = argument.size;
    }
    std::byte *place = launch.block.data() + at;
    if (buffer) {
      const std::byte *before = nullptr;
      std::memcpy(&before, place, sizeof before);
      for (Requirement &one : body.requirements) {
        const std::byte *begin = one.buffer->state().memory()->data();
        if (before >= begin + one.begin && before < begin + one.end) {
          const std::size_t first = buffer->offset_in_root() + offset;
          dropped.push_back(one.buffer);
          one = {buffer, one.mode, first, first + size};
          break;
        }
      }
    }
    std::memcpy(place, value, std::min(bytes, size_at));
    dropped.push_back(body.operation);
    body.operation = launch.make(body.requirements);
  }

  const std::weak_ptr<CommandGraph> graph_;
  std::vector<Use> uses_;
};

} // namespace

// ---- nodes

namespace {

// Locks the mutex of the graph. A node without graph cannot be changed and needs no lock.
std::unique_lock<std::mutex> locked(const std::shared_ptr<CommandGraph> &graph) {
  return graph ? std::unique_lock(graph->mutex()) : std::unique_lock<std::mutex>();
}

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
    raise_invalid("the range of a node is updated that launches no kernel");
  if (body->launch->shape.dimensions != shape.dimensions)
    raise_invalid(
        fmt::format("the range of a launch is updated by one of {} dimensions instead of {}",
                    shape.dimensions, body->launch->shape.dimensions));
  RecordedLaunch changed = *body->launch;
  changed.shape = shape;
  body->operation = changed.make(body->requirements);
  body->launch = std::move(changed);
}

void DynamicGroup::set_active(std::size_t index) {
  if (index >= bodies.size())
    raise_invalid(fmt::format("the command group of index {} is set active, and there are {}",
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
    raise_invalid("a graph is changed explicitly while a queue records to it");
}

void CommandGraph::check_buffers(const NodeBody &body) const {
  for (const Requirement &one : body.requirements) {
    if (!options_.may_use_buffers)
      raise_invalid(
          "a command of a graph uses a buffer, and the graph was made without the property "
          "assume_buffer_outlives_graph");
    if (one.buffer->state().writes_back())
      raise_invalid(
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
      raise_invalid("a dynamic parameter is set in a command group that launches no kernel");
    auto &parameter = static_cast<DynamicParameter &>(*one.parameter);
    if (!parameter.is_of(*this))
      raise_invalid("a dynamic parameter of another graph is set");
    parameter.add(body, one.index);
  }
}

GraphNode *CommandGraph::own(const sycl::detail::node_pointer &node, const char *what) const {
  auto *own = static_cast<GraphNode *>(node.get());
  if (!own->is_of(*this))
    raise_invalid(std::string(what) + " is no node of the graph");
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
    raise_invalid(
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
    raise_invalid("a command group of a graph depends on an event of no command of the graph");
  fill_body(body, filled);
  return append(body, filled.nodes(), options);
}

sycl::detail::dynamic_group_pointer CommandGraph::make_dynamic(
    std::vector<std::unique_ptr<sycl::detail::command_group_interface>> groups) {
  std::vector<std::shared_ptr<NodeBody>> bodies; // destroyed after unlocking if this fails
  std::lock_guard lock(mutex_);
  if (groups.empty())
    raise_invalid("a dynamic command group is made of no command groups");
  GraphNode::Pointers after;
  for (const auto &group : groups) {
    auto &filled = static_cast<CommandGroup &>(*group);
    fill_body(bodies.emplace_back(std::make_shared<NodeBody>()), filled);
    if (bodies.back()->type != Type::kernel && bodies.back()->type != Type::host_task)
      raise_invalid(
          "a dynamic command group has one that neither launches a kernel nor is a host task");
    if (bodies.back()->type != bodies.front()->type)
      raise_invalid("a dynamic command group mixes kernels and host tasks");
    if (bodies.size() > 1 && filled.nodes() != after)
      raise_invalid("the groups of a dynamic command group depend on different events");
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
    raise_invalid("a dynamic command group is added to another graph than it was made for");
  const auto uses = [](const NodeBody &body) {
    std::set<std::tuple<BufferState *, std::size_t, std::size_t, runtime::AccessMode>> all;
    for (const Requirement &one : body.requirements)
      all.insert({&one.buffer->state(), one.begin, one.end, one.mode});
    return all;
  };
  for (const auto &body : own_group.bodies)
    if (uses(*body) != uses(*own_group.bodies.front()))
      raise_invalid("the groups of a dynamic command group use different buffers");
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
    raise_invalid("an edge is made from a node to itself");
  if (options_.checks_cycles && comes_after(*first, *second))
    raise_invalid("an edge is made that closes a cycle");
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
    raise_invalid("print_graph is given the path " + path + ", which does not end with .dot");
  std::ofstream file(path);
  file << dot_of(nodes_, verbose);
  if (!file.flush())
    raise_invalid("print_graph cannot write " + path);
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
      raise_invalid("begin_recording is given a queue that records already");
    if (queue.context() != context_ || queue.device() != device_)
      raise_invalid(
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
        raise_invalid("end_recording is given a queue that records to another graph");
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
    raise_invalid("another thread has ended the recording of a queue");
  if (!group.dependencies().empty())
    raise_invalid(
        "a command that is recorded depends on an event of a command that was not recorded");
  if (!group.parameters().empty())
    raise_invalid("a dynamic parameter is set in a command group that is submitted to a queue");
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
    raise_invalid("a dynamic parameter is set in a command group that is submitted to a queue");
  if (group.nodes().empty())
    return nullptr;
  // The group depends on a recorded command, so it is recorded too.
  auto graph = group.nodes().front()->graph();
  if (!graph || !graph->records())
    raise_invalid("an event of a recorded command is used when its recording has ended");
  graph->join_recording(queue);
  return graph;
}

// ---- executable graphs

sycl::detail::executable_graph_pointer
CommandGraph::finalize(const sycl::detail::executable_options &options) {
  check_process("this graph");
  std::lock_guard lock(mutex_);
  return make_of_process<ExecutableGraph>(*this, options);
}

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
    raise_invalid("a graph with a cycle is finalized");
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
    raise_invalid("a graph is updated that was finalized without the property updatable");
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
      raise_invalid("a graph is updated with a node that it was not made of");
    if (node.type() != Type::kernel && node.type() != Type::host_task)
      raise_invalid("a node is updated that neither launches a kernel nor is a host task");
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
    raise_invalid("a graph is updated by one of another context or device");
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
      raise_invalid(
          "a graph is updated by one with nodes that are no kernels, host tasks, barriers or "
          "empty");
  }
  if (!is_alike)
    raise_invalid("a graph is updated by one that has other nodes");
  for (std::size_t i = 0; i < all.size(); ++i)
    replaced.push_back(take(i, *all[i]->body));
  find_requirements();
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
      raise_invalid("a graph is made for a device that is not in its context");
    return make_of_process<CommandGraph>(context, device, options);
  }
  sycl::detail::dynamic_parameter_pointer
  make_parameter(const sycl::detail::graph_pointer &graph) const override {
    return make_of_process<DynamicParameter>(std::static_pointer_cast<CommandGraph>(graph));
  }
  sycl::detail::node_pointer node_of(const sycl::detail::event_pointer &event) const override {
    const auto &node = static_cast<const Event &>(*event).node();
    if (!node)
      raise_invalid("get_node_from_event is given an event of no recorded command");
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
