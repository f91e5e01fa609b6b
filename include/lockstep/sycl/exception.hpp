// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exceptions and error codes (SYCL 2020, section 4.13).
#pragma once

#include "sycl/detail/standard.hpp"

#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace sycl {

class context;
class exception_list;

enum class errc : unsigned int {
  success = 0,
  runtime,
  kernel,
  accessor,
  nd_range,
  event,
  kernel_argument,
  build,
  invalid,
  memory_allocation,
  platform,
  profiling,
  feature_not_supported,
  kernel_not_supported,
  backend_mismatch,
};

const std::error_category &sycl_category() noexcept;
std::error_code make_error_code(errc code) noexcept;

class exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string &what)
      : code_(code), what_(std::make_shared<const std::string>(what)) {}
  exception(std::error_code code, const char *what) : exception(code, std::string(what)) {}
  exception(std::error_code code) : exception(code, code.message()) {}
  exception(int value, const std::error_category &category, const std::string &what)
      : exception(std::error_code(value, category), what) {}
  exception(int value, const std::error_category &category, const char *what)
      : exception(std::error_code(value, category), what) {}
  exception(int value, const std::error_category &category)
      : exception(std::error_code(value, category)) {}
  exception(const context &where, std::error_code code, const std::string &what);
  exception(const context &where, std::error_code code, const char *what);
  exception(const context &where, std::error_code code);
  exception(const context &where, int value, const std::error_category &category,
            const std::string &what);
  exception(const context &where, int value, const std::error_category &category, const char *what);
  exception(const context &where, int value, const std::error_category &category);

  const std::error_code &code() const noexcept { return code_; }
  const std::error_category &category() const noexcept { return code_.category(); }
  const char *what() const noexcept override { return what_->c_str(); }
  bool has_context() const noexcept { return context_ != nullptr; }
  context get_context() const;
  // Returns OpenCL's error code, or CL_SUCCESS if the error is not an OpenCL error.
  [[deprecated("of SYCL 1.2.1: code()")]] int get_cl_code() const {
    return category() == sycl_category() ? 0 : code_.value();
  }

private:
  std::error_code code_;
  std::shared_ptr<const std::string> what_; // shared, because copies must not throw
  std::shared_ptr<void> context_;           // points to a detail::context_interface
};

class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type &;
  using const_reference = const value_type &;
  using size_type = std::size_t;
  using iterator = std::vector<std::exception_ptr>::const_iterator;
  using const_iterator = iterator;

  exception_list() = default;
  explicit exception_list(std::vector<std::exception_ptr> list) : list_(std::move(list)) {}
  size_type size() const { return list_.size(); }
  iterator begin() const { return list_.begin(); }
  iterator end() const { return list_.end(); }

private:
  std::vector<std::exception_ptr> list_;
};

using async_handler = std::function<void(exception_list)>;

} // namespace sycl

template <> struct std::is_error_code_enum<sycl::errc> : std::true_type {};

#include "sycl/detail/library.hpp"

namespace sycl {

inline const std::error_category &sycl_category() noexcept {
  return lockstep_sycl_library().error_category();
}
inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), sycl_category()};
}

namespace detail {
// Throws an exception class of SYCL 1.2.1 (exception_classes.hpp).
[[noreturn]] inline void raise(errc code, const std::string &what) {
  lockstep_sycl_library().raise(code, what);
}
} // namespace detail

} // namespace sycl
