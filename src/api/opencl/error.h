// Converts a violated rule into a cl_int and reports its sentence to the user.
//
// Every entry point begins with an EntryPoint, and every return goes through it:
//
//   cl_mem clCreateBuffer(cl_context context, ..., cl_int *errcode_ret) {
//     EntryPoint api("clCreateBuffer", errcode_ret);
//     if (!is_valid(context))
//       return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.2.1)");
//     api.report_to(context);                       // later failures also go to pfn_notify
//     if (size == 0)
//       return api.fail(CL_INVALID_BUFFER_SIZE, "size is 0 (section 5.2.1)");
//     ...
//     return api.success(memory);
//   }
//
// A sentence names the argument, the rule and the section of the OpenCL 3.0 API specification. The
// context's pfn_notify receives it as "clCreateBuffer: size is 0 (section 5.2.1)". With
// LOCKSTEP_DEBUG=1 or LOCKSTEP_DEBUG=api it is also printed to stderr.
#pragma once

#include "runtime/graph/thread_work.h"
#include "support/result.h"

#include <CL/cl.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace lockstep::opencl {

// The result of a validation: success, or the code and the sentence of the first violated rule.
struct Failure {
  cl_int code = CL_SUCCESS;
  std::string sentence;
  explicit operator bool() const { return code != CL_SUCCESS; }
};
using Check = Failure; // `if (Check broken = validate(...)) return api.fail(broken);`

template <class... Arguments>
Failure failure(cl_int code, fmt::format_string<Arguments...> format, Arguments &&...arguments) {
  return {code, fmt::format(format, std::forward<Arguments>(arguments)...)};
}

// Returns the OpenCL code of an error from the runtime or the compiler. `invalid` is the code that
// the entry point uses for ErrorKind::invalid_argument.
cl_int code_of(ErrorKind kind, cl_int invalid = CL_INVALID_VALUE);

// The return value of a failing entry point. It converts to the code if the entry point returns
// cl_int, and to null if it returns a handle or pointer.
class Failed {
public:
  explicit Failed(cl_int code) : code_(code) {}
  operator cl_int() const { return code_; }
  template <class T> operator T *() const { return nullptr; }

private:
  cl_int code_;
};

class EntryPoint {
public:
  explicit EntryPoint(const char *name, cl_int *errcode_ret = nullptr)
      : name_(name), errcode_ret_(errcode_ret), work_("call", name) {}

  // Sets the context whose pfn_notify receives failures. The context must be valid.
  void report_to(cl_context context) { context_ = context; }

  template <class... Arguments>
  Failed fail(cl_int code, fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    return fail_formatted(code, format, fmt::make_format_args(arguments...));
  }
  Failed fail(const Failure &failure);
  Failed fail(const Error &error, cl_int invalid = CL_INVALID_VALUE);

  cl_int success() { return CL_SUCCESS; }
  template <class T> T *success(T *handle) {
    if (errcode_ret_)
      *errcode_ret_ = CL_SUCCESS;
    return handle;
  }

private:
  Failed fail_formatted(cl_int code, fmt::string_view format, fmt::format_args arguments);

  const char *name_;
  cl_int *errcode_ret_;
  cl_context context_ = nullptr;
  const runtime::ThreadWork work_; // for traces
};

} // namespace lockstep::opencl
