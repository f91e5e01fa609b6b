// How much memory the check takes for what it remembers of the program's: out of the device's account, as buffers do, so that
// both together are never more than the device has. LOCKSTEP_CHECK_MEMORY gives it less. Who gets none has the launch fail.
#pragma once

#include "runtime/memory/memory_account.h"

#include <cstdint>
#include <memory>
#include <string>

namespace lockstep::runtime {

class CheckMemory {
public:
  static void share(std::shared_ptr<MemoryAccount> device); // before the first launch

  // False: it is more than there may be.
  static bool reserve(uint64_t bytes);
  static void release(uint64_t bytes);
  static uint64_t used();
  static std::string text(); // for who was refused
};

} // namespace lockstep::runtime
