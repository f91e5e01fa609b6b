// What traces and reports call a command that moves memory.
#pragma once

#include "runtime/memory/access.h"

#include <span>

namespace lockstep::runtime {

// "write" from the host's memory, "read" into it, "copy" between two of one kind, "fill" of what is
// only written, "map" of what is only read, and "command" where nothing is said.
const char *transfer_name(std::span<const Access> accesses);

} // namespace lockstep::runtime
