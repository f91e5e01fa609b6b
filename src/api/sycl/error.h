// Converts errors of the runtime (Result) to sycl::exception.
#pragma once

#include "support/result.h"

#include "sycl/exception.hpp"

#include <string>

namespace lockstep::sycl_api {

sycl::errc code_of(ErrorKind kind);
[[noreturn]] void raise(sycl::errc code, const std::string &sentence);
[[noreturn]] void raise(const Error &error);
std::exception_ptr as_exception(const Error &error); // for asynchronous errors

const std::error_category &error_category();

template <class T> T value_or_raise(Result<T> result) {
  if (!result)
    raise(result.error());
  return std::move(*result);
}

} // namespace lockstep::sycl_api
