// Where the program's own code touches memory that it should not, as reports name the place.
#pragma once

#include "runtime/check/findings.h"

#include <optional>

namespace lockstep::runtime {

// Of the access at `code`, from a handler of its fault. Nothing if this place was told of, by this kind, before: a copy of much
// memory comes here for each page.
std::optional<FindingPlace> first_touch(const char *what, const void *code, const char *kind);

} // namespace lockstep::runtime
