#include "api/sycl/error.h"

#include "platform/linux/leaked.h"
#include "sycl/detail/exception_classes.hpp"

#include <iterator>

namespace lockstep::sycl_api {
namespace {

// Indexed by sycl::errc.
constexpr const char *meanings[] = {"success",
                                    "an error of the runtime",
                                    "an error in a kernel",
                                    "an accessor is used wrongly",
                                    "an nd_range is not possible",
                                    "an event is used wrongly",
                                    "a kernel argument is not possible",
                                    "a kernel cannot be built",
                                    "an argument is not valid",
                                    "memory cannot be allocated",
                                    "the platform cannot be used",
                                    "profiling information is not there",
                                    "the feature is not supported",
                                    "the kernel is not supported by the device",
                                    "the object is of another backend"};

class Category : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int code) const override {
    return code >= 0 && std::size_t(code) < std::size(meanings) ? meanings[code]
                                                                : "an unknown error";
  }
};

} // namespace

const std::error_category &error_category() {
  return leaked([] { return new Category; }); // leaked: exceptions may outlive static destruction
}

sycl::errc code_of(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::invalid_argument:
    return sycl::errc::invalid;
  case ErrorKind::build_failure:
  case ErrorKind::invalid_binary:
    return sycl::errc::build;
  case ErrorKind::out_of_host_memory:
    return sycl::errc::memory_allocation;
  case ErrorKind::unsupported:
    return sycl::errc::feature_not_supported;
  case ErrorKind::kernel_fault:
    return sycl::errc::kernel;
  default:
    return sycl::errc::runtime;
  }
}

void raise(sycl::errc code, const std::string &sentence) {
  sycl::detail::with_exception(code, sentence, [](const auto &exception) { throw exception; });
  __builtin_unreachable();
}

void raise(const Error &error) {
  raise(code_of(error.kind), error.message);
}

std::exception_ptr as_exception(const Error &error) {
  return sycl::detail::with_exception(
      code_of(error.kind), error.message,
      [](const auto &exception) { return std::make_exception_ptr(exception); });
}

} // namespace lockstep::sycl_api
