// A program's source for a debugger, which shows files (LOCKSTEP_DEBUGGER).
#pragma once

#include <string>

namespace lockstep::opencl {

// The source with a #line that names a file with the same content: one below the working
// directory, or a copy in $TMPDIR/lockstep-sources-<user>. Without LOCKSTEP_DEBUGGER: the source.
std::string debugged_source(const std::string &source);

// The build options, with debug information and without optimization if a debugger wants it.
std::string debugged_options(const std::string &options);

} // namespace lockstep::opencl
