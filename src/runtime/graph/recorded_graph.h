// Operations with their order, to be enqueued as one as often as wanted: what a command buffer of OpenCL and a graph of
// SYCL are.
//
// Recording makes what a replay can use as it is: operations (launches are prepared) and edges. A replay makes a command
// for each node, ties them along those edges, with no check, no lock and no atomic operation, since nobody else sees them
// yet, and enters the graph of commands with two more:
//
//   wait list, order of the queue -> first -> nodes ... nodes -> last -> whoever comes after the replay
//
// `last` stands for the whole: it is running once `first` is settled, and fails with the first error of a node. Replays
// may overlap; operations are not changed by running. What one replaces later, replays under way go on using.
//
// Functions must not be called by two threads at the same time.
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
  // Work of one replay that threads of another component do. The replay calls one of the two functions, once. Neither can
  // fail or wait, and each has the user event of the work settled by a thread that may wait.
  class WorkElsewhere {
  public:
    virtual ~WorkElsewhere() = default;
    virtual void begin() = 0;
    virtual void give_up() = 0; // the work is not done, as a dependency failed
  };
  // Each replay calls this while it is enqueued, and can fail then. `until`: the user event of the work. `whom`: as the
  // replay was given it.
  using Elsewhere = std::function<std::unique_ptr<WorkElsewhere>(
      CommandRef until, const std::shared_ptr<void> &whom)>;

  // `operation` may be null: a node that only orders others. `queue`: which of those that a replay is given.
  Node add(std::shared_ptr<Operation> operation, uint32_t queue,
           std::span<const Dependency> dependencies);
  Node add(std::shared_ptr<const Elsewhere> work, uint32_t queue,
           std::span<const Dependency> dependencies);
  // Each replay comes after the one before, whatever the queues.
  void set_one_at_a_time() { is_one_at_a_time_ = true; }
  // Of replays that are enqueued from now on.
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

  // Returns the command that stands for the whole. Throws std::bad_alloc, and then nothing was enqueued.
  // `find_more`, if there is one, is given that command before anything is enqueued, and says what else is to
  // be waited for.
  using FindMore = std::function<std::vector<CommandRef>(Command &last)>;
  CommandRef enqueue(std::span<CommandQueue *const> queues, WaitList wait_list = {},
                     const FindMore &find_more = nullptr, std::shared_ptr<void> whom = nullptr);

private:
  struct Recorded {
    uint32_t queue, first, count; // of dependencies_
    bool has_dependants = false;
    std::shared_ptr<const Elsewhere> work{}; // instead of an operation
  };
  struct Replayed;
  void add_elsewhere(Replayed &replayed, Node node, CommandQueue &queue) const;
  void note_check(const std::shared_ptr<Operation> &operation);

  std::vector<Recorded> nodes_;
  std::vector<Dependency> dependencies_;
  std::shared_ptr<Operations> operations_ = std::make_shared<Operations>();
  bool replays_share_operations_ = false; // one may still use operations_
  bool is_one_at_a_time_ = false;
  CommandRef previous_; // then
};

} // namespace lockstep::runtime
