#include "runtime/graph/recorded_graph.h"

#include "runtime/events.h"
#include "runtime/kernel.h"

#include <atomic>
#include <cassert>
#include <utility>

namespace lockstep::runtime {
namespace {

// What the nodes of one replay share, and who hears of them. It ends with the last command, so nobody counts.
class Replay final : public CommandClient {
public:
  Replay(std::shared_ptr<const RecordedGraph::Operations> operations, CommandClient *client)
      : operations_(std::move(operations)), client_(client) {}

  void retain() override {}
  void release() override {}
  // The first failure is told when the whole fails with it.
  void failed(const Error &error) override {
    if (!has_failed_.exchange(true, std::memory_order_acq_rel))
      error_ = error;
    else if (client_)
      client_->failed(error);
  }
  void warn(const std::string &sentence) override {
    if (client_)
      client_->warn(sentence);
  }

  Result<void> result() const { // of nodes that are all settled
    if (has_failed_.load(std::memory_order_acquire))
      return error_;
    return {};
  }

private:
  const std::shared_ptr<const RecordedGraph::Operations> operations_; // kept
  CommandClient *const client_;                                       // kept by the last command
  std::atomic<bool> has_failed_{false};
  Error error_;
};

// The operation of the last command.
class EndOfReplay final : public HostOperation {
public:
  EndOfReplay(std::shared_ptr<const RecordedGraph::Operations> operations, CommandClient *client)
      : replay_(std::move(operations), client) {}

  Replay &replay() { return replay_; }
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override { return replay_.result(); }

private:
  Replay replay_;
};

// Of the first one, which does not outlive the last.
class BeginOfReplay final : public HostOperation {
public:
  explicit BeginOfReplay(Command &last) : last_(last) {}
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override {
    last_.set_running();
    return {};
  }

private:
  Command &last_;
};

} // namespace

RecordedGraph::Node RecordedGraph::add(std::shared_ptr<Operation> operation, uint32_t queue,
                                       std::span<const Dependency> dependencies) {
  assert(!replays_share_operations_);
  const Node node = Node(nodes_.size());
  dependencies_.insert(dependencies_.end(), dependencies.begin(), dependencies.end());
  operations_->resize(node); // without what is there if the last lines lacked memory
  operations_->push_back(operation);
  nodes_.push_back(
      {queue, uint32_t(dependencies_.size() - dependencies.size()), uint32_t(dependencies.size())});
  note_check(operation);
  for (const Dependency &one : dependencies)
    nodes_[one.before].has_dependants = true;
  return node;
}

void RecordedGraph::replace(Node node, std::shared_ptr<Operation> operation) {
  if (std::exchange(replays_share_operations_, false))
    operations_ = std::make_shared<Operations>(*operations_);
  note_check(operation);
  (*operations_)[node] = std::move(operation);
}

// What is found out about one run of a launch is kept in the launch, so runs must not overlap.
void RecordedGraph::note_check(const std::shared_ptr<Operation> &operation) {
  if (Launch *launch = operation ? operation->launch() : nullptr)
    is_checked_ |= launch->check() != nullptr;
}

CommandRef RecordedGraph::enqueue(std::span<CommandQueue *const> queues, WaitList wait_list) {
  CommandClient *const client = queues.front()->client();
  auto end = std::make_unique<EndOfReplay>(operations_, client);
  Replay &replay = end->replay();
  const CommandRef last = Command::create(std::move(end));
  const CommandRef first = Command::create(std::make_unique<BeginOfReplay>(*last));
  last->reserve_dependencies(1);
  last->follow(*first, EdgeKind::needs);
  if (is_checked_ && previous_)
    first->depend_on(*previous_, EdgeKind::after);

  std::vector<CommandRef> commands;
  commands.reserve(nodes_.size());
  for (Node node = 0; node < nodes_.size(); ++node) {
    const Recorded &recorded = nodes_[node];
    CommandQueue &queue = *queues[recorded.queue];
    commands.push_back(
        Command::create_recorded((*operations_)[node].get(), queue.executor(), &replay));
    Command &command = *commands.back();
    tell(&Listener::command_enqueued, command, queue);
    for (const Dependency &one : dependencies(node))
      command.follow(*commands[one.before], one.kind);
    if (recorded.count == 0)
      command.follow(*first, EdgeKind::needs);
    if (!recorded.has_dependants)
      command.lead_to(*last);
  }
  CommandQueue::enqueue_as_one(queues, *first, *last, wait_list, [&] {
    for (CommandRef &command : commands)
      (void)command.release(); // the graph's from here on
    replays_share_operations_ = true;
    if (is_checked_)
      previous_ = last;
  });
  return last;
}

} // namespace lockstep::runtime
