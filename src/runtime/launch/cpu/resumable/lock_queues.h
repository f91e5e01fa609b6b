// Queues of workers at the locks of a launch.
//
// The groups of a worker stop before they take a lock (UpdateRequest of abi/resumable_abi.h). When
// several of them have, the worker enters a queue, and runs them when it is the first one. So the
// cache lines of the lock, and of what it guards, travel once for these groups.
//
// The queue is only an order that is fast. A worker leaves it after `longest_wait`, and its groups
// take the lock as any other work-item does: the first worker may be descheduled, or run a long
// group. Then groups do not stop for a while, and for twice as long each time: a machine with fewer
// free CPUs than workers is faster without.
//
// Each worker waits in a cache line of its own. One that has left is passed over later.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

class LockQueues {
public:
  explicit LockQueues(unsigned workers);

  // Waits until the worker is the first one at a lock. False: it goes on without. `waited` is
  // increased by the nanoseconds that it waited.
  bool begin(unsigned worker, const void *lock, uint64_t &waited);
  void end(unsigned worker);
  bool pause() const; // groups should not stop before locks now

private:
  enum State : uint32_t { unused, waits, is_first, has_left };
  struct alignas(128) Place { // of a worker in a queue
    std::atomic<uint32_t> state{unused};
    std::atomic<Place *> next{nullptr};
    std::atomic<Place *> *last = nullptr; // of its queue
  };
  struct alignas(128) Queue {
    std::atomic<Place *> last{nullptr};
  };
  static constexpr std::size_t most_queues = 16; // locks may share one

  static bool wait_in(Place &place);
  void begin_pause();

  std::array<Queue, most_queues> queues_;
  const std::unique_ptr<Place[]> places_;
  std::atomic<uint64_t> paused_until_{0}, next_pause_; // nanoseconds; 0: no pause yet
};

} // namespace lockstep::runtime
