// The objects of a launch's atomics, by address. Who uses one has it locked, with the others of its shard: work-groups that use
// different ones do not wait for each other, nor pass lines of memory on.
//
// What a launch leaves is forgotten by whoever uses the shard in the next one, since there may be much, and several threads are
// faster.
#pragma once

#include "runtime/check/short_lock.h"
#include "runtime/check/synchronisation.h"
#include "runtime/check/thread_slot.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace lockstep::runtime {

class SynchronisationObjects {
  struct alignas(separate_bytes) Shard {
    ShortLock lock;
    uint64_t launch = 0;                          // that its objects are of
    std::pair<uintptr_t, Synchronisation *> last; // whoever takes a lock gives it back
    std::unordered_map<uintptr_t, Synchronisation> objects;
    void clear();
  };

public:
  SynchronisationObjects() : shards_(new Shard[shards]) {}

  // Until it ends; throws std::bad_alloc. `is_alone`: no other thread uses any in this launch.
  class Locked {
  public:
    Locked(SynchronisationObjects &all, uint64_t launch, uintptr_t address, bool is_alone)
        : shard_(all.shards_[number_of(address)]),
          lock_((shard_.lock.lock_unless(is_alone), shard_.lock), std::adopt_lock),
          object_(all.object_at(shard_, launch, address)) {}
    Synchronisation &object() const { return object_; }
    ShortLock &lock() const { return shard_.lock; } // taken, unless it is alone

  private:
    Shard &shard_;
    std::lock_guard<ShortLock> lock_;
    Synchronisation &object_;
  };

  // Is somebody at it, or at one that shares its lock?
  bool is_locked(uintptr_t address) const { return shards_[number_of(address)].lock.is_locked(); }

  // No more than what this launch has left is kept.
  void end() noexcept;

private:
  static constexpr unsigned shard_bits = 9;
  static constexpr std::size_t shards = std::size_t(1) << shard_bits, most_kept = 65536; // objects

  using Bits = std::array<uint64_t, shards / 64>; // of shards

  // Neighbours have different ones.
  static std::size_t number_of(uintptr_t address) {
    return std::size_t((uint64_t(address) >> 2) * 0x9e3779b97f4a7c15 >> (64 - shard_bits));
  }
  Synchronisation &object_at(Shard &shard, uint64_t launch, uintptr_t address) {
    if (shard.launch != launch || shard.last.first != address) [[unlikely]]
      find(shard, launch, address);
    return *shard.last.second;
  }
  void find(Shard &shard, uint64_t launch, uintptr_t address);

  template <class Function> void each_of(const Bits &bits, Function function);

  std::unique_ptr<Shard[]> shards_;
  std::array<std::atomic<uint64_t>, shards / 64> used_{};
  std::atomic<std::size_t> count_ = 0; // objects that this launch has made
  Bits kept_{};                        // of the launch before
};

} // namespace lockstep::runtime
