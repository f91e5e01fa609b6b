// The memory budget of the checker's shadow state. It uses the device's memory account, like
// buffers, so that both together do not exceed the device's memory. LOCKSTEP_CHECK_MEMORY sets a
// lower limit. If an allocation is refused, the launch fails. Each thread reserves up to 512 KiB
// more than it uses, or 1/2048 of the limit.
#pragma once

#include "runtime/memory/memory_account.h"

#include <cstdint>
#include <memory>
#include <string>

namespace lockstep::runtime {

class CheckMemory {
public:
  static void share(std::shared_ptr<MemoryAccount> device); // before the first launch

  // Returns false if the limit is exceeded.
  static bool reserve(uint64_t bytes);
  static void release(uint64_t bytes);
  static uint64_t used();    // with what other threads have reserved
  static std::string text(); // for the error message of a refused allocation
};

} // namespace lockstep::runtime
