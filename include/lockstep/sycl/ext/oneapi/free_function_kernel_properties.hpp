// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties for the declaration of kernel functions (extensions
// sycl_ext_oneapi_free_function_kernels and sycl_ext_oneapi_kernel_properties).
#pragma once

#include "sycl/detail/attribute_numbers.hpp"
#include "sycl/ext/oneapi/kernel_properties/properties.hpp"

namespace sycl {

namespace ext::oneapi::experimental {

struct nd_range_kernel_key : sycl::detail::property_lists::property_key<15> {
  template <int Dims>
  using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dims>>;
};
struct single_task_kernel_key : sycl::detail::property_lists::property_key<16> {
  using value_t = property_value<single_task_kernel_key>;
};
template <int Dims> struct property_value<nd_range_kernel_key, std::integral_constant<int, Dims>> {
  using key_t = nd_range_kernel_key;
  static constexpr int dimensions = Dims;
};
template <int Dims> inline constexpr nd_range_kernel_key::value_t<Dims> nd_range_kernel;
inline constexpr single_task_kernel_key::value_t single_task_kernel;

} // namespace ext::oneapi::experimental

namespace detail {

// ---- marks functions as kernels
//
// A template must recognize a kernel from the function's address. No clang attribute that is part
// of the type is free for this. So the mark is the function's alignment, which constant expressions
// can query from the address. Functions that are not kernels do not have these alignments.
inline constexpr unsigned plain_alignment = 16, single_task_alignment = 2048;
constexpr unsigned nd_range_alignment(int dimensions) {
  return 128U << dimensions;
}

template <class Value> struct function_property { // other properties do not mark a kernel
  static constexpr unsigned alignment = plain_alignment;
};
template <int Dims>
struct function_property<ext::oneapi::experimental::nd_range_kernel_key::value_t<Dims>> {
  static_assert(Dims >= 1 && Dims <= 3, "an nd_range has 1 to 3 dimensions");
  static constexpr unsigned alignment = nd_range_alignment(Dims);
};
template <> struct function_property<ext::oneapi::experimental::single_task_kernel_key::value_t> {
  static constexpr unsigned alignment = single_task_alignment;
};
template <class Value> constexpr unsigned alignment_for(const Value &) {
  return function_property<Value>::alignment;
}

// The annotation that the driver reads: the key's number, which identifies the requirement, and its
// parameters.
template <class Key, class Type, Type... Numbers>
constexpr attribute_numbers<sizeof...(Numbers) + 1> numbers_of_property(
    ext::oneapi::experimental::property_value<Key, std::integral_constant<Type, Numbers>...>) {
  return numbers_of_attribute(Key::order, Numbers...);
}
template <class Key>
constexpr attribute_numbers<1> numbers_of_property(ext::oneapi::experimental::property_value<Key>) {
  return numbers_of_attribute(Key::order);
}

template <auto *Function, unsigned Alignment>
inline constexpr bool is_aligned_function =
    __builtin_constant_p(__builtin_is_aligned((const void *)Function, Alignment))
        ? __builtin_is_aligned((const void *)Function, Alignment)
        : false;
// Returns 0 if the function is not a kernel.
template <auto *Function> constexpr unsigned alignment_of_kernel() {
  if constexpr (!std::is_function_v<std::remove_pointer_t<decltype(Function)>>)
    return 0;
  else
    return is_aligned_function<Function, single_task_alignment>   ? single_task_alignment
           : is_aligned_function<Function, nd_range_alignment(3)> ? nd_range_alignment(3)
           : is_aligned_function<Function, nd_range_alignment(2)> ? nd_range_alignment(2)
           : is_aligned_function<Function, nd_range_alignment(1)> ? nd_range_alignment(1)
                                                                  : 0;
}

} // namespace detail

namespace ext::oneapi::experimental {

template <auto *Func, int Dims>
struct is_nd_range_kernel : std::bool_constant<sycl::detail::alignment_of_kernel<Func>() ==
                                               sycl::detail::nd_range_alignment(Dims)> {};
template <auto *Func>
struct is_single_task_kernel : std::bool_constant<sycl::detail::alignment_of_kernel<Func>() ==
                                                  sycl::detail::single_task_alignment> {};
template <auto *Func>
struct is_kernel : std::bool_constant<sycl::detail::alignment_of_kernel<Func>() != 0> {};
template <auto *Func, int Dims>
inline constexpr bool is_nd_range_kernel_v = is_nd_range_kernel<Func, Dims>::value;
template <auto *Func>
inline constexpr bool is_single_task_kernel_v = is_single_task_kernel<Func>::value;
template <auto *Func> inline constexpr bool is_kernel_v = is_kernel<Func>::value;

} // namespace ext::oneapi::experimental
} // namespace sycl

// Written before the declaration of a function, with a property in parentheses.
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...)                                                     \
  __attribute__((aligned(::sycl::detail::alignment_for(__VA_ARGS__)),                              \
                 annotate("lockstep.property", ::sycl::detail::numbers_of_property(__VA_ARGS__))))
