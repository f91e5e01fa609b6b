// The OpenCL object that get_native returns for a SYCL object. It is created on first use.
#pragma once

#include <memory>
#include <mutex>

namespace lockstep::sycl_api {

struct NativeObject {
  std::mutex mutex;
  std::shared_ptr<void> object; // opencl_interop.cpp knows its type
};

} // namespace lockstep::sycl_api
