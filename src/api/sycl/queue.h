// Queues: wraps a queue of the runtime and collects errors of its commands for the program's
// handler.
#pragma once

#include "api/sycl/context.h"
#include "api/sycl/device.h"
#include "api/sycl/host_access.h"
#include "api/sycl/host_tasks.h"
#include "api/sycl/of_process.h"
#include "runtime/graph/command_queue.h"

#include "sycl/detail/library.hpp"
#include "sycl/exception.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::sycl_api {

class StreamLog;

// Errors of commands after submission, until the program handles them (SYCL 2020, section
// 4.13.1.2).
class ErrorList final : public runtime::CommandClient,
                        public std::enable_shared_from_this<ErrorList> {
public:
  static std::shared_ptr<ErrorList> make(sycl::detail::handler_of_errors handler);

  void retain() override;
  void release() override;
  bool has_uses(); // some commands have not ended
  void failed(const Error &error) override;
  void warn(const std::string &sentence) override;
  void add(std::exception_ptr error);
  // Passes the errors to the handler. Without a handler, prints them and terminates the program.
  void deliver();

private:
  struct End;
  explicit ErrorList(sycl::detail::handler_of_errors handler) : handler_(std::move(handler)) {}
  ~ErrorList() = default;

  const sycl::detail::handler_of_errors handler_;
  std::unique_ptr<HostTask> end_; // destroys the list; null: there is no handler
  std::mutex mutex_;
  std::vector<std::exception_ptr> errors_;
  unsigned uses_ = 0;
  std::shared_ptr<ErrorList> self_; // set while there are uses
};

class CommandGroup;
class CommandGraph;

// Wraps a host task: an exception that it throws becomes an asynchronous error, unchanged (SYCL
// 2020, section 4.10).
std::function<void()> guarded(std::function<void()> task, std::shared_ptr<ErrorList> errors);

class Queue final : public OfProcess,
                    public sycl::detail::queue_interface,
                    public std::enable_shared_from_this<Queue> {
public:
  Queue(std::shared_ptr<const Context> context, std::shared_ptr<const Device> device,
        sycl::detail::handler_of_errors handler, const sycl::detail::queue_options &options);
  // Uses the command queue of another API, which also gets the errors of its commands.
  Queue(std::shared_ptr<const Context> context, std::shared_ptr<const Device> device,
        sycl::detail::handler_of_errors handler, std::shared_ptr<runtime::CommandQueue> commands);

  // Passes those errors to the handler that no event can pass later.
  ~Queue() override;
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  const Device &on() const { return *device_; }
  const std::shared_ptr<ErrorList> &errors() const { return errors_; }
  const Context &own_context() const { return *context_; }
  const std::shared_ptr<runtime::CommandQueue> &commands() const { return commands_; }
  NativeObject &native() const { return native_; }

  sycl::detail::device_pointer device() const override;
  sycl::detail::context_pointer context() const override;
  bool is_in_order() const override { return commands_->order() == runtime::QueueOrder::in_order; }
  bool is_empty() override;
  std::unique_ptr<sycl::detail::command_group_interface> begin_group() override;
  sycl::detail::event_pointer
  submit(std::unique_ptr<sycl::detail::command_group_interface> group) override;
  void wait() override;
  void throw_asynchronous() override {
    check_process("this queue");
    errors_->deliver();
  }
  void get_info(int number, void *to) const override;

  // The graph that records submitted groups. Null: the queue does not record.
  std::shared_ptr<CommandGraph> recording() const;
  void set_recording(const std::shared_ptr<CommandGraph> &graph);

private:
  runtime::CommandRef enqueue_graph(CommandGroup &group);
  runtime::CommandRef print_after(const runtime::CommandRef &kernel,
                                  const std::vector<std::shared_ptr<const StreamLog>> &streams);
  runtime::CommandRef enqueue_host_task(CommandGroup &group);

  const std::shared_ptr<const Context> context_;
  const std::shared_ptr<const Device> device_;
  const std::shared_ptr<ErrorList> errors_;
  const std::shared_ptr<runtime::CommandQueue> commands_;
  mutable NativeObject native_;
  mutable std::mutex recording_mutex_;
  std::atomic<bool> may_record_{false};
  std::weak_ptr<CommandGraph> recording_;
};

sycl::detail::queue_pointer make_queue(const sycl::detail::context_pointer &context,
                                       const sycl::detail::device_pointer &device,
                                       sycl::detail::handler_of_errors handler,
                                       const sycl::detail::queue_options &options);

} // namespace lockstep::sycl_api
