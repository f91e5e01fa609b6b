// Result<T>: a value, or an Error whose message is a sentence. Both types are [[nodiscard]].
//
// C++20 has no std::expected. Lockstep's own code does not throw; it returns errors in a Result.
// One file each converts an Error to a cl_int (src/api/opencl/error.h) or a sycl::exception, and an
// llvm::Error to an Error (src/kernel_ir/llvm_error.h).
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lockstep {

enum class ErrorKind {
  invalid_argument, // the caller broke a rule of the specification
  build_failure,    // the kernel source does not compile or link; the message is the build log
  invalid_binary,   // a program binary or cache entry is damaged or of another version
  out_of_host_memory,
  out_of_resources, // a limit of the device: local memory, private memory, work-group size
  unsupported,      // valid, but not (yet) implemented
  kernel_fault,     // device code accessed memory that it must not access
  io_failure,       // a file could not be read or written
  internal,         // a bug of Lockstep
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  // One sentence: the argument, the rule it broke, the section of the specification.
  std::string message;
};

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T &operator*() {
    assert(*this);
    return std::get<0>(state_);
  }
  const T &operator*() const {
    assert(*this);
    return std::get<0>(state_);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const Error &error() const {
    assert(!*this);
    return std::get<1>(state_);
  }
  Error take_error() {
    assert(!*this);
    return std::move(std::get<1>(state_));
  }

private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  const Error &error() const {
    assert(error_);
    return *error_;
  }
  Error take_error() {
    assert(error_);
    return std::move(*error_);
  }

private:
  std::optional<Error> error_;
};

} // namespace lockstep

// Evaluates a Result. On failure returns its error from the enclosing function; on success does
// nothing.
#define LOCKSTEP_TRY(expression)                                                                   \
  if (auto &&lockstep_try_result = (expression); !lockstep_try_result)                             \
  return lockstep_try_result.take_error()
