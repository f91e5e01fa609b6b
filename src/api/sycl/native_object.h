// The OpenCL object that an object of SYCL is seen as by get_native, made when somebody asks.
#pragma once

#include <memory>
#include <mutex>

namespace lockstep::sycl_api {

struct NativeObject {
  std::mutex mutex;
  std::shared_ptr<void> object; // opencl_interop.cpp knows its type
};

} // namespace lockstep::sycl_api
