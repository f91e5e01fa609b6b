// Where the program's own code touches memory that it should not, as reports name the place.
#pragma once

#include "compiler/host_call_stack.h"
#include "runtime/check/findings.h"

#include <optional>

namespace lockstep::runtime {

// Of the access at the innermost address of the stack. Nothing if this place was reported, by this kind, before.
std::optional<FindingPlace> first_touch(const char *what, const compiler::StackCopy &stack,
                                        const char *kind);

} // namespace lockstep::runtime
