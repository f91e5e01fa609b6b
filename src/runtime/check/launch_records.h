// What the check of a launch needs memory for. It is lent to one launch after the other: its tables are larger than what
// a small launch does with them.
#pragma once

#include "runtime/check/checked_groups.h"
#include "runtime/check/clock.h"
#include "runtime/check/shadow.h"
#include "runtime/check/synchronisation_objects.h"
#include "runtime/check/thread_slot.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

// To which group a stamp belongs. A group gets several at a time. They ascend from launch to launch: those of earlier ones
// are below the horizon.
class StampOwners {
public:
  static constexpr unsigned block_bits = 4;
  static constexpr Stamp block_size = Stamp(1) << block_bits;
  static_assert(KnownStamps::block_size == block_size);

  StampOwners();
  ~StampOwners();
  StampOwners(const StampOwners &) = delete;
  StampOwners &operator=(const StampOwners &) = delete;

  uint32_t of(Stamp stamp) const {
    const Stamp block = stamp >> block_bits;
    const Chunk *chunk = chunks_[block >> chunk_bits].load(std::memory_order_acquire);
    return chunk[block & (chunk_size - 1)].load(std::memory_order_relaxed);
  }
  // The first of a block, higher than all before of these. Throws std::bad_alloc where there is no memory for it, and where
  // all 2^28 blocks are used up.
  Stamp add(uint32_t group, StampBlocks &own);
  static constexpr uint64_t blocks = uint64_t(1) << (32 - block_bits);
  bool are_used_up() const { return are_used_up_.load(std::memory_order_relaxed); }
  [[noreturn]] void use_up(); // the launch has more groups than a record has numbers for
  Stamp after(Stamp stamp, uint32_t group, StampBlocks &own) {
    return (stamp + 1) % block_size ? stamp + 1 : add(group, own);
  }
  Stamp horizon() const { return horizon_; }
  // A launch is over. False if there may be too few left for another one.
  bool forget();
  // Those that are made from now on begin with this block; for tests.
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
  SynchronisationObjects objects;

  static std::unique_ptr<LaunchRecords> borrow();
  static void give_back(std::unique_ptr<LaunchRecords> records);
};

} // namespace lockstep::runtime
