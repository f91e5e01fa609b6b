#include "runtime/graph/command_queue.h"

#include "runtime/events.h"

namespace lockstep::runtime {

CommandQueue::CommandQueue(std::shared_ptr<Executor> executor, QueueOrder order, bool records_times,
                           CommandClient *client)
    : executor_(std::move(executor)), client_(client), order_(order),
      records_times_(records_times) {
  if (order_ == QueueOrder::out_of_order)
    join_ = Command::create_marker();
}

CommandQueue::~CommandQueue() {
  CommandRef end = last_;
  if (order_ == QueueOrder::out_of_order) {
    end = join_;
    end->start();
  }
  // Commands point to the executor without counting; the last one keeps it.
  if (end && !end->settled())
    end->add_callback(status::complete, [executor = executor_](Status) {});
}

void CommandQueue::enqueue(Command &command, WaitList wait_list) {
  command.reserve_dependencies(wait_list.size() + 1);
  command.bind(executor_.get(), client_); // the last thing that can fail
  tell(&Listener::command_enqueued, command, *this);
  if (records_times_)
    command.record_times();
  for (Command *dependency : wait_list)
    command.depend_on(*dependency, EdgeKind::needs);
  CommandRef outdated; // destroyed without the lock
  {
    std::lock_guard lock(mutex_);
    if (order_ == QueueOrder::in_order) {
      if (last_)
        command.depend_on(*last_, EdgeKind::after);
      outdated = std::exchange(last_, CommandRef(&command));
    } else {
      if (barrier_ && barrier_->settled() && !anyone_listens()) // nobody misses the edge
        outdated = std::move(barrier_);
      if (barrier_)
        command.depend_on(*barrier_, EdgeKind::after);
      command.count_in(*join_);
    }
  }
  // Outside the lock, because it may run the command, its dependants and callbacks' queueing. It
  // does not matter that another thread may enqueue and start a later command first: the edge
  // between the two is there, and holds it back.
  command.start();
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
  tell(&Listener::command_enqueued, *marker, *this);
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

void CommandQueue::finish() {
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
  if (end)
    end->wait();
}

} // namespace lockstep::runtime
