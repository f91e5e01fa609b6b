// Names a memory command for traces and reports.
#pragma once

#include "runtime/memory/access.h"

#include <span>

namespace lockstep::runtime {

// "write": from host memory; "read": to host memory; "copy": between two memories of one kind;
// "fill": writes only; "map": reads only; "command": no accesses.
const char *transfer_name(std::span<const Access> accesses);

} // namespace lockstep::runtime
