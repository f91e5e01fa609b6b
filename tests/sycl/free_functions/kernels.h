// Free-function kernels that another source launches.
#pragma once

#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi;
namespace experimental = sycl::ext::oneapi::experimental;

struct Line {
  float begin, step;
};

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
void fill_with(Line line, float *out);

template <class T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<2>))
void scale(T *all, const T &factor) { // refers to a copy of the argument
  const auto item = oneapi::this_work_item::get_nd_item<2>();
  all[item.get_global_linear_id()] *= factor + T(item.get_global_id(0));
}
