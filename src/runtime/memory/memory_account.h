// Counts the memory that a device's buffers use, and enforces its limit. Sub-devices share the
// account of their root device.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::runtime {

class MemoryAccount {
public:
  explicit MemoryAccount(uint64_t limit) : limit_(limit) {}
  bool reserve(uint64_t bytes); // false: the limit would be exceeded
  void release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t limit() const { return limit_; }

private:
  const uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

} // namespace lockstep::runtime
