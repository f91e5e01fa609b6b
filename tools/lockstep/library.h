// Loads liblockstep.so when a subcommand first needs the compiler.
#pragma once

#include "api/inspection/inspection.h"

namespace lockstep::cli {

Result<const Inspection *> inspection();

// Returns the address of a function in liblockstep.so or in one of its dependencies; null if there
// is none.
void *find_in_library(const char *function);

} // namespace lockstep::cli
