// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Specialization constants (SYCL 2020, section 4.9.5): constants of a kernel whose values the host
// sets for each launch.
//
// On the device each constant is a variable in a section of its own, initialized with the default
// value. The library passes the values that the host has set to the kernel compiler. The compiler
// initializes the variables with them before it compiles, so it sees constants.
#pragma once

#include "sycl/detail/library.hpp"

#include <type_traits>
#include <utility>

namespace sycl {

namespace detail {
struct default_of;
}

template <class T> class specialization_id {
public:
  using value_type = T;

  template <class... Arguments, std::enable_if_t<std::is_constructible_v<T, Arguments...>, int> = 0>
  explicit constexpr specialization_id(Arguments &&...arguments)
      : default_(std::forward<Arguments>(arguments)...) {}
  specialization_id(const specialization_id &) = delete;
  specialization_id(specialization_id &&) = delete;
  specialization_id &operator=(const specialization_id &) = delete;
  specialization_id &operator=(specialization_id &&) = delete;

private:
  friend struct detail::default_of;
  T default_;
};

namespace detail {

struct default_of {
  template <class T> static constexpr const T &id(const specialization_id<T> &of) {
    return of.default_;
  }
};

template <auto &Id>
using specialization_type = typename std::remove_reference_t<decltype(Id)>::value_type;

template <auto &Id> struct specialization_constant {
#ifdef __SYCL_DEVICE_ONLY__
  [[gnu::section("lockstep.spec")]] static inline specialization_type<Id> value =
      default_of::id(Id);
#endif
};

// Returns the mangled name of the variable: the name of its class from
// __builtin_sycl_unique_stable_name ("_ZTSN…E"), with the member's name appended.
template <auto &Id> std::string name_of_constant() {
  const std::string type = __builtin_sycl_unique_stable_name(specialization_constant<Id>);
  return "_Z" + type.substr(4, type.size() - 5) + "5valueE";
}

} // namespace detail

// Passed to a kernel as its last argument, if the kernel function accepts it.
class kernel_handler {
public:
  template <auto &Id> detail::specialization_type<Id> get_specialization_constant() const {
#ifdef __SYCL_DEVICE_ONLY__
    return detail::specialization_constant<Id>::value;
#else
    detail::not_in_a_kernel();
#endif
  }
};

namespace detail {

// Whether a kernel function accepts these arguments, with or without a kernel_handler after them.
template <class Function, class... Arguments>
inline constexpr bool is_kernel_of =
    std::is_invocable_v<Function &, const Arguments &...> ||
    std::is_invocable_v<Function &, const Arguments &..., kernel_handler>;

// Calls a kernel function; adds a kernel_handler after the arguments if the function takes one.
// SYCL 1.2.1 permits operators that are not const. They get a copy of the function object, of each
// work-item.
template <class Function, class... Arguments>
void call_kernel(const Function &function, Arguments &&...arguments) {
  if constexpr (std::is_invocable_v<const Function &, Arguments &...>) {
    function(arguments...);
  } else if constexpr (std::is_invocable_v<Function &, Arguments &...>) {
    Function own(function);
    own(arguments...);
  } else if constexpr (!std::is_invocable_v<const Function &, Arguments &..., kernel_handler> &&
                       std::is_invocable_v<Function &, Arguments &..., kernel_handler>) {
    Function own(function);
    own(arguments..., kernel_handler());
  } else {
    function(arguments..., kernel_handler());
  }
}

} // namespace detail

} // namespace sycl
