// liblockstep.so, loaded when a subcommand first looks into the compiler.
#pragma once

#include "api/inspection/inspection.h"

namespace lockstep::cli {

Result<const Inspection *> inspection();

// The address of a function in liblockstep.so or in a library that it needs; null if there is none.
void *find_in_library(const char *function);

} // namespace lockstep::cli
