// Functions for kernels that are defined in other sources.
#pragma once

#include <sycl/sycl.hpp>

SYCL_EXTERNAL int in_object(int x);
SYCL_EXTERNAL int in_archive(int x);
SYCL_EXTERNAL extern int in_library(int x);
inline constexpr sycl::specialization_id<int> factor(2);
SYCL_EXTERNAL int by_factor(int x, sycl::kernel_handler &constants);
namespace nested {
struct Scale {
  int factor;
  SYCL_EXTERNAL int apply(int x) const;
};
} // namespace nested
