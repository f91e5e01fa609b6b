// What attributes and properties say of a kernel, as the driver finds it in the annotations of the device's functions
// (tools/lockstep++/kernel_attributes.h).
#pragma once

namespace sycl::detail {

template <unsigned long Count> struct attribute_numbers {
  unsigned long count;
  unsigned long values[Count == 0 ? 1 : Count];
};

// The arguments are taken by value: an annotation that named a constant itself would make a lambda expression capture it,
// on the device only, and what it captures besides would lie at other places than where the host puts it.
template <class... Values>
constexpr attribute_numbers<sizeof...(Values)> numbers_of_attribute(Values... values) {
  return {sizeof...(Values), {static_cast<unsigned long>(values)...}};
}

} // namespace sycl::detail
