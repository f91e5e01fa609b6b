// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of a kernel's attributes and properties, in the form in which the driver reads them
// from the annotations of device functions (tools/lockstep++/kernel_attributes.h).
#pragma once

#include "sycl/aspect.hpp"

namespace sycl::detail {

template <unsigned long Count> struct attribute_numbers {
  unsigned long count;
  unsigned long values[Count == 0 ? 1 : Count];
};

// The arguments are passed by value. If an annotation named a constant, a lambda expression would
// capture that constant, but only on the device. The offsets of its other captures would then
// differ from the host's.
template <class... Values>
constexpr attribute_numbers<sizeof...(Values)> numbers_of_attribute(Values... values) {
  return {sizeof...(Values), {static_cast<unsigned long>(values)...}};
}

// These are not constexpr: a call makes the constant expression invalid, and the compiler's error
// names the function.
inline void a_size_is_not_positive() {}
inline void a_number_is_no_aspect() {}

template <class Value> constexpr Value positive(Value value) {
  if (!(value > Value(0)))
    a_size_is_not_positive();
  return value;
}
constexpr aspect known(aspect value) {
  if (value < aspect::cpu || value > aspect::ext_oneapi_opportunistic_group)
    a_number_is_no_aspect();
  return value;
}

// Objects of class type convert to unsigned long.
template <class Value> constexpr auto as_number(Value value) {
  if constexpr (std::is_class_v<Value>)
    return static_cast<unsigned long>(value);
  else
    return value;
}

// Checks and converts the arguments of reqd_work_group_size and work_group_size_hint.
template <class... Values> constexpr auto sizes_of_attribute(Values... values) {
  static_assert(
      sizeof...(Values) >= 1 && sizeof...(Values) <= 3,
      "the attribute has a size for each of one to three dimensions (SYCL 2020 section 5.8.1)");
  return numbers_of_attribute(positive(as_number(values))...);
}
template <class... Values> constexpr auto lanes_of_attribute(Values... values) {
  static_assert(sizeof...(Values) == 1,
                "reqd_sub_group_size has one argument (SYCL 2020 section 5.8.1)");
  return numbers_of_attribute(positive(as_number(values))...);
}
template <class... Values> constexpr auto aspects_of_attribute(Values... values) {
  return numbers_of_attribute(known(static_cast<aspect>(values))...);
}

} // namespace sycl::detail
