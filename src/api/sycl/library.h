// The interface of liblockstep.so to liblockstep_sycl.so: one object whose functions create all
// other objects.
#pragma once

#include "sycl/detail/library.hpp"

// Null if the caller is of another version: the interface uses C++ types, which agree only within
// one build.
extern "C" __attribute__((visibility("default"))) const sycl::detail::library *
lockstep_sycl_of_version(const char *version);
