// Device images, and kernels as the host names them.
#pragma once

#include <cstdint>

// The number of the border between headers and library, which is classes with virtual functions: raised whenever
// library.hpp or a structure in it changes. What was compiled for another border would call the wrong functions.
#define LOCKSTEP_SYCL_BORDER 13
#define LOCKSTEP_SYCL_TEXT_OF(number) #number
#define LOCKSTEP_SYCL_TEXT(number) LOCKSTEP_SYCL_TEXT_OF(number)
#define LOCKSTEP_SYCL_BORDER_WORDS ", border " LOCKSTEP_SYCL_TEXT(LOCKSTEP_SYCL_BORDER)

namespace sycl::detail {

// The device side of one source; tools/lockstep++/embed_image.cpp writes it.
struct image {
  const char *version; // of the Lockstep that compiled it, and its border
  const char *bitcode;
  std::uint64_t size;
  const char *description; // lines of words: tools/lockstep++/device_pass.h
  const void *needs;       // for the linker only
  // The host's objects of variables of the device, in the order of the lines "global".
  const void *const *globals = nullptr;
};

// A kernel of a source, and what the library knows of it once it was launched.
struct kernel_reference {
  const image *from;
  const char *name;
  mutable void *known = nullptr; // the library's, atomic
};

} // namespace sycl::detail
