// Where the driver finds what it needs: clang, our headers and our library, from where the driver itself lies. The same in
// the build tree and installed.
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
