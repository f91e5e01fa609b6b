// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exception classes of SYCL 1.2.1 (its section 4.9.2). The library throws them, so that
// programs that catch one of them still work. SYCL 2020 has only sycl::exception, whose code()
// identifies the error. <CL/sycl.hpp> exports them.
//
// SYCL 1.2.1 distinguishes invalid arguments from invalid objects; errc::invalid covers both, hence
// the virtual base.
#pragma once

#include "sycl/exception.hpp"

namespace sycl::detail {

class runtime_error : public virtual exception {
public:
  runtime_error(std::error_code code, const std::string &what) : exception(code, what) {}
};
class device_error : public virtual exception {
public:
  device_error(std::error_code code, const std::string &what) : exception(code, what) {}
};

#define LOCKSTEP_ERROR(name, base)                                                                 \
  class name : public base {                                                                       \
  public:                                                                                          \
    name(std::error_code code, const std::string &what)                                            \
        : exception(code, what), base(code, what) {}                                               \
  };
LOCKSTEP_ERROR(kernel_error, runtime_error)
LOCKSTEP_ERROR(accessor_error, runtime_error)
LOCKSTEP_ERROR(nd_range_error, runtime_error)
LOCKSTEP_ERROR(event_error, runtime_error)
LOCKSTEP_ERROR(invalid_parameter_error, runtime_error)
LOCKSTEP_ERROR(compile_program_error, device_error)
LOCKSTEP_ERROR(link_program_error, device_error)
LOCKSTEP_ERROR(invalid_object_error, device_error)
LOCKSTEP_ERROR(memory_allocation_error, device_error)
LOCKSTEP_ERROR(platform_error, device_error)
LOCKSTEP_ERROR(profiling_error, device_error)
LOCKSTEP_ERROR(feature_not_supported, device_error)
#undef LOCKSTEP_ERROR

class invalid_error : public invalid_parameter_error, public invalid_object_error {
public:
  invalid_error(std::error_code code, const std::string &what)
      : exception(code, what), invalid_parameter_error(code, what),
        invalid_object_error(code, what) {}
};
class build_error : public compile_program_error, public link_program_error {
public:
  build_error(std::error_code code, const std::string &what)
      : exception(code, what), compile_program_error(code, what), link_program_error(code, what) {}
};

// Calls function(exception) with an exception of the class for that code.
template <class Function>
auto with_exception(errc code, const std::string &what, Function function) {
  const std::error_code full = make_error_code(code);
  switch (code) {
  case errc::kernel:
    return function(kernel_error(full, what));
  case errc::accessor:
    return function(accessor_error(full, what));
  case errc::nd_range:
    return function(nd_range_error(full, what));
  case errc::event:
    return function(event_error(full, what));
  case errc::kernel_argument:
    return function(invalid_parameter_error(full, what));
  case errc::build:
    return function(build_error(full, what));
  case errc::invalid:
  case errc::backend_mismatch:
    return function(invalid_error(full, what));
  case errc::memory_allocation:
    return function(memory_allocation_error(full, what));
  case errc::platform:
    return function(platform_error(full, what));
  case errc::profiling:
    return function(profiling_error(full, what));
  case errc::feature_not_supported:
  case errc::kernel_not_supported:
    return function(feature_not_supported(full, what));
  default:
    return function(runtime_error(full, what));
  }
}

} // namespace sycl::detail
