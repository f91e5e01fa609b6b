#include "runtime/device_enqueue/device_queues.h"

#include <utility>

namespace lockstep::runtime {

bool DeviceQueue::take(uint64_t bytes) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > size_ || used > size_ - bytes)
      return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

uint64_t DeviceQueues::add(std::shared_ptr<DeviceQueue> queue) {
  std::lock_guard lock(mutex_);
  queues_.emplace(++last_number_, std::move(queue));
  return last_number_;
}

void DeviceQueues::remove(uint64_t number) {
  std::lock_guard lock(mutex_);
  queues_.erase(number);
}

std::shared_ptr<DeviceQueue> DeviceQueues::find(uint64_t number) const {
  std::lock_guard lock(mutex_);
  const auto found = queues_.find(number);
  return found == queues_.end() ? nullptr : found->second;
}

// ---- events

uint64_t DeviceQueues::add_event(Event event) {
  std::lock_guard lock(mutex_);
  if (events_.size() >= most_device_events)
    return 0;
  events_.emplace(++last_number_, Counted{std::move(event)});
  return last_number_;
}

DeviceQueues::Event DeviceQueues::find_event(uint64_t number) const {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(number);
  return found == events_.end() ? Event{} : found->second.event;
}

bool DeviceQueues::retain_event(uint64_t number) {
  std::lock_guard lock(mutex_);
  const auto found = events_.find(number);
  if (found == events_.end())
    return false;
  ++found->second.references;
  return true;
}

// Destroys and settles without the lock.
bool DeviceQueues::release_event(uint64_t number) {
  Counted gone;
  {
    std::lock_guard lock(mutex_);
    const auto found = events_.find(number);
    if (found == events_.end())
      return false;
    if (--found->second.references != 0)
      return true;
    gone = std::move(found->second);
    events_.erase(found);
  }
  if (gone.event.is_user && !gone.is_set)
    settle_marker(*gone.event.command, status::dependency_failed);
  return true;
}

bool DeviceQueues::set_user_event(uint64_t number, Status status) {
  CommandRef command;
  {
    std::lock_guard lock(mutex_);
    const auto found = events_.find(number);
    if (found == events_.end() || !found->second.event.is_user ||
        std::exchange(found->second.is_set, true))
      return false;
    command = found->second.event.command;
  }
  settle_marker(*command, status);
  return true;
}

void settle_marker(Command &marker, Status status) {
  marker.add_outcome(status); // a marker gets its status from its dependencies
  marker.bind(nullptr);
  marker.start();
}

} // namespace lockstep::runtime
