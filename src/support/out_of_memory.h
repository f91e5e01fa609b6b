// An Error for exhausted memory that is made without allocating memory.
#pragma once

#include "support/result.h"

namespace lockstep {

// The message fits into the string itself (small-string optimization).
inline Error out_of_memory_error() noexcept {
  return {ErrorKind::out_of_host_memory, "out of memory"};
}

} // namespace lockstep
