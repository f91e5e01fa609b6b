// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// is_device_copyable: the types that can be kernel arguments (SYCL 2020, section 3.13.1). Programs
// specialize it for their own types.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#ifdef __GLIBCXX__ // declared here: their headers would cost each source 0.1 s
namespace std {
template <class T> class optional;
template <class... Types> class variant;
} // namespace std
#else
#include <optional>
#include <variant>
#endif
#include <array>

namespace sycl {

template <class T> struct is_device_copyable;
template <class T> inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

namespace detail {
template <class... Types>
using all_device_copyable = std::bool_constant<(is_device_copyable_v<Types> && ...)>;
}

template <class T> struct is_device_copyable : std::is_trivially_copyable<T> {};
template <class T> struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<volatile T> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<const volatile T> : is_device_copyable<T> {};
template <class T, std::size_t N> struct is_device_copyable<T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N> struct is_device_copyable<const T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N>
struct is_device_copyable<volatile T[N]> : is_device_copyable<T> {};
template <class T, std::size_t N>
struct is_device_copyable<const volatile T[N]> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<std::array<T, 0>> : std::true_type {};
template <class T, std::size_t N>
struct is_device_copyable<std::array<T, N>> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <class A, class B>
struct is_device_copyable<std::pair<A, B>> : detail::all_device_copyable<A, B> {};
template <class... Types>
struct is_device_copyable<std::tuple<Types...>> : detail::all_device_copyable<Types...> {};
template <class... Types>
struct is_device_copyable<std::variant<Types...>> : detail::all_device_copyable<Types...> {};

} // namespace sycl
