#pragma once

#include "support/result.h"

namespace lockstep {

// Short enough for the string itself, so that it can be made where there is no memory.
inline Error out_of_memory_error() noexcept {
  return {ErrorKind::out_of_host_memory, "out of memory"};
}

} // namespace lockstep
