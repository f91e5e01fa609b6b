// Which LLVM, clang and libclc this process has loaded, for cache keys.
//
// Lockstep is linked with Debian's shared libraries, which a security update replaces under it: the version that it was
// built with stays, the code that the libraries make changes.
#pragma once

#include <string>

namespace lockstep::compiler {

// Path, size and time of each of these files; the same text for the life of the process.
const std::string &installed_toolchain();

} // namespace lockstep::compiler
