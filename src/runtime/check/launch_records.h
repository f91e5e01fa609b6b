// What the check of a launch needs memory for. It is lent to one launch after the other: its tables are larger than what
// a small launch does with them.
#pragma once

#include "runtime/check/clock.h"
#include "runtime/check/shadow.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace lockstep::runtime {

// To which group a stamp belongs.
class StampOwners {
public:
  StampOwners() : chunks_(new std::atomic<Chunk *>[std::size_t(1) << (32 - chunk_bits)]()) {}
  ~StampOwners() { forget(0); }
  StampOwners(const StampOwners &) = delete;
  StampOwners &operator=(const StampOwners &) = delete;

  uint32_t of(Stamp stamp) const {
    const Chunk *chunk = chunks_[stamp >> chunk_bits].load(std::memory_order_acquire);
    return chunk[stamp & (chunk_size - 1)].load(std::memory_order_relaxed);
  }
  Stamp add(uint32_t group);
  void forget(std::size_t chunks_to_keep); // a launch is over

private:
  static constexpr unsigned chunk_bits = 16;
  static constexpr Stamp chunk_size = Stamp(1) << chunk_bits;
  using Chunk = std::atomic<uint32_t>;

  std::atomic<Stamp> last_ = 0;
  std::unique_ptr<std::atomic<Chunk *>[]> chunks_;
};

struct LaunchRecords {
  Shadow shadow;
  StampOwners owners;

  static std::unique_ptr<LaunchRecords> borrow();
  static void give_back(std::unique_ptr<LaunchRecords> records);
};

} // namespace lockstep::runtime
