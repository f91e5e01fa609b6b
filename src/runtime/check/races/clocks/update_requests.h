// Flat combining for updates of an object that many groups count in (Hendler et al., SPAA 2010): a
// thread that finds the object locked posts its update, and the lock's owner makes it.
//
// Requires: only the owner of the object's lock reads posted requests.
// Ensures: a thread waits for its own request alone. The object, its clock and its word stay in the
// owner's cache: handing the lock over moves a dozen cache lines, a request moves four.
//
// Separate from Synchronization, because a thread has one request, whatever its object is.
#pragma once

#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/clocks/clock.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/shadow/fetch_to_write.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace lockstep::runtime {

struct alignas(separate_bytes) UpdateRequest {
  enum State : uint32_t {
    unused,
    claimed, // by a thread that fills it in or reads the answer
    posted,
    made,
    refused, // the object needs more than a request does; nothing has changed
  };
  std::atomic<State> state = unused;

  // An update by one work-item, whose clock has nothing but a version of one object's clock.
  const compiler::CheckSite *site = nullptr;
  void *address = nullptr;
  uint64_t operand = 0;
  const Clock *known = nullptr;               // the work-item's clock; null: it is empty
  std::span<const std::byte> known_entries{}; // Clock::few_entries()
  AtomicWrite write{};                        // as the object records it
  Clock::Entry entry{};                       // that it releases

  // The answer: the previous value, and what the object carried.
  uint64_t was = 0;
  Clock carried{}; // if the update acquires
  uint64_t releases = 0;
  uint32_t last_group = 0;
  AtomicWrites writes{};
  Clock::SpareLine spare{}; // the thread's, so that `carried` takes no new reference

  void fetch() const {
    const auto *first = reinterpret_cast<const std::byte *>(this);
    for (const auto *at = first; at < first + sizeof(*this); at += line_bytes)
      fetch_to_write(at);
  }
};

class UpdateRequests { // of a launch's threads
public:
  UpdateRequests() : all_(new UpdateRequest[thread_slots]) {}

  // Returns null if another thread of the same slot uses it.
  UpdateRequest *claim() {
    UpdateRequest &own = all_[thread_slot()];
    auto unused = UpdateRequest::unused;
    if (!own.state.compare_exchange_strong(unused, UpdateRequest::claimed,
                                           std::memory_order_acquire))
      return nullptr;
    for (unsigned end = end_.load(std::memory_order_relaxed); end <= thread_slot();)
      end_.compare_exchange_weak(end, thread_slot() + 1);
    return &own;
  }

  // Calls `make` with each posted request for the address; it returns false to refuse one. Requires
  // the object's lock. Returns the number of requests.
  template <class Make> unsigned make_posted(const void *address, Make make) {
    std::array<UpdateRequest *, thread_slots> found; // all lines of all of them travel at once
    unsigned many = 0;
    const unsigned end = end_.load(std::memory_order_relaxed);
    for (unsigned i = 0; i != end; ++i)
      if (UpdateRequest &each = all_[i];
          each.state.load(std::memory_order_acquire) == UpdateRequest::posted &&
          each.address == address) {
        each.fetch();
        found[many++] = &each;
      }
    for (unsigned i = 0; i != many; ++i)
      fetch_to_read(found[i]->known_entries);
    for (unsigned i = 0; i != many; ++i)
      found[i]->state.store(make(*found[i]) ? UpdateRequest::made : UpdateRequest::refused,
                            std::memory_order_release);
    return many;
  }

private:
  std::unique_ptr<UpdateRequest[]> all_;
  std::atomic<unsigned> end_ = 0; // of the slots that have been in use
};

} // namespace lockstep::runtime
