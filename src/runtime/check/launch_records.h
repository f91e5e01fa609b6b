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

  StampOwners() : chunks_(new std::atomic<Chunk *>[chunks]()) {}
  ~StampOwners();
  StampOwners(const StampOwners &) = delete;
  StampOwners &operator=(const StampOwners &) = delete;

  uint32_t of(Stamp stamp) const {
    const Stamp block = stamp >> block_bits;
    const Chunk *chunk = chunks_[block >> chunk_bits].load(std::memory_order_acquire);
    return chunk[block & (chunk_size - 1)].load(std::memory_order_relaxed);
  }
  // The first of a block, higher than all before of these.
  Stamp add(uint32_t group, StampBlocks &own);
  Stamp after(Stamp stamp, uint32_t group, StampBlocks &own) {
    return (stamp + 1) % block_size ? stamp + 1 : add(group, own);
  }
  Stamp horizon() const { return horizon_; }
  // A launch is over. False if there may be too few left for another one.
  bool forget();

private:
  static constexpr unsigned chunk_bits = 12;
  static constexpr Stamp chunk_size = Stamp(1) << chunk_bits;
  static constexpr std::size_t chunks = std::size_t(1) << (32 - block_bits - chunk_bits);
  using Chunk = std::atomic<uint32_t>;

  Stamp horizon_ = block_size;
  std::unique_ptr<std::atomic<Chunk *>[]> chunks_;
  alignas(separate_bytes) std::atomic<Stamp> last_block_ = 0;
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
