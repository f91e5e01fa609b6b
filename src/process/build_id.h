// Identifies the build of Lockstep that runs, for files that other builds must not load.
#pragma once

#include <string>

namespace lockstep::compiler {

// The linker's build ID (a hash of the contents) of the file that contains this function; the same
// file on two machines has the same. Empty if it was linked without one.
const std::string &build_id();

} // namespace lockstep::compiler
