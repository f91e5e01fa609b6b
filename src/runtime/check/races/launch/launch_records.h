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
class EpochOwners {
public:
  static constexpr unsigned block_bits = 4;
  static constexpr Epoch block_size = Epoch(1) << block_bits;

  EpochOwners();
  ~EpochOwners();
  EpochOwners(const EpochOwners &) = delete;
  EpochOwners &operator=(const EpochOwners &) = delete;

  uint32_t of(Epoch epoch) const {
    const Epoch block = epoch >> block_bits;
    const Chunk *chunk = chunks_[block >> chunk_bits].load(std::memory_order_acquire);
    return chunk[block & (chunk_size - 1)].load(std::memory_order_relaxed);
  }
  // Returns the first epoch of a new block, higher than all earlier ones of `own`. Throws
  // std::bad_alloc without memory, or if all 2^28 blocks are in use.
  Epoch add(uint32_t group, EpochBlocks &own);
  static constexpr uint64_t blocks = uint64_t(1) << (32 - block_bits);
  bool are_used_up() const { return are_used_up_.load(std::memory_order_relaxed); }
  [[noreturn]] void use_up(); // also for a launch with more groups than a record can number
  Epoch after(Epoch epoch, uint32_t group, EpochBlocks &own) {
    return (epoch + 1) % block_size ? epoch + 1 : add(group, own);
  }
  Epoch horizon() const { return horizon_; }
  // Ends a launch. Returns false if the remaining epochs may not suffice for another one.
  bool forget();
  // Objects constructed from now on begin with this block; for tests.
  static void begin_with(Epoch block);

private:
  static constexpr unsigned chunk_bits = 12;
  static constexpr Epoch chunk_size = Epoch(1) << chunk_bits;
  static constexpr std::size_t chunks = blocks >> chunk_bits;
  using Chunk = std::atomic<uint32_t>;
  void drop(std::size_t chunk);

  Epoch horizon_;
  std::unique_ptr<std::atomic<Chunk *>[]> chunks_;
  std::atomic<bool> are_used_up_ = false;
  alignas(separate_bytes) std::atomic<uint64_t> last_block_;
};

struct LaunchRecords {
  Shadow shadow;
  EpochOwners owners;
  CheckedGroups groups;
  SynchronizationObjects objects;

  static std::unique_ptr<LaunchRecords> borrow();
  static void give_back(std::unique_ptr<LaunchRecords> records);
};

} // namespace lockstep::runtime
