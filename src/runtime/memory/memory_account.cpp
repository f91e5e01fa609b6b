#include "runtime/memory/memory_account.h"

namespace lockstep::runtime {

bool MemoryAccount::reserve(uint64_t bytes) {
  uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ || used > limit_ - bytes)
      return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  return true;
}

} // namespace lockstep::runtime
