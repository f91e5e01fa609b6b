// State shared by the enqueuing kernels of a context: the queues of its devices, and the events
// that kernels make. Kernels identify both by numbers that are never reused, so a lookup detects
// any wrong number.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/observers/enqueue_observer.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace lockstep::runtime {

class Device;
class EventCompletion; // launch_enqueues.h

// A device queue orders nothing: it only counts the bytes of children that have not run yet.
class DeviceQueue {
public:
  DeviceQueue(const Device &device, uint64_t size) : device_(&device), size_(size) {}
  bool is_of(const Device &device) const { return device_ == &device; }
  uint64_t size() const { return size_; }
  bool take(uint64_t bytes); // reserves bytes; false: the queue is full
  void give_back(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
  const Device *const device_;
  const uint64_t size_;
  std::atomic<uint64_t> used_{0};
};

// CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE and similar limits.
inline constexpr uint32_t preferred_queue_bytes = 16 << 20, most_queue_bytes = 256 << 20;
inline constexpr uint32_t most_device_queues = 64, most_device_events = 1 << 18;

class DeviceQueues {
public:
  uint64_t add(std::shared_ptr<DeviceQueue> queue);
  void remove(uint64_t number);
  std::shared_ptr<DeviceQueue> find(uint64_t number) const; // null: there is none

  // An event of a kernel.
  struct Event {
    CommandRef command;                        // settles when the event's command is complete
    std::shared_ptr<EventCompletion> launch{}; // null: a marker, or a user event
    bool is_user = false;
    EnqueueObserver::KnownRef known{}; // predecessors of its waiters; null: not observed
  };
  uint64_t add_event(Event event);         // 0: there are too many events
  Event find_event(uint64_t number) const; // without a command: there is none
  bool retain_event(uint64_t number);
  bool release_event(uint64_t number); // the last release of an unset user event fails the event
  // `status` is complete (0) or an error. False if it is not a user event, or was set before.
  bool set_user_event(uint64_t number, Status status);

private:
  struct Counted {
    Event event;
    uint32_t references = 1;
    bool is_set = false;
  };
  mutable std::mutex mutex_;
  uint64_t last_number_ = 0;
  std::map<uint64_t, std::shared_ptr<DeviceQueue>> queues_;
  std::unordered_map<uint64_t, Counted> events_;
};

// Settles a marker that was not started: starts it with this outcome.
void settle_marker(Command &marker, Status status);

} // namespace lockstep::runtime
