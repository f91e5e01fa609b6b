// The checker's tables for one launch. Launches borrow them in turn, because the tables are larger
// than what a small launch uses of them.
#pragma once

#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/clocks/clock.h"
#include "runtime/check/races/clocks/synchronization_objects.h"
#include "runtime/check/races/launch/checked_groups.h"
#include "runtime/check/races/shadow/shadow.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

// Maps epochs to their work-groups. A group gets a block of epochs at a time. Epochs ascend from
// launch to launch: those of earlier launches are below the horizon.
class StampOwners {
public:
  static constexpr unsigned block_bits = 4;
  static constexpr Stamp block_size = Stamp(1) << block_bits;

  StampOwners();
  ~StampOwners();
  StampOwners(const StampOwners &) = delete;
  StampOwners &operator=(const StampOwners &) = delete;

  uint32_t of(Stamp stamp) const {
    const Stamp block = stamp >> block_bits;
    const Chunk *chunk = chunks_[block >> chunk_bits].load(std::memory_order_acquire);
    return chunk[block & (chunk_size - 1)].load(std::memory_order_relaxed);
  }
  // Returns the first epoch of a new block, higher than all earlier ones of `own`. Throws
  // std::bad_alloc without memory, or if all 2^28 blocks are in use.
  Stamp add(uint32_t group, StampBlocks &own);
  static constexpr uint64_t blocks = uint64_t(1) << (32 - block_bits);
  bool are_used_up() const { return are_used_up_.load(std::memory_order_relaxed); }
  [[noreturn]] void use_up(); // also for a launch with more groups than a record can number
  Stamp after(Stamp stamp, uint32_t group, StampBlocks &own) {
    return (stamp + 1) % block_size ? stamp + 1 : add(group, own);
  }
  Stamp horizon() const { return horizon_; }
  // Ends a launch. Returns false if the remaining epochs may not suffice for another one.
  bool forget();
  // Objects constructed from now on begin with this block; for tests.
  static void begin_with(Stamp block);

private:
  static constexpr unsigned chunk_bits = 12;
  static constexpr Stamp chunk_size = Stamp(1) << chunk_bits;
  static constexpr std::size_t chunks = blocks >> chunk_bits;
  using Chunk = std::atomic<uint32_t>;
  void drop(std::size_t chunk);

  Stamp horizon_;
  std::unique_ptr<std::atomic<Chunk *>[]> chunks_;
  std::atomic<bool> are_used_up_ = false;
  alignas(separate_bytes) std::atomic<uint64_t> last_block_;
};

struct LaunchRecords {
  Shadow shadow;
  StampOwners owners;
  CheckedGroups groups;
  SynchronizationObjects objects;

  static std::unique_ptr<LaunchRecords> borrow();
  static void give_back(std::unique_ptr<LaunchRecords> records);
};

} // namespace lockstep::runtime
