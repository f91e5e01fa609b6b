// Submits command groups to queues: a group becomes commands of the queue, or a node of the graph
// that records. This is a file of its own because graphs and command groups depend on queues, and
// queue.cpp does not depend on them.
#include "api/sycl/buffer.h"
#include "api/sycl/command_graph.h"
#include "api/sycl/command_group.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/host_tasks.h"
#include "api/sycl/of_process.h"
#include "api/sycl/queue.h"
#include "api/sycl/stream_log.h"
#include "runtime/graph/polled_device.h"

#include <algorithm>

namespace lockstep::sycl_api {

std::unique_ptr<sycl::detail::command_group_interface> Queue::begin_group() {
  check_process("this queue");
  return std::make_unique<CommandGroup>(*this, may_record_.load(std::memory_order_relaxed));
}

namespace {

// Locks the histories of all buffers that a command accesses, in the order of their addresses.
class LockedHistories {
public:
  explicit LockedHistories(const std::vector<Requirement> &requirements) {
    for (const Requirement &one : requirements)
      histories_.push_back(&one.buffer->state().history());
    std::sort(histories_.begin(), histories_.end());
    histories_.erase(std::unique(histories_.begin(), histories_.end()), histories_.end());
    for (runtime::AccessHistory *history : histories_)
      history->mutex().lock();
  }
  ~LockedHistories() {
    for (runtime::AccessHistory *history : histories_)
      history->mutex().unlock();
  }
  LockedHistories(const LockedHistories &) = delete;
  LockedHistories &operator=(const LockedHistories &) = delete;

private:
  std::vector<runtime::AccessHistory *> histories_;
};

// Passes a host task to its thread. That thread also releases a task that cannot begin.
class StartOfHostTask final : public runtime::HostOperation {
public:
  StartOfHostTask(std::function<void()> task, runtime::CommandRef until, runtime::Accesses accesses)
      : task_(std::move(task), std::move(until)), accesses_(std::move(accesses)) {}

  std::span<const runtime::Access> accesses() const override { return accesses_; }
  bool is_host_code() const override { return true; }
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override {
    task_.begin();
    return {};
  }
  void failed(const Error &) override { task_.give_up(); }

private:
  SubmittedTask task_;
  const runtime::Accesses accesses_;
};

// Those of memory that another device has a copy of, so that the host gets the contents first.
runtime::Accesses accesses_of_task(const std::vector<Requirement> &requirements) {
  runtime::Accesses all;
  for (const Requirement &one : requirements)
    if (const auto memory = one.buffer->state().memory(); memory->residency())
      all.push_back({runtime::MemoryView(memory, one.begin, one.end - one.begin), one.mode});
  return all;
}

std::vector<runtime::Command *> pointers(const std::vector<runtime::CommandRef> &commands) {
  std::vector<runtime::Command *> all;
  for (const runtime::CommandRef &one : commands)
    all.push_back(one.get());
  return all;
}

} // namespace

// Enqueues a command that prints the streams of a kernel. It represents both commands: a thread
// that waits for it sees the text.
runtime::CommandRef
Queue::print_after(const runtime::CommandRef &kernel,
                   const std::vector<std::shared_ptr<const StreamLog>> &streams) {
  auto print = [streams] {
    for (const auto &stream : streams)
      stream->print();
  };
  auto command = runtime::Command::create(
      std::make_unique<runtime::Task<decltype(print)>>(runtime::TaskPlace::worker, print));
  const std::vector<runtime::Command *> wait_list = {kernel.get()};
  commands_->enqueue(*command, wait_list);
  return command;
}

// One command starts the task when it is ready. Another one is its end: it also waits for an event
// that the task's thread settles. So the task is ordered in the queue and occupies no worker.
runtime::CommandRef Queue::enqueue_host_task(CommandGroup &group) {
  if (auto started = start_host_tasks(); !started)
    raise(started.error());
  runtime::CommandRef until = runtime::Command::create_user_event();
  runtime::CommandRef start = runtime::Command::create(std::make_unique<StartOfHostTask>(
      guarded(group.take_host_task(), errors_), until, accesses_of_task(group.requirements())));
  runtime::CommandRef end = runtime::Command::create_marker();
  end->reserve_dependencies(3); // once the task has started, nothing may fail
  std::vector<runtime::CommandRef> before = group.dependencies();
  const LockedHistories locked(group.requirements());
  for (const Requirement &one : group.requirements())
    one.buffer->state().history().add(one.begin, one.end, one.mode, *end, before);
  commands_->enqueue(*start, pointers(before));
  runtime::Command *const ends[] = {start.get(), until.get()};
  commands_->enqueue(*end, ends);
  return end;
}

// A replay has the accesses of all its nodes.
runtime::CommandRef Queue::enqueue_graph(CommandGroup &group) {
  ExecutableGraph &graph = *group.graph();
  const std::vector<runtime::CommandRef> given = group.dependencies();
  return graph.use([&](runtime::RecordedGraph &recorded, const std::vector<Requirement> &all) {
    const LockedHistories locked(all);
    runtime::CommandQueue *const queues[] = {commands_.get()};
    return recorded.enqueue(
        queues, pointers(given),
        [&](runtime::Command &last) {
          std::vector<runtime::CommandRef> before;
          for (const Requirement &one : all)
            one.buffer->state().history().add(one.begin, one.end, one.mode, last, before);
          return before;
        },
        errors_);
  });
}

sycl::detail::event_pointer
Queue::submit(std::unique_ptr<sycl::detail::command_group_interface> group) {
  auto &filled = static_cast<CommandGroup &>(*group);
  if (const auto graph = graph_for(*this, filled))
    return make_of_process<Event>(graph->record(*this, filled));
  runtime::CommandRef command;
  bool has_times = commands_->records_times();
  if (filled.has_host_task()) {
    command = enqueue_host_task(filled);
  } else if (filled.graph()) {
    command = enqueue_graph(filled);
    if (auto kept = filled.graph()->kept(); !kept.empty())
      command->add_callback(runtime::status::complete,
                            [kept = std::move(kept)](runtime::Status) {});
    has_times &= filled.graph()->has_times();
  } else if (filled.is_barrier() && filled.requirements().empty()) {
    // A barrier for the given events, or for everything submitted before. Later commands come after
    // it, even in an out-of-order queue.
    const std::vector<runtime::CommandRef> before = filled.dependencies();
    command = commands_->enqueue_barrier(pointers(before));
  } else {
    std::unique_ptr<runtime::Operation> operation = filled.make_operation();
    if (!operation)
      return make_of_process<Event>(); // a command group may request no command
    command = runtime::Command::create(std::move(operation));
    command->has_event();
    std::vector<runtime::CommandRef> before = filled.dependencies();
    const LockedHistories locked(filled.requirements());
    for (const Requirement &one : filled.requirements())
      one.buffer->state().history().add(one.begin, one.end, one.mode, *command, before);
    commands_->enqueue(*command, pointers(before));
  }
  if (!filled.streams().empty())
    command = print_after(command, filled.streams());
  if (!filled.kept().empty())
    command->add_callback(runtime::status::complete, [kept = filled.kept()](runtime::Status) {});
  runtime::PolledDevice::assist_all();
  return make_of_process<Event>(std::move(command), filled.dependencies(), errors_, has_times,
                                context());
}

} // namespace lockstep::sycl_api
