// Identifies the LLVM, clang and libclc that this process has loaded, for cache keys.
//
// Lockstep is linked with Debian's shared libraries. A security update replaces them: the version
// that Lockstep was built with stays the same, but the code that the libraries generate changes.
#pragma once

#include <string>

namespace lockstep::compiler {

// Path, size and time of each of these files; the same text for the life of the process.
const std::string &installed_toolchain();

} // namespace lockstep::compiler
