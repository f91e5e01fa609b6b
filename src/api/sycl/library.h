// What liblockstep.so gives liblockstep_sycl.so: one object with everything that makes objects.
#pragma once

#include "sycl/detail/library.hpp"

// Null if the caller is of another version: these are C++ types, which agree only within one build.
extern "C" __attribute__((visibility("default"))) const sycl::detail::library *
lockstep_sycl_of_version(const char *version);
