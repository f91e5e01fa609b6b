// Variables that the sources of device_global_test share.
#pragma once

#include <sycl/sycl.hpp>

namespace oneapi = sycl::ext::oneapi::experimental;

extern oneapi::device_global<int> defined_in_other;
inline oneapi::device_global<int> in_both;
template <class T> inline oneapi::device_global<T> of_type;

SYCL_EXTERNAL int add_to_others(int value);
void count_in_other(sycl::queue &queue);
int own_count_of_other(sycl::queue &queue);
