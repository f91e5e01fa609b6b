// The synchronization objects of a launch's atomics, by address, in locked shards. Work-groups that
// use objects of different shards neither wait for each other nor exchange cache lines.
//
// The first user of a shard in the next launch clears what an earlier launch left: there may be
// much, and several threads are faster.
#pragma once

#include "platform/linux/short_lock.h"
#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/clocks/update_requests.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class SynchronizationObjects {
  struct alignas(separate_bytes) Shard {
    ShortLock lock;
    std::atomic<bool> is_contended = false;       // UpdateRequests may wait for the lock's owner
    uint64_t launch = 0;                          // the launch of its objects
    std::pair<uintptr_t, Synchronization *> last; // a lock is taken and released in sequence
    std::unordered_map<uintptr_t, Synchronization *> objects;
    Synchronization &make();
    void clear();

  private:
    // Objects are cleared and used again: their memory, which one thread takes and another one
    // frees, would often come from the system.
    static constexpr std::size_t in_chunk = 8;
    using Chunk = std::array<Synchronization, in_chunk>;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::size_t used_ = 0;
  };

public:
  SynchronizationObjects() : shards_(new Shard[shards]) {}

  // Holds the object's lock until destruction; throws std::bad_alloc. `is_alone`: no other thread
  // uses objects of this launch. `is_locked`: this thread has the lock already.
  class Locked {
  public:
    Locked(SynchronizationObjects &all, uint64_t launch, uintptr_t address, bool is_alone,
           bool is_locked = false)
        : shard_(all.shards_[number_of(address)]),
          lock_((shard_.lock.lock_unless(is_alone || is_locked), shard_.lock), std::adopt_lock),
          object_(all.object_at(shard_, launch, address)) {}
    Synchronization &object() const { return object_; }
    ShortLock &lock() const { return shard_.lock; } // taken, unless `is_alone`
    std::atomic<bool> &is_contended() const { return shard_.is_contended; }

  private:
    Shard &shard_;
    std::lock_guard<ShortLock> lock_;
    Synchronization &object_;
  };

  // The lock that Locked holds, and whether requests may wait for its owner.
  ShortLock &lock_of(uintptr_t address) const { return shards_[number_of(address)].lock; }
  std::atomic<bool> &is_contended(uintptr_t address) const {
    return shards_[number_of(address)].is_contended;
  }
  UpdateRequests &requests() { return requests_; }
  // Whether a thread holds the lock of the object's shard.
  bool is_locked(uintptr_t address) const { return shards_[number_of(address)].lock.is_locked(); }

  // Ends a launch: keeps only what this launch has left.
  void end() noexcept;

private:
  static constexpr unsigned shard_bits = 9;
  static constexpr std::size_t shards = std::size_t(1) << shard_bits, most_kept = 65536; // objects

  using Bits = std::array<uint64_t, shards / 64>; // one bit per shard

  // Adjacent addresses have different shards.
  static std::size_t number_of(uintptr_t address) {
    return std::size_t((uint64_t(address) >> 2) * 0x9e3779b97f4a7c15 >> (64 - shard_bits));
  }
  Synchronization &object_at(Shard &shard, uint64_t launch, uintptr_t address) {
    if (shard.launch != launch || shard.last.first != address) [[unlikely]]
      find(shard, launch, address);
    return *shard.last.second;
  }
  void find(Shard &shard, uint64_t launch, uintptr_t address);

  template <class Function> void each_of(const Bits &bits, Function function);

  std::unique_ptr<Shard[]> shards_;
  UpdateRequests requests_;
  std::array<std::atomic<uint64_t>, shards / 64> used_{};
  std::atomic<std::size_t> count_ = 0; // objects of this launch
  Bits kept_{};                        // shards of the previous launch
};

} // namespace lockstep::runtime
