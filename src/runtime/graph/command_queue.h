// A queue of one device: adds the edges that order its commands, and starts the commands.
//
// In order: each command comes `after` the previous one. Out of order: a command comes only after
// the last barrier. An out-of-order queue has a join, which stands for "all commands so far"
// without a list: a marker with an edge from each new command. A barrier, a marker without wait
// list, or finish() closes the join and opens the next one, which comes after the closed one.
//
// Commands start as soon as they are enqueued, so flush() does nothing. Several threads may call
// all functions at once. Commands keep running when the queue is destroyed; the executor is kept
// alive until they are settled.
#pragma once

#include "runtime/graph/command.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace lockstep::runtime {

enum class QueueOrder { in_order, out_of_order };

using WaitList = std::span<Command *const>;

class CommandQueue {
public:
  // `client` is the object on whose behalf commands are enqueued; may be null.
  CommandQueue(std::shared_ptr<Executor> executor, QueueOrder order, bool records_times,
               CommandClient *client = nullptr);
  ~CommandQueue();
  CommandQueue(const CommandQueue &) = delete;
  CommandQueue &operator=(const CommandQueue &) = delete;

  // Enqueues a new command. If the wait list contains a failed command, `command` fails; enqueue
  // itself does not. On std::bad_alloc nothing was enqueued.
  void enqueue(Command &command, WaitList wait_list = {});

  // The marker settles after the wait list, or after all earlier commands if the wait list is
  // empty. (In an in-order queue it always settles after all earlier commands, too.)
  CommandRef enqueue_marker(WaitList wait_list = {});
  // A marker that all later commands of this queue come after.
  CommandRef enqueue_barrier(WaitList wait_list = {});

  // Enqueues commands that count as one command in each of the queues. All of them come after
  // `first`, and `last` comes after all and takes their position in the queues' order. Neither is
  // bound. The first queue provides the executor and the client. `entered` is called when nothing
  // can fail any more, and before any of the commands can run.
  template <class Function>
  static void enqueue_as_one(std::span<CommandQueue *const> queues, Command &first, Command &last,
                             WaitList wait_list, Function entered) {
    std::vector<CommandRef> starting = prepare_as_one(queues, first, last, wait_list);
    entered();
    for (const CommandRef &command : starting)
      command->start();
  }

  void flush() {}
  // Waits until all commands that were enqueued before the call are settled.
  void finish();
  // Returns a command that settles when all commands enqueued so far have; null if there are none.
  CommandRef end_so_far();

  QueueOrder order() const { return order_; }
  bool records_times() const { return records_times_; }
  Executor &executor() const { return *executor_; }
  CommandClient *client() const { return client_; } // may be null

private:
  // Makes `next` the join and returns the old one, which the caller starts without the lock.
  CommandRef close_join(CommandRef next);
  // Returns the commands to start afterwards, in this order.
  static std::vector<CommandRef> prepare_as_one(std::span<CommandQueue *const> queues,
                                                Command &first, Command &last, WaitList wait_list);
  CommandRef add_marker(WaitList wait_list, bool is_barrier);

  const std::shared_ptr<Executor> executor_;
  CommandClient *const client_;
  const QueueOrder order_;
  const bool records_times_;
  // allocated in advance, because the destructor cannot fail
  std::unique_ptr<Command::CallbackEntry> keeps_executor_;
  std::mutex mutex_;
  CommandRef last_;    // in order: the last command
  CommandRef join_;    // out of order: not started yet
  CommandRef barrier_; // out of order: the last barrier
};

} // namespace lockstep::runtime
