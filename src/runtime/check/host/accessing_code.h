// Finds the place in the program's own code that has accessed memory without permission, for
// reports.
#pragma once

#include "runtime/check/report/findings.h"
#include "symbolizer/host_call_stack.h"

#include <optional>

namespace lockstep::runtime {

// The place of the access at the innermost address of the stack. Nothing if this place was reported
// with this kind before.
std::optional<FindingLocation> first_access(const char *what, const compiler::StackCopy &stack,
                                            const char *kind);

} // namespace lockstep::runtime
