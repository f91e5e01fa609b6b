// Helpers for SYCL functions that are tested on the host and on the device.
#pragma once

#include <sycl/sycl.hpp>

#include "check.h"

#include <string>

// Runs a function that writes numbers on the host and in a kernel; compares both with `wanted`.
template <class T, class Function, std::size_t Count>
void expect_numbers(Function write, const T (&wanted)[Count]) {
  sycl::queue queue;
  T *out = sycl::malloc_shared<T>(Count, queue);
  for (int device = 0; device < 2; ++device) {
    for (std::size_t i = 0; i < Count; ++i)
      out[i] = T(77);
    if (device)
      queue.single_task([=] { write(out); }).wait();
    else
      write(out);
    for (std::size_t i = 0; i < Count; ++i)
      if (!(out[i] == wanted[i]))
        check::failed(__FILE__, __LINE__,
                      std::string(device ? "device" : "host") + ", number " + std::to_string(i) +
                          " is " + std::to_string(double(out[i])) + ", not " +
                          std::to_string(double(wanted[i])));
  }
  sycl::free(out, queue);
}
