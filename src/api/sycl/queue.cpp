#include "api/sycl/queue.h"

#include "api/sycl/error.h"
#include "api/sycl/images.h"
#include "api/sycl/of_process.h"
#include "support/message.h"

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
