// A recorded graph of operations that is enqueued as one command, any number of times. Implements
// OpenCL command buffers and SYCL graphs.
//
// Recording prepares operations (launches included) and edges. A replay makes a command for each
// node and links the commands along those edges. It needs no checks, locks or atomics for that,
// since no other thread can see these commands yet. It enters the command graph with two more
// commands:
//
//   wait list, order of the queue -> first -> nodes ... nodes -> last -> what follows the replay
//
// `last` stands for the whole: it is running once `first` is settled, and fails with the first
// error of a node. Replays may overlap, because running does not change operations. Replays that
// are in progress keep using an operation that is replaced later.
//
// Two threads must not call functions of one graph at the same time.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/graph/command_queue.h"
#include "runtime/graph/operation.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

class RecordedGraph {
public:
  using Node = uint32_t; // in the order in which they were added
  struct Dependency {
    Node before;
    EdgeKind kind = EdgeKind::needs;
  };
  using Operations = std::vector<std::shared_ptr<Operation>>;
  // Work of one replay that threads of another component do. The replay calls exactly one of the
  // two functions, once. Neither can fail or wait. After each, another thread, which may wait,
  // settles the user event of the work.
  class WorkElsewhere {
  public:
    virtual ~WorkElsewhere() = default;
    virtual void begin() = 0;
    virtual void give_up() = 0; // a dependency failed, so the work must not be done
  };
  // Each replay calls this function while it is enqueued; the function can fail then. `until` is
  // the user event of the work. `whom` is the argument of enqueue().
  using Elsewhere = std::function<std::unique_ptr<WorkElsewhere>(
      CommandRef until, const std::shared_ptr<void> &whom)>;

  // `operation` may be null: a node that only orders others. `queue` is an index into enqueue()'s
  // queues.
  Node add(std::shared_ptr<Operation> operation, uint32_t queue,
           std::span<const Dependency> dependencies);
  Node add(std::shared_ptr<const Elsewhere> work, uint32_t queue,
           std::span<const Dependency> dependencies);
  // Each replay comes after the previous one, on any queue.
  void set_one_at_a_time() { is_one_at_a_time_ = true; }
  // Replaces the operation for replays that are enqueued from now on.
  void replace(Node node, std::shared_ptr<Operation> operation);
  void replace(Node node, std::shared_ptr<const Elsewhere> work);

  std::size_t size() const { return nodes_.size(); }
  const std::shared_ptr<Operation> &operation(Node node) const { return (*operations_)[node]; }
  const std::shared_ptr<const Elsewhere> &elsewhere(Node node) const { return nodes_[node].work; }
  uint32_t queue(Node node) const { return nodes_[node].queue; }
  std::span<const Dependency> dependencies(Node node) const {
    return {dependencies_.data() + nodes_[node].first, nodes_[node].count};
  }
  bool has_dependants(Node node) const { return nodes_[node].has_dependants; }

  // Returns the command that stands for the whole. Throws std::bad_alloc, and then nothing was
  // enqueued. `find_more`, if not null, gets that command before anything is enqueued, and returns
  // further commands to wait for.
  using FindMore = std::function<std::vector<CommandRef>(Command &last)>;
  CommandRef enqueue(std::span<CommandQueue *const> queues, WaitList wait_list = {},
                     const FindMore &find_more = nullptr, std::shared_ptr<void> whom = nullptr);

private:
  struct Recorded {
    uint32_t queue, first, count; // `first` and `count`: a range of dependencies_
    bool has_dependants = false;
    std::shared_ptr<const Elsewhere> work{}; // instead of an operation
  };
  struct Replayed;
  void add_elsewhere(Replayed &replayed, Node node, CommandQueue &queue) const;
  void note_check(const std::shared_ptr<Operation> &operation);

  std::vector<Recorded> nodes_;
  std::vector<Dependency> dependencies_;
  std::shared_ptr<Operations> operations_ = std::make_shared<Operations>();
  bool replays_share_operations_ = false; // a replay may still use operations_
  bool is_one_at_a_time_ = false;
  CommandRef previous_; // if is_one_at_a_time_
};

} // namespace lockstep::runtime
