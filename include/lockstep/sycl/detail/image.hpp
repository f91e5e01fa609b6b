// Device images, and kernels as the host names them.
#pragma once

#include <cstdint>

namespace sycl::detail {

// The device side of one source; tools/lockstep++/embed_image.cpp writes it.
struct image {
  const char *version; // of the Lockstep that compiled it
  const char *bitcode;
  std::uint64_t size;
  const char *description; // lines of words: tools/lockstep++/device_pass.h
  const void *needs;       // for the linker only
};

// A kernel of a source, and what the library knows of it once it was launched.
struct kernel_reference {
  const image *from;
  const char *name;
  mutable void *known = nullptr; // the library's, atomic
};

} // namespace sycl::detail
