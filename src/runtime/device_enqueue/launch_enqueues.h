// What a launch has to do with launches that kernels enqueue (docs/decisions/0017-device-side-enqueue.md): as the one that
// enqueues others, and as one that was enqueued.
//
// A child is an ordinary command of the graph, made by the worker that runs the parent's group. What it has to wait for
// are edges: of events, and of the *gate* of the parent or of the group that enqueued it, a marker that is started when
// all groups of the launch, or that one, have ended.
//
// A launch whose end somebody can see is *complete* when all launches that it has enqueued are: that is what a Completion
// counts. Those that the host has enqueued have one, which settles the command, and children whose event the kernel asked
// for, which settles that event. Other children are counted by the one of their parent, so a kernel that enqueues itself
// again and again leaves nothing behind.
#pragma once

#include "compiler/device_enqueue_abi.h"
#include "runtime/device_enqueue/device_queues.h"
#include "runtime/kernel.h"

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

using BlockKernels = std::vector<std::shared_ptr<Kernel>>; // of a program, for one device

// Where the kernels of a launch enqueue.
struct EnqueuePlace {
  std::shared_ptr<DeviceQueues> queues;
  std::shared_ptr<Device> device;
  std::shared_ptr<const BlockKernels> blocks;
  uint64_t default_queue = 0;        // its number; 0: none
  CommandClient *client = nullptr;   // of the children
  bool needs_uniform_groups = false; // -cl-uniform-work-group-size
  bool says_why = false;             // -g
  Accesses memories{};               // whatever the launch may use, children may
  AllocationKinds reach = 0;
};

class Completion : public std::enable_shared_from_this<Completion> {
public:
  virtual ~Completion() = default;
  void add() { open_.fetch_add(1, std::memory_order_relaxed); }
  void drop(); // the last one completes it
  void note_failure(const std::string &sentence);
  const EnqueueOrder::KnownRef &known() const { return known_; }

protected:
  virtual void complete(const std::optional<std::string> &failure) = 0;
  EnqueueOrder::KnownRef known_; // to who waits for it; null: nobody does, or that is not looked at

private:
  std::atomic<uint64_t> open_{1}; // the launch itself
  std::mutex mutex_;
  std::optional<std::string> failure_;
  std::shared_ptr<Completion> put_off_; // the next one
};

// Of a launch whose event a kernel has.
class EventCompletion final : public Completion {
public:
  explicit EventCompletion(std::shared_ptr<Completion> parent)
      : parent_(std::move(parent)), event_(Command::create_marker()) {
    parent_->add();
  }
  // Of a launch that is looked at (check/enqueue_order.h).
  void set_order(std::shared_ptr<EnqueueOrder> order, EnqueueOrder::NodeRef node) {
    known_ = order->known_of(*node);
    order_ = std::move(order);
    node_ = std::move(node);
  }
  Command &event() const { return *event_; }
  void set_launch(CommandRef launch) { launch_ = std::move(launch); }
  // Somebody will read when it has ended, and who finds that there may know.
  void is_told_of() {
    if (order_)
      order_->set_talks(node_);
  }
  void launch_ended(uint64_t at) { ended_.store(at, std::memory_order_release); }
  // Two words, when they are known: from the begin to the launch's own end, and until it is complete.
  void capture_times(uint64_t *to);

private:
  void complete(const std::optional<std::string> &failure) override;
  void write_times(uint64_t *to) const;

  const std::shared_ptr<Completion> parent_;
  const CommandRef event_;
  CommandRef launch_;
  std::shared_ptr<EnqueueOrder> order_;
  EnqueueOrder::NodeRef node_;
  std::atomic<uint64_t> ended_{0};
  std::mutex mutex_; // for what follows
  uint64_t completed_ = 0;
  std::vector<uint64_t *> captures_;
};

class LaunchEnqueues final : public compiler::EnqueueHandler {
public:
  // Of a launch that the host enqueues.
  explicit LaunchEnqueues(std::shared_ptr<const EnqueuePlace> place);
  ~LaunchEnqueues();
  LaunchEnqueues(const LaunchEnqueues &) = delete;
  LaunchEnqueues &operator=(const LaunchEnqueues &) = delete;

  int64_t call(compiler::EnqueueCall call, const compiler::GroupInfo &group,
               const compiler::EnqueueWords &words) override;
  void group_ended(const compiler::GroupInfo &group) override;

  bool is_child() const { return literal_ != nullptr; }
  // Of the launch, before it runs: as EnqueueOrder::set_source().
  void set_source(const std::string &kernel, bool talks, EnqueueOrder::Source source);
  // As EnqueueOrder::add_touched(), by the launch of the host.
  bool add_touched(std::vector<ReachedBytes> &to) const {
    return order_ && order_->add_touched(to);
  }
  void failed(const Error &error);
  // All groups have ended, or none will run any more. True: the command is settled here, now or later.
  bool ended(Command &command, Result<void> &result);

private:
  struct Request; // of a child
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
  struct Gate { // until a group has ended, or the launch
    CommandRef marker;
    EnqueueOrder::KnownRef known;
    void open();
  };
  Gate *gate_for(uint64_t flags, const compiler::GroupInfo &group);
  int64_t find_events(std::span<const uint64_t> numbers, std::vector<DeviceQueues::Event> &to);
  int64_t set_user_event(uint64_t number, Status status);
  int64_t fail(int64_t code, const std::string &sentence);
  Kernel *find_block(const char *name) const;

  const std::shared_ptr<const EnqueuePlace> place_;
  std::shared_ptr<Completion> completion_;
  std::shared_ptr<EventCompletion> own_completion_; // of a child with an event; then the same
  void *literal_ = nullptr;                         // of a child: the block, 128-aligned
  std::shared_ptr<DeviceQueue> queue_;              // of a child, and what it takes there
  uint64_t taken_ = 0;
  bool is_counted_ = false;             // by completion_, as a child
  std::shared_ptr<EnqueueOrder> order_; // null: nobody looks for races
  EnqueueOrder::NodeRef node_;
  std::atomic<bool> has_warned_{false};
  std::mutex mutex_; // for the gates
  Gate gate_;
  std::map<GroupId, Gate> group_gates_;
  std::atomic<bool> has_group_gates_{false};
};

} // namespace lockstep::runtime
