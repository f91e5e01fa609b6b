#include "runtime/graph/command_queue.h"

#include "runtime/events/events.h"

#include <algorithm>

namespace lockstep::runtime {

CommandQueue::CommandQueue(std::shared_ptr<Executor> executor, QueueOrder order, bool records_times,
                           CommandClient *client)
    : executor_(std::move(executor)), client_(client), order_(order), records_times_(records_times),
      keeps_executor_(Command::make_callback(status::complete, [executor = executor_](Status) {})) {
  if (order_ == QueueOrder::out_of_order)
    join_ = Command::create_marker();
}

CommandQueue::~CommandQueue() {
  CommandRef end = last_;
  if (order_ == QueueOrder::out_of_order) {
    end = join_;
    end->start();
  }
  // Commands point to the executor without a reference; a callback of the last command keeps it
  // alive.
  if (end && !end->settled())
    end->add_callback(std::move(keeps_executor_));
}

void CommandQueue::enqueue(Command &command, WaitList wait_list) {
  command.reserve_dependencies(wait_list.size() + 1);
  command.bind(executor_.get(), client_); // the last thing that can fail
  notify(&Listener::command_enqueued, command, *this);
  if (records_times_)
    command.record_times();
  const bool is_in_order = order_ == QueueOrder::in_order;
  command.add_first_references(is_in_order); // last_ gets one
  for (Command *dependency : wait_list)
    command.depend_on(*dependency, EdgeKind::needs);
  CommandRef outdated; // destroyed without the lock
  {
    std::lock_guard lock(mutex_);
    if (is_in_order) {
      if (last_)
        command.depend_on(*last_, EdgeKind::after);
      outdated = std::exchange(last_, CommandRef::adopt(&command));
    } else {
      if (barrier_ && barrier_->settled() && !anyone_listens()) // only a listener needs the edge
        outdated = std::move(barrier_);
      if (barrier_)
        command.depend_on(*barrier_, EdgeKind::after);
      command.count_in(*join_);
    }
  }
  // Outside the lock, because starting may run the command and its dependants and may queue
  // callbacks. Another thread may enqueue and start a later command first: the edge between the two
  // commands exists already and orders them.
  command.start();
}

// The join of the main queue, if it is out of order, gets an edge from `last`. A command has only
// one such edge, so each other out-of-order queue counts in a marker that comes after `last`.
std::vector<CommandRef> CommandQueue::prepare_as_one(std::span<CommandQueue *const> given,
                                                     Command &first, Command &last,
                                                     WaitList wait_list) {
  CommandQueue &main = *given.front();
  std::vector<CommandQueue *> queues(given.begin(), given.end());
  // in one global order, so that two threads cannot each come after the other
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  std::vector<CommandRef> starting{CommandRef(&last), CommandRef(&first)};
  starting.reserve(2 + queues.size());
  for (CommandQueue *queue : queues)
    if (queue != &main && queue->order_ == QueueOrder::out_of_order)
      starting.push_back(Command::create_marker());
  std::vector<CommandRef> outdated(queues.size()); // destroyed without the locks
  std::vector<std::unique_lock<std::mutex>> locks;
  locks.reserve(queues.size());
  first.reserve_dependencies(wait_list.size() + queues.size());
  first.bind(main.executor_.get());
  last.bind(main.executor_.get(), main.client_); // the last thing that can fail

  notify(&Listener::command_enqueued, last, main);
  if (std::any_of(queues.begin(), queues.end(), [](auto *queue) { return queue->records_times_; }))
    last.record_times();
  for (Command *dependency : wait_list)
    first.depend_on(*dependency, EdgeKind::needs);
  for (CommandQueue *queue : queues)
    locks.emplace_back(queue->mutex_);
  std::size_t marker = 2;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    CommandQueue &queue = *queues[i];
    CommandRef &before = queue.order_ == QueueOrder::in_order ? queue.last_ : queue.barrier_;
    if (before)
      first.depend_on(*before, EdgeKind::after);
    if (queue.order_ == QueueOrder::in_order) {
      outdated[i] = std::exchange(queue.last_, CommandRef(&last));
    } else if (&queue == &main) {
      last.count_in(*queue.join_);
    } else {
      starting[marker]->depend_on(last, EdgeKind::after);
      starting[marker++]->count_in(*queue.join_);
    }
  }
  return starting;
}

CommandRef CommandQueue::close_join(CommandRef next) {
  next->depend_on(*join_, EdgeKind::after);
  return std::exchange(join_, std::move(next));
}

CommandRef CommandQueue::add_marker(WaitList wait_list, bool is_barrier) {
  CommandRef marker = Command::create_marker();
  if (order_ == QueueOrder::in_order) { // every command is a barrier here
    enqueue(*marker, wait_list);
    return marker;
  }
  CommandRef next_join = Command::create_marker();
  marker->reserve_dependencies(wait_list.size() + 2); // nothing fails from here on
  notify(&Listener::command_enqueued, *marker, *this);
  if (records_times_)
    marker->record_times();
  for (Command *dependency : wait_list)
    marker->depend_on(*dependency, EdgeKind::needs);
  CommandRef closed, outdated;
  {
    std::lock_guard lock(mutex_);
    if (wait_list.empty()) {
      closed = close_join(std::move(next_join));
      marker->depend_on(*closed, EdgeKind::after);
    }
    if (barrier_)
      marker->depend_on(*barrier_, EdgeKind::after);
    marker->count_in(*join_);
    if (is_barrier)
      outdated = std::exchange(barrier_, marker);
  }
  if (closed)
    closed->start();
  marker->start();
  return marker;
}

CommandRef CommandQueue::enqueue_marker(WaitList wait_list) {
  return add_marker(wait_list, false);
}

CommandRef CommandQueue::enqueue_barrier(WaitList wait_list) {
  return add_marker(wait_list, true);
}

CommandRef CommandQueue::end_so_far() {
  CommandRef end;
  if (order_ == QueueOrder::in_order) {
    std::lock_guard lock(mutex_);
    end = last_;
  } else {
    CommandRef next_join = Command::create_marker();
    {
      std::lock_guard lock(mutex_);
      end = close_join(std::move(next_join));
    }
    end->start();
  }
  return end;
}

void CommandQueue::finish() {
  if (CommandRef end = end_so_far())
    end->wait_and_poll();
}

} // namespace lockstep::runtime
