// A queue of one device: adds the edges that give commands their order, and starts them.
//
// In order: each command comes `after` the one before. Out of order: only after the last barrier.
// To wait for "all commands so far" without keeping a list of them, an out-of-order queue has a
// join: a marker that each new command counts itself into; a barrier, a marker without wait list,
// or finish() closes it and opens the next, which comes after the closed one.
//
// Commands start as soon as they are enqueued, so flush() has nothing to do. All functions may be
// called from several threads at once. Commands keep running when the queue is destroyed; the
// executor is kept alive until they are done.
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
  // `client`: on whose behalf; may be null.
  CommandQueue(std::shared_ptr<Executor> executor, QueueOrder order, bool records_times,
               CommandClient *client = nullptr);
  ~CommandQueue();
  CommandQueue(const CommandQueue &) = delete;
  CommandQueue &operator=(const CommandQueue &) = delete;

  // Any command, freshly created. If the wait list holds a failed command, it fails (not an error
  // of enqueue). On std::bad_alloc nothing was enqueued.
  void enqueue(Command &command, WaitList wait_list = {});

  // Settles when the wait list, or, if that is empty, all earlier commands of this queue are
  // settled. (In an in-order queue always also after all earlier commands.)
  CommandRef enqueue_marker(WaitList wait_list = {});
  // The same, and later commands of this queue come after it.
  CommandRef enqueue_barrier(WaitList wait_list = {});

  // Commands that are one to each of the queues: all come after `first`, and `last` after all, which takes
  // their place in the order. Neither is bound; the first queue is the one on whose behalf. `entered` is
  // called when nothing can fail any more, and before any of them can run.
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
  // A command that is settled when they are, on nobody's behalf; null: there were none.
  CommandRef end_so_far();

  QueueOrder order() const { return order_; }
  bool records_times() const { return records_times_; }
  Executor &executor() const { return *executor_; }
  CommandClient *client() const { return client_; } // may be null

private:
  // Makes `next` the join and returns the old one, which the caller starts without the lock.
  CommandRef close_join(CommandRef next);
  // What is to be started then, in this order.
  static std::vector<CommandRef> prepare_as_one(std::span<CommandQueue *const> queues,
                                                Command &first, Command &last, WaitList wait_list);
  CommandRef add_marker(WaitList wait_list, bool is_barrier);

  const std::shared_ptr<Executor> executor_;
  CommandClient *const client_;
  const QueueOrder order_;
  const bool records_times_;
  std::unique_ptr<Command::CallbackEntry> keeps_executor_; // for the end, which cannot fail
  std::mutex mutex_;
  CommandRef last_;    // in order: the last command
  CommandRef join_;    // out of order: not started yet
  CommandRef barrier_; // out of order: the last barrier
};

} // namespace lockstep::runtime
