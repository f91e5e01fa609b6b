// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Device images, and the host's references to kernels.
#pragma once

#include <cstdint>

// Version of the interface between headers and library, which consists of classes with virtual
// functions. Increase it whenever library.hpp or a structure used there changes. Code that was
// compiled for another version would call wrong functions.
#define LOCKSTEP_SYCL_BORDER 17
#define LOCKSTEP_SYCL_TEXT_OF(number) #number
#define LOCKSTEP_SYCL_TEXT(number) LOCKSTEP_SYCL_TEXT_OF(number)
#define LOCKSTEP_SYCL_BORDER_WORDS ", border " LOCKSTEP_SYCL_TEXT(LOCKSTEP_SYCL_BORDER)

namespace sycl::detail {

// The device code of one source, written by tools/lockstep++/embed_image.cpp.
struct image {
  const char *version; // of the Lockstep that compiled it, and its interface version
  const char *bitcode;
  std::uint64_t size;
  const char *description; // lines of words: see tools/lockstep++/device_pass.h
  const void *needs;       // used by the linker only
  // The host objects of device variables, in the order of the "global" lines.
  const void *const *globals = nullptr;
  // `lockstep++ --aot` writes the number of kernels (64 bits), then for each its name and a program
  // binary with machine code. Each has its length before it (64 bits). Size 0: none.
  const char *machine_code = nullptr;
  std::uint64_t machine_code_size = 0;
};

// A kernel of a source, and the library's data about it after its first launch.
struct kernel_reference {
  const image *from;
  const char *name;
  mutable void *known = nullptr; // owned by the library; atomic access
};

} // namespace sycl::detail
