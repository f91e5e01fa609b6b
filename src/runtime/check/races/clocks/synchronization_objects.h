// The synchronization objects of a launch's atomics, by address. Each has its own lock, so that
// work-groups that use different objects neither wait for each other nor exchange cache lines.
//
// Objects stay for later launches. The first user in a launch clears what an earlier launch left:
// there may be much, and several threads are faster.
#pragma once

#include "platform/linux/short_lock.h"
#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/clocks/update_requests.h"
#include "runtime/check/races/shadow/page_directory.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class SynchronizationObjects {
public:
  SynchronizationObjects() : used_(new Used[thread_slots]) {}

  // Holds the object's lock until destruction; throws std::bad_alloc. `is_alone`: no other thread
  // uses objects of this launch. `is_locked`: this thread has the lock already.
  class Locked {
  public:
    Locked(SynchronizationObjects &all, uint64_t launch, uintptr_t address, bool is_alone,
           bool is_locked = false)
        : Locked(all, launch, all.object_at(address), is_alone, is_locked) {}
    Locked(SynchronizationObjects &all, uint64_t launch, Synchronization &object, bool is_alone,
           bool is_locked = false)
        : object_(object),
          lock_((object.lock.lock_unless(is_alone || is_locked), object.lock), std::adopt_lock) {
      if (object.launch != launch) [[unlikely]]
        all.begin_launch(object, launch);
    }
    Synchronization &object() const { return object_; }
    ShortLock &lock() const { return object_.lock; } // taken, unless `is_alone`
    std::atomic<bool> &is_contended() const { return object_.is_contended; }

  private:
    Synchronization &object_;
    std::lock_guard<ShortLock> lock_;
  };

  [[gnu::always_inline]] Synchronization &object_at(uintptr_t address) {
    Page &page = pages_.page(address);
    Synchronization *first =
        page.objects[(address & (page_bytes - 1)) / granule].load(std::memory_order_acquire);
    return first && first->address == address ? *first : find(page, address);
  }
  UpdateRequests &requests() { return requests_; }

  // Ends a launch: keeps few objects that it has not used.
  void end() noexcept;

private:
  static constexpr unsigned page_bits = 10;
  static constexpr std::size_t page_bytes = std::size_t(1) << page_bits, granule = 4,
                               most_kept = 131072; // objects

  class Page {
  public:
    explicit Page(uintptr_t first) : first_(first) {}
    uintptr_t first() const { return first_; }
    std::array<std::atomic<Synchronization *>, page_bytes / granule> objects{}; // by address
    ShortLock lock;                                                             // of new objects
    std::vector<std::unique_ptr<Synchronization>> all;

  private:
    const uintptr_t first_;
  };
  struct alignas(separate_bytes) Used {
    std::atomic<std::size_t> objects = 0;
  };

  Synchronization &find(Page &page, uintptr_t address);
  void begin_launch(Synchronization &object, uint64_t launch);

  PageDirectory<Page, page_bits> pages_;
  UpdateRequests requests_;
  std::unique_ptr<Used[]> used_;      // in this launch, by thread
  std::atomic<std::size_t> made_ = 0; // in all
};

} // namespace lockstep::runtime
