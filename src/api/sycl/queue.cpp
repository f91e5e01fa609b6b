#include "api/sycl/queue.h"

#include "api/sycl/buffer.h"
#include "api/sycl/command_graph.h"
#include "api/sycl/command_group.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/images.h"
#include "api/sycl/of_process.h"
#include "api/sycl/stream_log.h"
#include "runtime/graph/polled_device.h"
#include "support/message.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

namespace lockstep::sycl_api {

// ---- ErrorList

void ErrorList::retain() {
  std::lock_guard lock(mutex_);
  if (uses_++ == 0)
    self_ = shared_from_this();
}

void ErrorList::release() {
  std::shared_ptr<ErrorList> last; // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  if (--uses_ == 0)
    last = std::move(self_);
}

bool ErrorList::has_uses() {
  std::lock_guard lock(mutex_);
  return uses_ != 0;
}

void ErrorList::failed(const Error &error) {
  // The command did not run because another one failed, which has reported the reason.
  if (error.kind != ErrorKind::invalid_argument)
    add(as_exception(error));
}

void ErrorList::add(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  errors_.push_back(std::move(error));
}

void ErrorList::warn(const std::string &sentence) {
  print_message("%s", sentence.c_str());
}

namespace {

void print(const std::vector<std::exception_ptr> &errors, const char *remark) {
  for (const std::exception_ptr &error : errors)
    try {
      std::rethrow_exception(error);
    } catch (const std::exception &thrown) {
      print_message("an asynchronous error, %s: %s", remark, thrown.what());
    } catch (...) {
      print_message("an asynchronous error, %s", remark);
    }
}

} // namespace

// The handler may hold the last reference to a buffer, whose destruction waits for commands. A
// thread that is about to settle such a command leaves the list to a host task thread.
struct ErrorList::End {
  void operator()(ErrorList *list) const {
    print(list->errors_, "which came after the end of its queue");
    if (list->end_ && runtime::defers_callbacks())
      run_as_host_task(std::move(list->end_));
    else
      delete list;
  }
};

std::shared_ptr<ErrorList> ErrorList::make(sycl::detail::handler_of_errors handler) {
  std::unique_ptr<ErrorList, End> list(new ErrorList(std::move(handler)));
  if (list->handler_)
    list->end_ = std::make_unique<HostTask>([own = list.get()] { delete own; });
  return list;
}

void ErrorList::deliver() {
  std::vector<std::exception_ptr> errors;
  {
    std::lock_guard lock(mutex_);
    errors.swap(errors_);
  }
  if (errors.empty())
    return;
  if (handler_)
    return handler_(sycl::exception_list(std::move(errors)));
  print(errors, "and no handler for it");
  std::terminate(); // required by section 4.13.1.2
}

std::function<void()> guarded(std::function<void()> task, std::shared_ptr<ErrorList> errors) {
  return [task = std::move(task), errors = std::move(errors)] {
    try {
      task();
    } catch (...) {
      try {
        errors->add(std::current_exception());
      } catch (const std::bad_alloc &) { // there is no caller to pass it to
        print_message("no memory to report an asynchronous error");
      }
    }
  };
}

// ---- Queue

Queue::Queue(std::shared_ptr<const Context> context, std::shared_ptr<const Device> device,
             sycl::detail::handler_of_errors handler, const sycl::detail::queue_options &options)
    : context_(std::move(context)), device_(std::move(device)),
      errors_(ErrorList::make(handler ? std::move(handler) : context_->handler())),
      commands_(std::make_shared<runtime::CommandQueue>(
          device_->shared_runtime(),
          options.in_order ? runtime::QueueOrder::in_order : runtime::QueueOrder::out_of_order,
          options.profiling, errors_.get())) {}

Queue::Queue(std::shared_ptr<const Context> context, std::shared_ptr<const Device> device,
             sycl::detail::handler_of_errors handler,
             std::shared_ptr<runtime::CommandQueue> commands)
    : context_(std::move(context)), device_(std::move(device)),
      errors_(ErrorList::make(handler ? std::move(handler) : context_->handler())),
      commands_(std::move(commands)) {}

Queue::~Queue() {
  if (errors_.use_count() == 1)
    errors_->deliver();
}

sycl::detail::device_pointer Queue::device() const {
  return std::const_pointer_cast<Device>(device_);
}

sycl::detail::context_pointer Queue::context() const {
  return std::const_pointer_cast<Context>(context_);
}

void Queue::get_info(int number, void *) const {
  raise(sycl::errc::invalid, "a queue has no query of number " + std::to_string(number));
}

void Queue::wait() {
  check_process("this queue");
  if (recording())
    raise(sycl::errc::invalid,
          "a queue that records is waited for (sycl_ext_oneapi_graph, queue limitations)");
  finish_on_host(*commands_);
}

// A command releases its queue's client after its work and before its end becomes visible. So while
// the client has uses, a command has not ended. Without uses, all commands are about to end, unless
// others are submitted meanwhile. A queue made from one of another API has that API's client, so
// its commands only get a moment to end.
bool Queue::is_empty() {
  check_process("this queue");
  constexpr std::chrono::milliseconds moment(1);
  const bool is_own = commands_->client() == errors_.get();
  for (;;) {
    if (is_own && errors_->has_uses())
      return false;
    const runtime::CommandRef end = commands_->end_so_far();
    if (!end || end->wait_for(moment))
      return true;
    if (!is_own)
      return false;
  }
}

std::unique_ptr<sycl::detail::command_group_interface> Queue::begin_group() {
  check_process("this queue");
  return std::make_unique<CommandGroup>(*this, may_record_.load(std::memory_order_relaxed));
}

std::shared_ptr<CommandGraph> Queue::recording() const {
  if (!may_record_.load(std::memory_order_acquire))
    return nullptr;
  std::lock_guard lock(recording_mutex_);
  return recording_.lock();
}

void Queue::set_recording(const std::shared_ptr<CommandGraph> &graph) {
  std::lock_guard lock(recording_mutex_);
  recording_ = graph;
  may_record_.store(graph != nullptr, std::memory_order_release);
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

sycl::detail::queue_pointer make_queue(const sycl::detail::context_pointer &context,
                                       const sycl::detail::device_pointer &device,
                                       sycl::detail::handler_of_errors handler,
                                       const sycl::detail::queue_options &options) {
  auto own_context = std::static_pointer_cast<const Context>(context);
  auto own_device = std::static_pointer_cast<const Device>(device);
  own_device->check_process();
  first_device(); // starts the runtime in this process
  if (!own_context->has(device))
    raise(sycl::errc::invalid,
          "a queue is made for a device that is not in its context (SYCL 2020 section 4.6.5.1)");
  if (auto started = own_device->runtime().start(); !started)
    raise(started.error());
  keep_initial_contents_of_variables();
  return make_of_process<Queue>(std::move(own_context), std::move(own_device), std::move(handler),
                                options);
}

} // namespace lockstep::sycl_api
