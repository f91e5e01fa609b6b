// Finds clang, the headers and the library, relative to the driver itself. The layout is the same
// in the build tree and when installed.
#pragma once

#include <string>

namespace lockstep::driver {

struct Installation {
  std::string clang;   // stock clang++, whose resource folder and tools are used
  std::string headers; // the folder that holds sycl/ and CL/
  std::string library; // the folder that holds liblockstep_sycl.so
  std::string problem; // a sentence if something is missing, else empty
};

Installation find_installation(const char *program);

} // namespace lockstep::driver
