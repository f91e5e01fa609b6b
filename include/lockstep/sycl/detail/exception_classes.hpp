// The classes of exceptions of SYCL 1.2.1 (its section 4.9.2). The library throws them, so that a program that catches one of
// them does so still; SYCL 2020 has sycl::exception alone, whose code() tells what happened. <CL/sycl.hpp> names them.
//
// SYCL 1.2.1 told apart whether an argument or an object was refused; errc::invalid is both, hence the virtual base.
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

// Own: a type of this class alone.
template <class Own, class Base> class error_class : public Base {
public:
  error_class(std::error_code code, const std::string &what)
      : exception(code, what), Base(code, what) {}
};
using kernel_error = error_class<class of_kernel, runtime_error>;
using accessor_error = error_class<class of_accessor, runtime_error>;
using nd_range_error = error_class<class of_nd_range, runtime_error>;
using event_error = error_class<class of_event, runtime_error>;
using invalid_parameter_error = error_class<class of_parameter, runtime_error>;
using compile_program_error = error_class<class of_compilation, device_error>;
using link_program_error = error_class<class of_linking, device_error>;
using invalid_object_error = error_class<class of_object, device_error>;
using memory_allocation_error = error_class<class of_memory, device_error>;
using platform_error = error_class<class of_platform, device_error>;
using profiling_error = error_class<class of_profiling, device_error>;
using feature_not_supported = error_class<class of_feature, device_error>;

template <class One, class Two> class error_of_both : public One, public Two {
public:
  error_of_both(std::error_code code, const std::string &what)
      : exception(code, what), One(code, what), Two(code, what) {}
};
using invalid_error = error_of_both<invalid_parameter_error, invalid_object_error>;
using build_error = error_of_both<compile_program_error, link_program_error>;

// Calls function(exception) with one of the class for that code.
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
