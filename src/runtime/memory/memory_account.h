// How much memory a device's buffers use, and how much they may. Sub-devices share their root's
// account.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::runtime {

class MemoryAccount {
public:
  explicit MemoryAccount(uint64_t limit) : limit_(limit) {}
  bool reserve(uint64_t bytes); // false: more than the limit
  void release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t limit() const { return limit_; }

private:
  const uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

} // namespace lockstep::runtime
