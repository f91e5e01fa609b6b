// Specialization constants (SYCL 2020, section 4.9.5): constants of a kernel whose values the host sets for each launch.
//
// On the device each is a variable of its own section, with the default as its value. The compiler of kernels is told the
// values that the host has set, gives them to these variables before it compiles, and so they are constants to it.
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

// The mangled name of the variable: that of its class, as __builtin_sycl_unique_stable_name has it ("_ZTSN…E"), with the
// member at its end.
template <auto &Id> std::string name_of_constant() {
  const std::string type = __builtin_sycl_unique_stable_name(specialization_constant<Id>);
  return "_Z" + type.substr(4, type.size() - 5) + "5valueE";
}

} // namespace detail

// What a kernel is given as its last argument, if it takes it.
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

// A kernel's function takes these, with or without a kernel_handler behind them.
template <class Function, class... Arguments>
inline constexpr bool is_kernel_of =
    std::is_invocable_v<const Function &, const Arguments &...> ||
    std::is_invocable_v<const Function &, const Arguments &..., kernel_handler>;

// Calls a kernel's function, with a kernel_handler behind its arguments if it takes one.
template <class Function, class... Arguments>
void call_kernel(const Function &function, Arguments &&...arguments) {
  if constexpr (std::is_invocable_v<const Function &, Arguments &...>)
    function(arguments...);
  else
    function(arguments..., kernel_handler());
}

} // namespace detail

} // namespace sycl
