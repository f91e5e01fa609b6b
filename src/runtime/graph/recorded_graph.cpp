#include "runtime/graph/recorded_graph.h"

#include "runtime/device/kernel.h"
#include "runtime/events/events.h"

#include <atomic>
#include <cassert>
#include <utility>

namespace lockstep::runtime {
namespace {

// Shared state of one replay, and the client of its commands. The last command destroys it; no
// reference count is needed.
class Replay final : public CommandClient {
public:
  Replay(std::shared_ptr<const RecordedGraph::Operations> operations, CommandClient *client)
      : operations_(std::move(operations)), client_(client) {}

  void retain() override {}
  void release() override {}
  // The first failure is reported when the last command fails with it.
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

  Result<void> result() const { // requires that all nodes are settled
    if (has_failed_.load(std::memory_order_acquire))
      return error_;
    return {};
  }

private:
  const std::shared_ptr<const RecordedGraph::Operations> operations_; // keeps the operations alive
  CommandClient *const client_; // the last command keeps it alive
  std::atomic<bool> has_failed_{false};
  Error error_;
};

// The operation of the last command of a replay.
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

// The operation of the first command of a replay, which does not outlive the last command.
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

// The operation of a command that begins work of another component's threads.
class BeginElsewhere final : public HostOperation {
public:
  explicit BeginElsewhere(std::unique_ptr<RecordedGraph::WorkElsewhere> work)
      : work_(std::move(work)) {}
  bool is_host_code() const override { return true; }
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override {
    work_->begin();
    return {};
  }
  void failed(const Error &) override { work_->give_up(); }

private:
  const std::unique_ptr<RecordedGraph::WorkElsewhere> work_;
};

} // namespace

// The commands of a replay that is being built.
struct RecordedGraph::Replayed {
  Replay &replay;
  const CommandRef &first, &last;
  const std::shared_ptr<void> &whom;
  std::vector<CommandRef> ends{};     // by node: the command that its dependants follow
  std::vector<CommandRef> starting{}; // commands to start, besides first and last
};

RecordedGraph::Node RecordedGraph::add(std::shared_ptr<Operation> operation, uint32_t queue,
                                       std::span<const Dependency> dependencies) {
  assert(!replays_share_operations_);
  const Node node = Node(nodes_.size());
  dependencies_.insert(dependencies_.end(), dependencies.begin(), dependencies.end());
  operations_->resize(node); // removes what an earlier call left behind when it ran out of memory
  operations_->push_back(operation);
  nodes_.push_back(
      {queue, uint32_t(dependencies_.size() - dependencies.size()), uint32_t(dependencies.size())});
  note_check(operation);
  for (const Dependency &one : dependencies)
    nodes_[one.before].has_dependants = true;
  return node;
}

RecordedGraph::Node RecordedGraph::add(std::shared_ptr<const Elsewhere> work, uint32_t queue,
                                       std::span<const Dependency> dependencies) {
  const Node node = add(std::shared_ptr<Operation>(), queue, dependencies);
  nodes_[node].work = std::move(work);
  return node;
}

void RecordedGraph::replace(Node node, std::shared_ptr<const Elsewhere> work) {
  nodes_[node].work = std::move(work); // replays hold their own reference
}

void RecordedGraph::replace(Node node, std::shared_ptr<Operation> operation) {
  if (std::exchange(replays_share_operations_, false))
    operations_ = std::make_shared<Operations>(*operations_);
  note_check(operation);
  (*operations_)[node] = std::move(operation);
}

// The launch stores the checker's results of one run, so runs must not overlap.
void RecordedGraph::note_check(const std::shared_ptr<Operation> &operation) {
  if (Launch *launch = operation ? operation->launch() : nullptr)
    is_one_at_a_time_ |= launch->observer().has_results_of_one_run();
}

// Two commands stand for the node: one begins the work; the other is its end, and also waits for
// the user event that settles when the work has ended.
void RecordedGraph::add_elsewhere(Replayed &replayed, Node node, CommandQueue &queue) const {
  const CommandRef until = Command::create_user_event();
  CommandRef begin =
      Command::create(std::make_unique<BeginElsewhere>((*nodes_[node].work)(until, replayed.whom)));
  begin->bind(&queue.executor(), &replayed.replay);
  notify(&Listener::command_enqueued, *begin, queue);
  for (const Dependency &one : dependencies(node))
    begin->follow(*replayed.ends[one.before], one.kind);
  if (nodes_[node].count == 0)
    begin->follow(*replayed.first, EdgeKind::needs);
  CommandRef end = Command::create_recorded(nullptr, queue.executor(), &replayed.replay);
  end->follow(*begin, EdgeKind::needs);
  end->follow(*until, EdgeKind::needs);
  replayed.starting.push_back(std::move(begin));
  replayed.ends.push_back(std::move(end));
}

CommandRef RecordedGraph::enqueue(std::span<CommandQueue *const> queues, WaitList wait_list,
                                  const FindMore &find_more, std::shared_ptr<void> whom) {
  CommandClient *const client = queues.front()->client();
  auto end = std::make_unique<EndOfReplay>(operations_, client);
  Replay &replay = end->replay();
  const CommandRef last = Command::create(std::move(end));
  last->has_event();
  const CommandRef first = Command::create(std::make_unique<BeginOfReplay>(*last));
  last->follow(*first, EdgeKind::needs);
  if (is_one_at_a_time_ && previous_)
    first->depend_on(*previous_, EdgeKind::after);

  Replayed replayed{replay, first, last, whom};
  replayed.ends.reserve(nodes_.size());
  for (Node node = 0; node < nodes_.size(); ++node) {
    const Recorded &recorded = nodes_[node];
    CommandQueue &queue = *queues[recorded.queue];
    if (recorded.work) {
      add_elsewhere(replayed, node, queue);
    } else {
      replayed.ends.push_back(
          Command::create_recorded((*operations_)[node].get(), queue.executor(), &replay));
      Command &command = *replayed.ends.back();
      notify(&Listener::command_enqueued, command, queue);
      for (const Dependency &one : dependencies(node))
        command.follow(*replayed.ends[one.before], one.kind);
      if (recorded.count == 0)
        command.follow(*first, EdgeKind::needs);
    }
    if (!recorded.has_dependants)
      replayed.ends.back()->lead_to(*last);
  }
  if (find_more)
    for (const CommandRef &one : find_more(*last))
      first->depend_on(*one, EdgeKind::needs);
  CommandQueue::enqueue_as_one(queues, *first, *last, wait_list, [&] {
    for (CommandRef &command : replayed.ends)
      (void)command.release(); // the graph owns them now
    for (const CommandRef &command : replayed.starting)
      command->start();
    replays_share_operations_ = true;
    if (is_one_at_a_time_)
      previous_ = last;
  });
  return last;
}

} // namespace lockstep::runtime
