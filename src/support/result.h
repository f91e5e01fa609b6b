// Result<T>: a value, or an Error that says what went wrong in a sentence. Both are [[nodiscard]].
//
// C++20 has no std::expected. Inside Lockstep nothing throws; an error travels in a Result and is
// turned into a cl_int (src/api/opencl/error.h), a sycl::exception, or built from an llvm::Error
// (src/compiler/llvm_error.h) in one border file each.
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
  kernel_fault,     // device code touched memory that it may not touch
  io_failure,       // a file could not be read or written
  internal,         // our bug
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string
      message; // one sentence: the argument, the rule it broke, the section of the specification
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

// Evaluates a Result; on failure returns its error from the enclosing function, on success does
// nothing.
#define LOCKSTEP_TRY(expression)                                                                   \
  if (auto &&lockstep_try_result = (expression); !lockstep_try_result)                             \
  return lockstep_try_result.take_error()
