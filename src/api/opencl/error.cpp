#include "api/opencl/error.h"

#include "api/opencl/context.h"
#include "api/opencl/inherited.h"
#include "platform/linux/leaked.h"
#include "support/environment.h"
#include "support/message.h"

namespace lockstep::opencl {
namespace {

bool print_failures() {
  return leaked([] {
    std::string debug = environment("DEBUG").value_or("");
    return debug == "1" || debug.find("api") != std::string::npos;
  });
}

} // namespace

cl_int code_of(ErrorKind kind, cl_int invalid) {
  switch (kind) {
  case ErrorKind::invalid_argument:
    return invalid;
  case ErrorKind::build_failure:
    return CL_BUILD_PROGRAM_FAILURE;
  case ErrorKind::invalid_binary:
    return CL_INVALID_BINARY;
  case ErrorKind::out_of_host_memory:
    return CL_OUT_OF_HOST_MEMORY;
  case ErrorKind::out_of_resources:
  case ErrorKind::kernel_fault:
  case ErrorKind::io_failure:
  case ErrorKind::internal:
    return CL_OUT_OF_RESOURCES;
  case ErrorKind::unsupported:
    return CL_INVALID_OPERATION;
  }
  return CL_OUT_OF_RESOURCES;
}

Failed EntryPoint::fail_formatted(cl_int code, fmt::string_view format,
                                  fmt::format_args arguments) {
  return fail(Failure{code, fmt::vformat(format, arguments)});
}

Failed EntryPoint::fail(const Error &error, cl_int invalid) {
  return fail(Failure{code_of(error.kind, invalid), error.message});
}

Failed EntryPoint::fail(const Failure &failure) {
  if (errcode_ret_)
    *errcode_ret_ = failure.code;
  const InheritedArgument *inherited = InheritedArgument::of_this_thread();
  if (inherited && !context_)
    context_ = inherited->context();
  if (context_ || print_failures()) {
    std::string text = fmt::format("{}: {}", name_, failure.sentence);
    if (inherited)
      text += "; an argument was made before fork(), and a child of fork() cannot use it: it makes "
              "a context of its own (docs/process_life.md)";
    if (print_failures())
      print_message("%s", text.c_str());
    if (context_)
      context_->notify(text);
  }
  return Failed(failure.code);
}

} // namespace lockstep::opencl
