// Device-side enqueue from the view of one launch (docs/decisions/0017-device-side-enqueue.md): as
// the parent that enqueues children, and as a child itself.
//
// A child is an ordinary command of the graph, made by the worker that runs the parent's group. Its
// dependencies are edges: from events, and from the *gate* of the parent or of the enqueuing group.
// A gate is a marker that is started when all groups of the launch, or that one group, have ended.
//
// A launch with an observable end is *complete* when all launches that it has enqueued are
// complete; a Completion counts them. Host launches have one, which settles the command. Children
// with an event have one, which settles the event. Other children count in the Completion of their
// parent, so a kernel that enqueues itself repeatedly accumulates no state.
#pragma once

#include "abi/device_enqueue_abi.h"
#include "runtime/device/kernel.h"
#include "runtime/device_enqueue/device_queues.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::runtime {

// kernels of a program's blocks, for one device
using BlockKernels = std::vector<std::shared_ptr<Kernel>>;

// The context in which the kernels of a launch enqueue.
struct EnqueueContext {
  std::shared_ptr<DeviceQueues> queues;
  std::shared_ptr<Device> device;
  std::shared_ptr<const BlockKernels> blocks;
  uint64_t default_queue = 0;        // number of the default queue; 0: none
  CommandClient *client = nullptr;   // client of the children
  bool needs_uniform_groups = false; // -cl-uniform-work-group-size
  bool explains_failures = false;    // -g
  Accesses memories{};               // memory that the launch, and so its children, may use
  AllocationKinds reach = 0;
};

class Completion : public std::enable_shared_from_this<Completion> {
public:
  virtual ~Completion() = default;
  void add() { open_.fetch_add(1, std::memory_order_relaxed); }
  void drop(); // the last call completes it
  void record_failure(const std::string &sentence);
  const EnqueueObserver::KnownRef &known() const { return known_; }

protected:
  virtual void complete(const std::optional<std::string> &failure) = 0;
  EnqueueObserver::KnownRef known_; // predecessors of its waiters; null: no waiter, or not observed

private:
  std::atomic<uint64_t> open_{1}; // counts the launch itself
  std::mutex mutex_;
  std::optional<std::string> failure_;
  std::shared_ptr<Completion> put_off_; // next in the list of deferred completions
};

// The completion of a launch whose event a kernel has.
class EventCompletion final : public Completion {
public:
  explicit EventCompletion(std::shared_ptr<Completion> parent)
      : parent_(std::move(parent)), event_(Command::create_marker()) {
    parent_->add();
  }
  void set_order(std::shared_ptr<EnqueueObserver> order, EnqueueObserver::NodeRef node) {
    known_ = order->known_of(node);
    order_ = std::move(order);
    node_ = std::move(node);
  }
  Command &event() const { return *event_; }
  void set_launch(CommandRef launch) { launch_ = std::move(launch); }
  // A kernel will read the times of the event, so it may be ordered after the launch.
  void record_times_are_read() { order_->set_synchronizes(node_); }
  void launch_ended(uint64_t at) { ended_.store(at, std::memory_order_release); }
  // Writes two words as soon as they are known: the time from the begin to the launch's own end,
  // and to its completion.
  void capture_times(uint64_t *to);

private:
  void complete(const std::optional<std::string> &failure) override;
  void write_times(uint64_t *to) const;

  const std::shared_ptr<Completion> parent_;
  const CommandRef event_;
  CommandRef launch_;
  std::shared_ptr<EnqueueObserver> order_ = EnqueueObserver::none();
  EnqueueObserver::NodeRef node_;
  std::atomic<uint64_t> ended_{0};
  std::mutex mutex_; // guards the following members
  uint64_t completed_ = 0;
  std::vector<uint64_t *> captures_;
};

class LaunchEnqueues final : public compiler::EnqueueHandler {
public:
  // For a launch that the host enqueues.
  explicit LaunchEnqueues(std::shared_ptr<const EnqueueContext> place);
  ~LaunchEnqueues();
  LaunchEnqueues(const LaunchEnqueues &) = delete;
  LaunchEnqueues &operator=(const LaunchEnqueues &) = delete;

  int64_t call(compiler::EnqueueCall call, const compiler::GroupInfo &group,
               const compiler::EnqueueWords &words) override;
  void group_ended(const compiler::GroupInfo &group) override;

  bool is_child() const { return literal_ != nullptr; }
  EnqueueObserver &order() const { return *order_; }
  const EnqueueObserver::NodeRef &node() const { return node_; }
  void failed(const Error &error);
  // Called when all groups have ended, or no more will run. True: this settles the command, now or
  // later.
  bool ended(Command &command, Result<void> &result);

private:
  struct Request; // the data of a child while it is enqueued
  using GroupId = std::array<uint64_t, 3>;
  LaunchEnqueues(const LaunchEnqueues &parent, const void *literal, uint32_t size);

  int64_t enqueue_kernel(const compiler::GroupInfo &group, const compiler::EnqueueWords &words);
  int64_t enqueue_marker(const compiler::EnqueueWords &words);
  int64_t make_user_event();
  int64_t answer(compiler::EnqueueCall call, const compiler::EnqueueWords &words);
  void capture(const compiler::EnqueueWords &words);
  int64_t read(const compiler::EnqueueWords &words, Request &to);
  int64_t check_range(const Request &request);
  int64_t start(Request &request, const compiler::GroupInfo &group);
  struct Gate { // opens when a group or the launch has ended
    CommandRef marker;
    EnqueueObserver::KnownRef known;
    void open();
  };
  Gate *gate_for(uint64_t flags, const compiler::GroupInfo &group);
  int64_t find_events(std::span<const uint64_t> numbers, std::vector<DeviceQueues::Event> &to);
  int64_t set_user_event(uint64_t number, Status status);
  int64_t fail(int64_t code, const std::string &sentence);
  Kernel *find_block(const char *name) const;

  const std::shared_ptr<const EnqueueContext> place_;
  std::shared_ptr<Completion> completion_;
  // of a child with an event; completion_ is the same then
  std::shared_ptr<EventCompletion> own_completion_;
  void *literal_ = nullptr;            // of a child: its copy of the block, 128-aligned
  std::shared_ptr<DeviceQueue> queue_; // of a child, with the bytes that it reserves there
  uint64_t taken_ = 0;
  bool is_counted_ = false; // counted in completion_ as a child
  std::shared_ptr<EnqueueObserver> order_;
  EnqueueObserver::NodeRef node_; // null: the order is not observed
  std::atomic<bool> has_warned_{false};
  std::mutex mutex_; // guards the gates
  Gate gate_;
  std::map<GroupId, Gate> group_gates_;
  std::atomic<bool> has_group_gates_{false};
};

} // namespace lockstep::runtime
